#include "ui/editors/text_editors.hpp"

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/param_value.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QTextBlock>
#include <QToolTip>

namespace lowtide::ui {

namespace {

constexpr int kPromptHeight = 96;

void fill(QWidget& editor, QWidget* field) {
    auto* row = new QHBoxLayout(&editor);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(field);
    editor.setFocusProxy(field);
    field->setAccessibleName(editor.accessibleName());
}

}  // namespace

QString plainText(const Json& value) {
    if (value.is_null()) {
        return {};
    }
    return QString::fromStdString(value.is_string()
                                      ? value.get<std::string>()
                                      : value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

LineEditor::LineEditor(const ParamDesc& param, QWidget* parent)
    : ValueEditor(param, parent), line_(new QLineEdit(this)) {
    line_->setObjectName("line");
    fill(*this, line_);
    connect(line_, &QLineEdit::textEdited, this, [this](const QString& text) {
        propose(text.toStdString(), false);
    });
    EditSession::watch(
        *line_,
        [this] {
            finish();
            return true;
        },
        [this] { Q_EMIT dismissed(); });
}

QWidget* LineEditor::markedWidget() {
    return line_;
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

void LineEditor::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        finish();
        Q_EMIT dismissed();
        return;
    }
    ValueEditor::keyPressEvent(event);
}

PromptEditor::PromptEditor(const NodeDesc& node, const ParamDesc& param, QWidget* parent)
    : ValueEditor(param, parent), prompt_(new QPlainTextEdit(this)) {
    if (const ParamDesc* weights = graph::findParam(node, kWeightsParam)) {
        weights_ = *weights;
    }
    prompt_->setObjectName("prompt");
    prompt_->setTabChangesFocus(true);
    prompt_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
    prompt_->installEventFilter(this);
    EditSession::watch(
        *prompt_,
        [this] {
            finish();
            return true;
        },
        [this] { Q_EMIT dismissed(); });
    fill(*this, prompt_);
    setMinimumHeight(kPromptHeight);
    connect(prompt_, &QPlainTextEdit::textChanged, this, [this] {
        propose(prompt_->toPlainText().toStdString(), false);
    });
}

QWidget* PromptEditor::markedWidget() {
    return prompt_;
}

void PromptEditor::showValue() {
    // The same text again would move the cursor of whoever is typing.
    if (const QString text = plainText(value()); text != prompt_->toPlainText()) {
        const QSignalBlocker silent(prompt_);
        prompt_->setPlainText(text);
    }
}

void PromptEditor::begin() {
    prompt_->setFocus(Qt::OtherFocusReason);
    prompt_->selectAll();
}

void PromptEditor::setBeside(std::function<Json()> params) {
    beside_ = std::move(params);
}

void PromptEditor::changeWeight(double change) {
    const Json beside = beside_ ? beside_() : Json::object();
    const std::optional<WeightSyntax> syntax =
        weightSyntaxNamed(beside.value(kWeightsParam, graph::toJson(weights_->defaultValue)));
    if (!syntax) {
        tellNoWeights();
        return;
    }
    QTextCursor cursor = prompt_->textCursor();
    const SelectedText before{
        prompt_->toPlainText(), cursor.selectionStart(), cursor.selectionEnd()};
    const SelectedText after = changedWeight(before, change, *syntax);
    if (after == before) {
        return;
    }
    // One step of the field's own undo.
    cursor.beginEditBlock();
    cursor.select(QTextCursor::Document);
    cursor.insertText(after.text);
    cursor.endEditBlock();
    cursor.setPosition(after.from);
    cursor.setPosition(after.to, QTextCursor::KeepAnchor);
    prompt_->setTextCursor(cursor);
    finish();
}

void PromptEditor::tellNoWeights() {
    const QRect cursor = prompt_->cursorRect();
    QToolTip::showText(
        prompt_->viewport()->mapToGlobal(cursor.bottomLeft()),
        tr("Brackets are text here. Choose another way under %1 to give words more weight.")
            .arg(QString::fromStdString(weights_->label)),
        prompt_);
}

bool PromptEditor::eventFilter(QObject* watched, QEvent* event) {
    if (watched != prompt_ || event->type() != QEvent::KeyPress) {
        return ValueEditor::eventFilter(watched, event);
    }
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isControl = key->modifiers() & Qt::ControlModifier;
    if (weights_ && isControl && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down)) {
        changeWeight(key->key() == Qt::Key_Up ? kWeightStep : -kWeightStep);
        return true;
    }
    if (isControl && (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter)) {
        finish();
        event->ignore();
        return false;
    }
    if (key->key() == Qt::Key_Escape) {
        finish();
        Q_EMIT dismissed();
        return true;
    }
    return ValueEditor::eventFilter(watched, event);
}

}  // namespace lowtide::ui
