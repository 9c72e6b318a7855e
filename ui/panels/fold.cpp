#include "ui/panels/fold.hpp"

#include "ui/language/language.hpp"
#include "ui/theme/theme.hpp"

#include <QVBoxLayout>

namespace lowtide::ui {

namespace {

constexpr int kLeastFold = Theme::space(24);  ///< pixels; its tooltip says what is cut

}  // namespace

Fold::Fold(const QString& title, QWidget* content, bool isOpen, QWidget* parent)
    : QWidget(parent), title_(title), button_(new QToolButton(this)), content_(content) {
    button_->setObjectName(QStringLiteral("fold"));
    button_->setCheckable(true);
    button_->setAutoRaise(true);
    button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button_->setMinimumWidth(kLeastFold);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(1));
    column->addWidget(button_);
    content_->setParent(this);
    column->addWidget(content_);
    connect(button_, &QToolButton::toggled, this, [this] { refresh(); });
    button_->setChecked(isOpen);
    refresh();
}

void Fold::setTitle(const QString& title) {
    title_ = title;
    refresh();
}

void Fold::setOpen(bool isOpen) {
    button_->setChecked(isOpen);
}

bool Fold::isOpen() const {
    return button_->isChecked();
}

void Fold::setSummary(const QString& summary) {
    summary_ = summary;
    refresh();
}

void Fold::refresh() {
    const bool open = isOpen();
    button_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    button_->setText(open || summary_.isEmpty() ? title_ : titled(title_, summary_));
    button_->setToolTip(button_->text() == title_ ? QString() : button_->text());
    content_->setVisible(open);
}

}  // namespace lowtide::ui
