#include "ui/editors/param_editor.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/editors/choice_editor.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/file_editor.hpp"
#include "ui/editors/number_field.hpp"
#include "ui/editors/number_text.hpp"
#include "ui/editors/prompt_editor.hpp"
#include "ui/editors/switch_editor.hpp"
#include "ui/theme/window_parts.hpp"

#include <QKeyEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QUrl>
#include <QVariant>

namespace lowtide::ui {

namespace {

QString choiceText(const ParamDesc& param, const std::string& id) {
    for (const ChoiceDesc& choice : param.choices) {
        if (choice.id == id) {
            return QString::fromStdString(choice.label);
        }
    }
    return QString::fromStdString(id);
}

/// The name of the file, or the last folder.
QString fileText(const QString& path) {
    const QString plain = path.endsWith(QLatin1Char('/')) ? path.chopped(1) : path;
    return plain.section(QLatin1Char('/'), -1);
}

ParamEditor* newEditor(const NodeDesc& node,
                       const ParamDesc& param,
                       const OfferedFiles* offered,
                       QWidget* parent) {
    switch (param.kind) {
        case ParamKind::Bool:
            return new SwitchEditor(param, parent);
        case ParamKind::Int:
        case ParamKind::Float:
            return new NumberField(param, parent);
        case ParamKind::Seed:
            return new SeedEditor(param, parent);
        case ParamKind::Choice:
            return new ChoiceEditor(param, parent);
        case ParamKind::File:
        case ParamKind::Folder:
            return new FileEditor(node, param, offered, parent);
        case ParamKind::Text:
            break;
    }
    if (param.multiline) {
        return new PromptEditor(node, param, offered ? offered->prompts() : nullptr, parent);
    }
    return new LineEditor(param, parent);
}

}  // namespace

ParamEditor::~ParamEditor() {
    EditSession::forgetIn(*this);
}

ParamEditor* makeParamEditor(const NodeDesc& node,
                             const ParamDesc& param,
                             const OfferedFiles* offered,
                             QWidget* parent) {
    ParamEditor* editor = newEditor(node, param, offered, parent);
    editor->setValue(graph::toJson(param.defaultValue));
    return editor;
}

QString valueText(const ParamDesc& param, const Json& value) {
    if (value.is_null()) {
        return param.kind == ParamKind::Seed ? ParamEditor::tr("random")
                                             : ParamEditor::tr("not set");
    }
    if (value.is_boolean()) {
        return value.get<bool>() ? ParamEditor::tr("on") : ParamEditor::tr("off");
    }
    if (value.is_number()) {
        const QString number = numberText(param, value);
        const QString unit = unitText(param, value);
        return unit.isEmpty() ? number : QStringLiteral("%1 %2").arg(number, unit);
    }
    if (!value.is_string()) {
        return plainText(value);
    }
    if (param.kind == ParamKind::Choice) {
        return choiceText(param, value.get<std::string>());
    }
    const QString text = plainText(value).simplified();
    const bool isPath = param.kind == ParamKind::File || param.kind == ParamKind::Folder;
    return text.isEmpty() ? ParamEditor::tr("empty") : isPath ? fileText(text) : text;
}

void markProblem(QWidget& widget, const QString& problem, const QString& tooltip) {
    widget.setProperty("problem", !problem.isEmpty());
    widget.setToolTip(problem.isEmpty() ? tooltip : problem);
    widget.setAccessibleDescription(problem);
    widget.update();
}

ParamEditor::ParamEditor(const ParamDesc& param, QWidget* parent)
    : QWidget(parent), param_(param), value_(defaultValue()) {
    setObjectName(QString::fromStdString("editor." + param.id));
    setAccessibleName(QString::fromStdString(param.label));
}

Json ParamEditor::defaultValue() const {
    return graph::toJson(param_.defaultValue);
}

void ParamEditor::setValue(const Json& value) {
    const bool isNew = value != value_;
    value_ = value;
    typingProblem_.clear();
    showValue();
    mark();
    if (isNew) {
        valueReported();
    }
}

void ParamEditor::setProblem(const QString& problem) {
    outerProblem_ = problem;
    mark();
}

bool ParamEditor::propose(const Json& value, bool isFinal) {
    typingProblem_ = refusalOf(param_, value);
    const bool isTaken = typingProblem_.isEmpty();
    const bool isNew = value != value_ || value.type() != value_.type();
    if (isTaken && (isNew || (isFinal && isUnfinished_))) {
        value_ = value;
        isUnfinished_ = !isFinal;
        outerProblem_.clear();  // reported about the value before; whoever checks reports it again
        mark();
        if (isNew) {
            valueReported();
        }
        Q_EMIT edited(value_, isFinal);
        return true;
    }
    mark();
    return isTaken;
}

void ParamEditor::finish() {
    if (isUnfinished_) {
        isUnfinished_ = false;
        Q_EMIT edited(value_, true);
    }
}

void ParamEditor::watchTyping(QWidget& field) {
    EditSession::watch(
        field,
        [this] {
            finish();
            return true;
        },
        [this] { Q_EMIT dismissed(); });
}

void ParamEditor::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        finish();
        Q_EMIT dismissed();
    } else {
        QWidget::keyPressEvent(event);
    }
}

void ParamEditor::refuse(const QString& problem) {
    typingProblem_ = problem;
    mark();
}

void ParamEditor::forgetTyping() {
    typingProblem_.clear();
    mark();
}

void ParamEditor::mark() {
    QString problem = typingProblem_;
    if (problem.isEmpty()) {
        problem = outerProblem_.isEmpty() ? refusalOf(param_, value_) : outerProblem_;
    }
    markProblem(*markedWidget(), problem, QString::fromStdString(param_.tooltip));
}

QString plainText(const Json& value) {
    if (value.is_null()) {
        return {};
    }
    return QString::fromStdString(value.is_string()
                                      ? value.get<std::string>()
                                      : value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

QStringList localFiles(const QMimeData* data) {
    QStringList files;
    const QList<QUrl> urls = data->urls();
    for (const QUrl& url : urls) {
        if (url.isLocalFile()) {
            files << url.toLocalFile();
        }
    }
    return files;
}

LineEditor::LineEditor(const ParamDesc& param, QWidget* parent)
    : ParamEditor(param, parent), line_(named("line", new QLineEdit(this))) {
    line_->setAccessibleName(accessibleName());
    rowIn(this, 0, {line_});
    setFocusProxy(line_);
    connect(line_, &QLineEdit::textEdited, this, [this](const QString& text) {
        propose(text.toStdString(), false);
    });
    watchTyping(*line_);
}

void LineEditor::showValue() {
    if (const QString text = plainText(value()); text != line_->text()) {
        line_->setText(text);
        line_->setCursorPosition(0);
    }
}

void LineEditor::begin() {
    line_->setFocus(Qt::OtherFocusReason);
    line_->selectAll();
}

}  // namespace lowtide::ui
