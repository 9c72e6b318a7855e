#include "ui/panels/panel_parts.hpp"

#include "ui/language/language.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QAbstractItemView>
#include <QFocusEvent>
#include <QItemSelectionModel>
#include <QLabel>
#include <QStyleOptionToolButton>
#include <QStyleOptionViewItem>
#include <QToolButton>
#include <QWidget>

#include <algorithm>

namespace lowtide::ui {

namespace {

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

constexpr int kSpare = 2;  ///< pixels: a list breaks its row before the last one
constexpr int kIconPixels = 32;
constexpr int kWidest = 360;
constexpr int kLeastWidth =
    24;  ///< in steps of the rhythm; it scrolls where it has less than it needs
constexpr int kLeastHeight = 16;
constexpr int kInnerFraction = 1000;  ///< of the width, as far as the widest allows

QLabel* centred(const QString& text, const char* font, const char* colour, QWidget* parent) {
    QLabel* label = makeText(text, "", parent, font, colour);
    label->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    return label;
}

/// Assistive technology hears that it is checked while the part is open; no selection is painted.
class FoldButton : public QToolButton {
public:
    using QToolButton::QToolButton;

protected:
    void initStyleOption(QStyleOptionToolButton* option) const override {
        QToolButton::initStyleOption(option);
        option->state &= ~QStyle::State_On;
    }
};

constexpr int kLeastFold = Theme::space(24);  ///< pixels; its tooltip shows what is cut

}  // namespace

void selectRowForKeys(QAbstractItemView& list) {
    new RowForKeys(list);
}

int filledWidth(const QStyleOptionViewItem& option, int least) {
    const auto* view = qobject_cast<const QAbstractItemView*>(option.widget);
    const int all = view ? view->viewport()->width() - kSpare : least;
    return std::max(least, all / std::max(1, all / least));
}

QWidget* makeEmptyState(const EmptyState& state, QWidget* parent) {
    auto* page = new QWidget(parent);
    auto* icon = named("emptyIcon", new QLabel(page));
    const auto paintIcon = [icon, name = state.icon] {
        icon->setPixmap(Theme::current().icon(name, "text.muted").pixmap(kIconPixels));
    };
    paintIcon();
    QObject::connect(&Themed::instance(), &Themed::changed, icon, paintIcon);
    icon->setAlignment(Qt::AlignHCenter);
    // A column of its own gives wrapped texts its width; centred by themselves they get too little.
    auto* inner = new QWidget(page);
    inner->setMaximumWidth(kWidest);
    columnIn(inner,
             2,
             {Cell::spring(),
              icon,
              Cell::gap(1),
              centred(state.title, "title", "text", inner),
              centred(state.text, "body", "text.muted", inner),
              Cell::spring(2)});
    rowIn(page, 0, {6, 6, 6, 6}, {Cell::spring(), {inner, kInnerFraction}, Cell::spring()});
    auto* scrolled = new ScrolledPart(page, parent);
    scrolled->setLeast(QSize(Theme::space(kLeastWidth), Theme::space(kLeastHeight)));
    return scrolled;
}

Fold::Fold(const QString& title, QWidget* content, bool isOpen, QWidget* parent)
    : QWidget(parent),
      title_(title),
      button_(named("fold", new FoldButton(this))),
      content_(content) {
    button_->setCheckable(true);
    button_->setAutoRaise(true);
    button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button_->setMinimumWidth(kLeastFold);
    columnIn(this, 1, {button_, content_});
    connect(button_, &QToolButton::toggled, this, [this] { refresh(); });
    connect(button_, &QToolButton::clicked, this, &Fold::switchedByUser);
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
