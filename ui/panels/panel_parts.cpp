#include "ui/panels/panel_parts.hpp"

#include "ui/language/language.hpp"
#include "ui/theme/responsive_layout.hpp"

#include <QAbstractItemView>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <QVariant>
#include <QWidget>

namespace lowtide::ui {

namespace {

constexpr const char* kToken = "lowtideTextColour";

void apply(QWidget& widget) {
    const QByteArray token = widget.property(kToken).toByteArray();
    QPalette palette = widget.palette();
    palette.setColor(QPalette::WindowText, Theme::current().colour(token.constData()));
    widget.setPalette(palette);
}

class RowForKeys : public QObject {
public:
    explicit RowForKeys(QAbstractItemView& list) : QObject(&list), list_(list) {
        list.installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::FocusIn &&
            static_cast<QFocusEvent*>(event)->reason() != Qt::MouseFocusReason &&
            !list_.selectionModel()->hasSelection()) {
            const QModelIndex at = list_.currentIndex();
            list_.setCurrentIndex(at.isValid() ? at : list_.model()->index(0, 0));
        }
        return QObject::eventFilter(watched, event);
    }

private:
    QAbstractItemView& list_;
};

constexpr int kIconPixels = 32;
constexpr int kWidest = 360;
constexpr int kLeastWidth =
    24;  ///< in steps of the rhythm; it scrolls where it has less than it needs
constexpr int kLeastHeight = 16;
constexpr int kInnerFraction = 1000;  ///< of the width, as far as the widest allows

QLabel* centred(const QString& text, const char* font, const char* colour, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    label->setWordWrap(true);
    label->setFont(Theme::current().font(font));
    setTextColour(*label, colour);
    return label;
}

constexpr int kLeastFold = Theme::space(24);  ///< pixels; its tooltip shows what is cut

}  // namespace

QToolButton* makeIconButton(const char* icon,
                            const QString& text,
                            const char* name,
                            QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(QLatin1String(name));
    button->setIcon(Theme::current().icon(icon));
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    return button;
}

void setTextColour(QWidget& widget, const char* token) {
    const bool isNew = !widget.property(kToken).isValid();
    widget.setProperty(kToken, QByteArray(token));
    apply(widget);
    if (isNew) {
        QObject::connect(
            &Themed::instance(), &Themed::changed, &widget, [&widget] { apply(widget); });
    }
}

void selectRowForKeys(QAbstractItemView& list) {
    new RowForKeys(list);
}

QWidget* makeEmptyState(const EmptyState& state, QWidget* parent) {
    auto* page = new QWidget(parent);
    auto* icon = new QLabel(page);
    icon->setObjectName(QStringLiteral("emptyIcon"));
    const auto paintIcon = [icon, name = state.icon] {
        icon->setPixmap(Theme::current().icon(name, "text.muted").pixmap(kIconPixels));
    };
    paintIcon();
    QObject::connect(&Themed::instance(), &Themed::changed, icon, paintIcon);
    icon->setAlignment(Qt::AlignHCenter);
    // A column of its own gives wrapped texts its width; centred by themselves they get too little.
    auto* inner = new QWidget(page);
    inner->setMaximumWidth(kWidest);
    auto* texts = new QVBoxLayout(inner);
    texts->setContentsMargins(0, 0, 0, 0);
    texts->setSpacing(Theme::space(2));
    texts->addStretch(1);
    texts->addWidget(icon);
    texts->addSpacing(Theme::space(1));
    texts->addWidget(centred(state.title, "title", "text", inner));
    texts->addWidget(centred(state.text, "body", "text.muted", inner));
    texts->addStretch(2);
    auto* row = new QHBoxLayout(page);
    row->setContentsMargins(Theme::space(6), Theme::space(6), Theme::space(6), Theme::space(6));
    row->addStretch(1);
    row->addWidget(inner, kInnerFraction);
    row->addStretch(1);
    auto* scrolled = new ScrolledPart(page, parent);
    scrolled->setLeast(QSize(Theme::space(kLeastWidth), Theme::space(kLeastHeight)));
    return scrolled;
}

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
