#include "ui/studio/engine_start.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/issues.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QSaveFile>

#include <exception>

namespace lowtide::ui {

namespace {

struct Answer {
    Plugin* plugin = nullptr;
    QString message{};
    QString hint{};
};

Answer tryOpen(const OpenModule& open) noexcept {
    try {
        return {.plugin = &open()};
    } catch (const Error& error) {
        return {.message = errorText(error), .hint = moduleSentence(error.hint())};
    } catch (const std::exception& error) {
        return {.message = QString::fromUtf8(error.what())};
    }
}

std::string answerOf(Severity severity, const Message& problem) {
    const Issue issue{.severity = severity,
                      .code = "unsupported",
                      .message = problem,
                      .hint = message("start the studio again when the module is in its place")};
    return Json{{"issues", graph::toJson(Issues{issue})}}.dump();
}

std::string refusal() {
    return answerOf(Severity::Error,
                    message("the engine does not run, so this graph can be edited and saved only"));
}

std::string note() {
    return answerOf(Severity::Info,
                    message("the engine does not run, so nothing of this graph was checked"));
}

constexpr qint64 kLargestFile = 16 << 20;

constexpr int kTextWidth = 480;

QLabel* labelIn(QWidget* parent, const char* name, const char* font) {
    QLabel* label = makeText({}, name, parent, font);
    label->setTextFormat(Qt::PlainText);
    label->setFixedWidth(kTextWidth);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

EngineStart::EngineStart(OpenModule open, QObject* parent)
    : QObject(parent), open_(std::move(open)) {}

void EngineStart::begin() {
    if (isTrying_) {
        return;
    }
    isTrying_ = true;
    background_.run([this, open = open_] {
        const Answer answer = tryOpen(open);
        return [this, answer] {
            isTrying_ = false;
            if (answer.plugin) {
                Q_EMIT started(answer.plugin);
            } else {
                Q_EMIT refused(answer.message, answer.hint);
            }
        };
    });
}

void keepNodes(const QString& path, std::span<const NodeDesc> nodes) {
    Json list = Json::array();
    for (const NodeDesc& node : nodes) {
        list.push_back(graph::toJson(node));
    }
    QDir().mkpath(QFileInfo(path).absolutePath());
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        file.write(QByteArray::fromStdString(list.dump()));
        file.commit();
    }
}

std::vector<NodeDesc> keptNodes(const QString& path) {
    QFile file(path);
    std::vector<NodeDesc> nodes;
    if (!file.open(QIODevice::ReadOnly)) {
        return nodes;
    }
    try {
        for (const Json& json : parseJson(file.read(kLargestFile).toStdString(), "kept nodes")) {
            nodes.push_back(graph::nodeFromJson(json));
        }
    } catch (const std::exception&) {
        nodes.clear();  // of another version; the next start of the module writes it again
    }
    return nodes;
}

Status AbsentRunner::check(std::string_view, std::string_view, std::string& result) noexcept {
    result = note();
    return Status::Ok;
}

Status AbsentRunner::plan(std::string_view, std::string_view, std::string& result) noexcept {
    result = note();
    return Status::Failed;
}

Status AbsentRunner::start(
    std::string_view, std::string_view, Observer&, RunId&, std::string& result) noexcept {
    result = refusal();
    return Status::Invalid;
}

Status AbsentRunner::wait(RunId, std::string& result) noexcept {
    result = refusal();
    return Status::Invalid;
}

Status AbsentRunner::memory(std::string& result) noexcept {
    result = "{}";
    return Status::Ok;
}

Status AbsentRunner::devices(std::string& result) noexcept {
    result = R"({"devices":[]})";
    return Status::Ok;
}

StartPage::StartPage(QWidget* parent)
    : QWidget(parent),
      title_(labelIn(this, "startTitle", "display")),
      message_(labelIn(this, "startMessage", "body")),
      hint_(labelIn(this, "startHint", "body")),
      progress_(new QProgressBar(this)),
      again_(makeButton({}, "again", this)),
      without_(makeButton({}, "without", this)) {
    hint_->setForegroundRole(QPalette::PlaceholderText);
    progress_->setRange(0, 0);
    progress_->setTextVisible(false);
    progress_->setFixedSize(kTextWidth, Theme::space(1));
    QBoxLayout* column = columnIn(nullptr,
                                  3,
                                  {Cell::spring(2),
                                   title_,
                                   message_,
                                   hint_,
                                   progress_,
                                   rowOf(2, {again_, without_, Cell::spring()}),
                                   Cell::spring(3)});
    addAll(*new QHBoxLayout(this), {Cell::spring(), column, Cell::spring()});
    connect(again_, &QPushButton::clicked, this, &StartPage::againAsked);
    connect(without_, &QPushButton::clicked, this, &StartPage::withoutAsked);
    showStarting();
}

void StartPage::retranslate() {
    again_->setText(tr("Try again"));
    without_->setText(tr("Edit graphs without it"));
    title_->setText(isRefused_ ? tr("The engine did not start") : tr("Starting the engine..."));
    if (!isRefused_) {
        message_->setText(tr("It loads its libraries and looks for devices."));
    }
}

void StartPage::showStarting() {
    isRefused_ = false;
    retranslate();
    hint_->hide();
    progress_->show();
    again_->hide();
    without_->hide();
}

void StartPage::showRefused(const QString& message, const QString& hint, bool canEdit) {
    isRefused_ = true;
    retranslate();
    message_->setText(message);
    hint_->setText(hint);
    hint_->setVisible(!hint.isEmpty());
    progress_->hide();
    again_->show();
    without_->setVisible(canEdit);
}

}  // namespace lowtide::ui
