#include "examples/qtnodes_host/host/run_session.hpp"

#include "plugin/base/json.hpp"

namespace lowtide::qtnodes_host {

namespace {

/// A copy: the module may reuse the bytes.
QImage imageOf(const Image8& source) {
    const QImage::Format format = source.channels == 1   ? QImage::Format_Grayscale8
                                  : source.channels == 4 ? QImage::Format_RGBA8888
                                                         : QImage::Format_RGB888;
    const QImage image(source.pixels.get(),
                       source.widthPixels,
                       source.heightPixels,
                       static_cast<qsizetype>(source.widthPixels) * source.channels,
                       format);
    return image.copy();
}

}  // namespace

RunSession::RunSession(Runner& runner, QObject* parent) : QObject(parent), runner_(runner) {
    checks_.setMaxThreadCount(1);
}

RunSession::~RunSession() {
    checks_.clear();
    checks_.waitForDone();
    if (isRunning_) {
        std::string report;
        runner_.cancel(run_, CancelMode::Now);
        runner_.wait(run_, report);
    }
}

void RunSession::check(const std::string& graph, const std::string& options) {
    const uint64_t question = ++lastQuestion_;
    checks_.clear();
    checks_.start([this, graph, options, question] {
        std::string answer;
        runner_.check(graph, options, answer);
        QMetaObject::invokeMethod(
            this,
            [this, answer, question] {
                if (question == lastQuestion_) {
                    Q_EMIT checked(issuesOf(answer));
                }
            },
            Qt::QueuedConnection);
    });
}

bool RunSession::start(const std::string& graph, const std::string& options, Json& issues) {
    if (isRunning_) {
        return false;
    }
    ++lastQuestion_;  // an answer that is under way is about the graph before
    std::string answer;
    isRunning_ = runner_.start(graph, options, *this, run_, answer) == Status::Ok;
    issues = isRunning_ ? Json::array() : issuesOf(answer);
    return isRunning_;
}

void RunSession::cancel() {
    if (isRunning_) {
        runner_.cancel(run_, CancelMode::Now);
    }
}

void RunSession::event(std::string_view json) noexcept {
    QMetaObject::invokeMethod(
        this,
        [this, text = std::string(json)] { deliver(Json::parse(text)); },
        Qt::QueuedConnection);
}

void RunSession::preview(RunId, std::string_view node, const Image8& source) noexcept {
    QMetaObject::invokeMethod(
        this,
        [this,
         name = QString::fromUtf8(node.data(), static_cast<qsizetype>(node.size())),
         image = imageOf(source)] { Q_EMIT shown(name, image); },
        Qt::QueuedConnection);
}

void RunSession::deliver(const Json& event) {
    if (event.value("event", "") == "runFinished") {
        isRunning_ = false;
    }
    Q_EMIT happened(event);
}

Json issuesOf(const std::string& answer) {
    const Json json = Json::parse(answer, nullptr, false);
    if (json.is_object() && json.contains("issues")) {
        return json.at("issues");
    }
    return Json::array(
        {{{"severity", "error"}, {"message", "the module's answer cannot be read: " + answer}}});
}

}  // namespace lowtide::qtnodes_host
