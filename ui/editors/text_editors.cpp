#include "ui/editors/text_editors.hpp"

#include "ui/editors/edit_session.hpp"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>

namespace lowtide::ui {

namespace {

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

}  // namespace lowtide::ui
