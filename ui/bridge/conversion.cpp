#include "ui/bridge/conversion.hpp"

#include "ui/bridge/answer.hpp"

#include <atomic>

namespace lowtide::ui {

namespace {

constexpr int kReportMilliseconds = 100;

QString orUnexplained(const std::string& message) {
    return message.empty() ? Conversion::tr("the module refused without saying why")
                           : QString::fromStdString(message);
}

/// Of the worker thread.
Convertible convertibleIn(Status status, const std::string& text) {
    const Json answer = answerOf(text);
    Convertible known{
        .path = QString::fromStdString(textIn(answer, "path")), .choices = {}, .problem = {}};
    for (const Json& choice : memberIn(answer, "choices")) {
        if (const std::string storage = textIn(choice, "storage"); !storage.empty()) {
            known.choices.push_back({.storage = storage,
                                     .ending = QString::fromStdString(textIn(choice, "ending")),
                                     .bytes = bytesIn(choice, "bytes"),
                                     .sourceBytes = bytesIn(choice, "source_bytes")});
        }
    }
    if (status != Status::Ok) {
        known.problem = orUnexplained(firstMessageIn(text));
    }
    return known;
}

/// Of the worker thread.
Converted convertedIn(Status status, const std::string& text, const QString& out) {
    const Json answer = answerOf(text);
    Converted converted{.out = out,
                        .rounded = bytesIn(answer, "rounded_tensors"),
                        .meanError = numberIn(answer, "mean_error"),
                        .isCancelled = status == Status::Cancelled,
                        .problem = {}};
    for (const Json& each : memberIn(answer, "after")) {
        converted.bytes += bytesIn(each, "bytes");
    }
    if (status != Status::Ok) {
        converted.problem = orUnexplained(firstMessageIn(text));
    }
    return converted;
}

Json requestOf(const std::string& checkpoint, const QString& graphFolder) {
    return {{"checkpoint", checkpoint}, {"graphFolder", graphFolder.toStdString()}};
}

}  // namespace

/// Between the thread that converts and the GUI's.
class Conversion::Watch final : public lowtide::Watch {
public:
    bool goesOn(int64_t doneBytes, int64_t totalBytes) noexcept override {
        total = totalBytes;
        done = doneBytes;
        return !isCancelled;
    }

    std::atomic<int64_t> done = 0;
    std::atomic<int64_t> total = 0;
    std::atomic<bool> isCancelled = false;
};

Conversion::Conversion(const Engine& engine, QObject* parent) : QObject(parent), engine_(engine) {
    clock_.setInterval(kReportMilliseconds);
    connect(&clock_, &QTimer::timeout, this, [this] {
        Q_EMIT progressed(watch_->done, watch_->total);
    });
}

Conversion::~Conversion() {
    cancel();
}

void Conversion::ask(const std::string& checkpoint, const QString& graphFolder) {
    background_.run([this,
                     question = ++lastQuestion_,
                     request = requestOf(checkpoint, graphFolder)]() -> Background::Answer {
        std::string text;
        const Status status = engine_.call("conversionChoices", request, text);
        return [this, question, what = convertibleIn(status, text)] {
            if (question == lastQuestion_) {
                Q_EMIT known(what);
            }
        };
    });
}

void Conversion::begin(const ConversionJob& job) {
    if (isBusy()) {
        return;
    }
    watch_ = std::make_shared<Watch>();
    clock_.start();
    Json request = requestOf(job.checkpoint, job.graphFolder);
    request["storage"] = job.storage;
    request["out"] = job.out.toStdString();
    background_.run([this, watch = watch_, request, out = job.out]() -> Background::Answer {
        std::string text;
        const Status status = engine_.call("convert", request, text, watch.get());
        return [this, what = convertedIn(status, text, out)] {
            clock_.stop();
            watch_.reset();
            Q_EMIT ended(what);
        };
    });
}

void Conversion::cancel() {
    if (watch_) {
        watch_->isCancelled = true;
    }
}

}  // namespace lowtide::ui
