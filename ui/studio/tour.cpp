#include "ui/studio/tour.hpp"

#include "ui/access/announce.hpp"
#include "ui/language/language.hpp"
#include "ui/studio/main_window_widgets.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QApplication>
#include <QLabel>
#include <QMenuBar>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>
#include <QTabBar>
#include <QTimer>

#include <algorithm>
#include <array>

namespace lowtide::ui {

namespace {

constexpr int kCalloutWidth = Theme::space(88);
constexpr int kAway = Theme::space(2);  ///< from what is named
constexpr int kLine = 2;

/// Is seen and nothing else: the pointer goes through it.
class TourFrame final : public QWidget {
public:
    explicit TourFrame(QWidget* parent) : QWidget(parent) {
        setObjectName(QStringLiteral("tourFrame"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(Theme::current().colour("accent"), kLine));
        painter.drawRoundedRect(QRectF(rect()).adjusted(kLine, kLine, -kLine, -kLine),
                                Theme::space(1),
                                Theme::space(1));
    }
};

}  // namespace

QRect calloutRect(const QRect& window, const QRect& target, const QSize& size) {
    const QPoint middle = target.center() - QPoint(size.width() / 2, size.height() / 2);
    const std::array<QPoint, 5> corners = {QPoint(middle.x(), target.bottom() + kAway),
                                           QPoint(middle.x(), target.top() - kAway - size.height()),
                                           QPoint(target.right() + kAway, middle.y()),
                                           QPoint(target.left() - kAway - size.width(), middle.y()),
                                           middle};
    const auto inside = [&](const QPoint& corner) {
        return QPoint(
            std::max(window.left(), std::min(corner.x(), window.right() + 1 - size.width())),
            std::max(window.top(), std::min(corner.y(), window.bottom() + 1 - size.height())));
    };
    const auto* found = std::ranges::find_if(corners, [&](const QPoint& corner) {
        return !QRect(inside(corner), size).intersects(target);
    });
    return {inside(found == corners.end() ? middle : *found), size};
}

Tour::Tour(MainWindowWidgets& widgets)
    : QFrame(&widgets.window),
      window_(widgets.window),
      frame_(new TourFrame(&widgets.window)),
      before_(QApplication::focusWidget()) {
    setObjectName(QStringLiteral("tour"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    build();
    addStops(widgets);
    window_.installEventFilter(this);
    connect(new QShortcut(Qt::Key_Escape, this), &QShortcut::activated, this, &Tour::end);
    show();
    enter(0);
}

Tour::~Tour() {
    delete frame_.data();
}

void Tour::build() {
    title_ = makeText({}, "tourTitle", this, "strong");
    text_ = makeText({}, "tourText", this);
    number_ = makeText({}, "tourNumber", this, "small", "text.muted");
    number_->setWordWrap(false);
    end_ = makeButton(tr("End the tour"), "tourEnd", this);
    back_ = makeButton(tr("Back"), "tourBack", this);
    next_ = makeButton(tr("Next"), "tourNext", this);
    next_->setDefault(true);
    columnIn(this,
             2,
             {4, 4, 4, 4},
             {title_, text_, rowOf(2, {number_, Cell::spring(), end_, back_, next_})});
    connect(end_, &QPushButton::clicked, this, &Tour::end);
    connect(back_, &QPushButton::clicked, this, &Tour::back);
    connect(next_, &QPushButton::clicked, this, &Tour::next);
}

void Tour::addStops(MainWindowWidgets& widgets) {
    const auto at = [this](const QWidget* widget) {
        return [this, widget] { return rectOf(widget); };
    };
    const QMenuBar& bar = *widgets.window.menuBar();
    const auto* help = bar.findChild<QMenu*>(QStringLiteral("Help"));
    stops_ = {
        {.title = tr("Presets"),
         .text = tr("Begin with one of them: a double click opens it."),
         .where = at(&widgets.presets),
         .show = [&widgets] { widgets.panels.show("presets"); }},
        {.title = tr("The graph"),
         .text = tr("Each box is a node, and does one step. Click a value to change it, such as "
                    "the prompt. Wires hand images and models on."),
         .where = at(&widgets.centre),
         .show = [&widgets] { widgets.showGraph(); }},
        {.title = tr("Run"),
         .text = tr("Makes the image. You can go on while it is made."),
         .where = at(widgets.toolBar.widgetForAction(&widgets.actions.at("run.start")))},
        {.title = tr("Viewer and gallery"),
         .text = tr("Images at full size, and those of all earlier runs with their graphs."),
         .where = at(widgets.centre.tabBar())},
        {.title = tr("Inspector"),
         .text = tr("All values of the node that is selected. Its tab Help explains them; F1 opens "
                    "it."),
         .where = at(&widgets.inspector),
         .show = [&widgets] { widgets.panels.show("inspector"); }},
        {.title = tr("Memory"),
         .text = tr("How much of the GPU's memory the run needs, and how long it takes, before it "
                    "starts. Click it for the plan."),
         .where = at(widgets.window.findChild<QWidget*>(QStringLiteral("need")))},
        {.title = tr("Help"),
         .text = tr("The guide, every key, and this tour."),
         .where = [this, &bar, help] {
             return help ? bar.actionGeometry(help->menuAction())
                               .translated(bar.mapTo(&window_, QPoint()))
                         : QRect();
         }}};
}

/// Empty: nobody sees it, or it floats in a window of its own.
QRect Tour::rectOf(const QWidget* widget) const {
    const bool isSeen = widget && widget->isVisible() && widget->window() == &window_;
    return isSeen ? QRect(widget->mapTo(&window_, QPoint()), widget->size()) : QRect();
}

void Tour::next() {
    stop_ + 1 < stops_.size() ? enter(stop_ + 1) : end();
}

void Tour::back() {
    if (stop_ > 0) {
        enter(stop_ - 1);
    }
}

void Tour::end() {
    hide();
    if (frame_) {
        frame_->hide();
    }
    if (before_) {
        before_->setFocus(Qt::OtherFocusReason);
    }
    deleteLater();
}

void Tour::enter(size_t stop) {
    stop_ = stop;
    const bool isLast = stop + 1 == stops_.size();
    title_->setText(stops_[stop].title);
    text_->setText(stops_[stop].text);
    number_->setText(tr("%1 of %2").arg(stop + 1).arg(stops_.size()));
    back_->setEnabled(stop > 0);
    next_->setText(isLast ? tr("Done") : tr("Next"));
    end_->setVisible(!isLast);
    setAccessibleName(titled(title_->text(), text_->text()));
    stops_[stop].show();
    reposition();
    next_->setFocus(Qt::OtherFocusReason);
    announce(*this, accessibleName());
    QTimer::singleShot(
        0, this, &Tour::reposition);  // panels that come into sight are laid out by then
}

void Tour::reposition() {
    const QRect target = stops_[stop_].where() & window_.rect();
    layout()->invalidate();
    const int width = std::max(kCalloutWidth, layout()->totalMinimumSize().width());
    setFixedWidth(width);
    const QSize size(width, layout()->totalHeightForWidth(width));
    setGeometry(calloutRect(window_.rect(), target.isEmpty() ? window_.rect() : target, size));
    if (frame_) {
        frame_->setVisible(!target.isEmpty() && isVisible());
        frame_->setGeometry(target.adjusted(-kLine, -kLine, kLine, kLine) & window_.rect());
        frame_->raise();
    }
    raise();
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &window_ && event->type() == QEvent::Resize && isVisible()) {
        QTimer::singleShot(0, this, &Tour::reposition);
    }
    return QFrame::eventFilter(watched, event);
}

/// Tab remains among its buttons; a click leaves it.
bool Tour::focusNextPrevChild(bool isNext) {
    std::vector<QPushButton*> buttons;
    for (QPushButton* each : {end_, back_, next_}) {
        if (each->isVisible() && each->isEnabled()) {
            buttons.push_back(each);
        }
    }
    if (buttons.empty()) {
        return false;  // it is being hidden
    }
    const auto now = std::ranges::find(buttons, QApplication::focusWidget());
    const auto at = now == buttons.end() ? 0 : now - buttons.begin();
    const auto count = static_cast<std::ptrdiff_t>(buttons.size());
    const auto to = static_cast<size_t>((at + (isNext ? 1 : count - 1)) % count);
    buttons[to]->setFocus(isNext ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    return true;
}

}  // namespace lowtide::ui
