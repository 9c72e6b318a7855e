#include "ui/studio/tool_bar.hpp"

#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QFontMetrics>
#include <QMenu>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kWidth = Theme::space(56);
constexpr int kBar = Theme::space(1);
constexpr int kFull = 1000;

QToolButton* buttonOf(QToolBar& bar, QAction& action) {
    bar.addAction(&action);
    return qobject_cast<QToolButton*>(bar.widgetForAction(&action));
}

}  // namespace

std::vector<int> CountingLabel::widthsOf(const QString& text) const {
    const QFontMetrics metrics = fontMetrics();
    int widestDigit = 0;
    for (const char16_t digit : std::u16string_view(u"0123456789")) {
        widestDigit = std::max(widestDigit, metrics.horizontalAdvance(QChar(digit)));
    }
    std::vector<int> widths;
    for (const QChar letter : text) {
        widths.push_back(
            std::max(metrics.horizontalAdvance(letter), letter.isDigit() ? widestDigit : 0));
    }
    return widths;
}

int CountingLabel::widthOf(const QString& text) const {
    const std::vector<int> widths = widthsOf(text);
    return std::accumulate(widths.begin(), widths.end(), 0);
}

void CountingLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    QRect cell = contentsRect();
    const QString shown = text();
    const std::vector<int> widths = widthsOf(shown);
    for (qsizetype i = 0; i < shown.size(); ++i) {
        cell.setWidth(widths[static_cast<size_t>(i)]);
        painter.drawText(cell, Qt::AlignCenter, shown[i]);
        cell.translate(cell.width(), 0);
    }
}

RunStrip::RunStrip(QWidget* parent)
    : QWidget(parent),
      bar_(named("runBar", new QProgressBar(this))),
      text_(named("runText", new CountingLabel(this))) {
    setObjectName(QStringLiteral("runStrip"));
    setFixedWidth(kWidth);
    bar_->setAccessibleName(tr("Progress of the run"));
    bar_->setRange(0, kFull);
    bar_->setTextVisible(false);
    bar_->setFixedHeight(kBar);
    text_->setFont(Theme::current().font("small"));
    columnIn(this, 1, {2, 0, 2, 0}, {Cell::spring(), text_, bar_, Cell::spring()});
}

/// Where all does not fit the phase is cut: how many and for how long is what a user looks for.
void RunStrip::setRun(const QueuedRun& run, const QueueProgress& progress) {
    bar_->setValue(static_cast<int>(std::lround(run.progress * kFull)));
    QueueWords words = queueWords(progress);
    const QString whole = joined(words);
    const QString percent = tr("%1 %").arg(std::lround(run.progress * 100));
    setToolTip(tr("%1, %2\n%3").arg(run.title, percent, whole));
    if (std::exchange(whole_, whole) == whole) {
        return;  // it is asked several times a second, and measuring takes its time
    }
    const int available = kWidth - 2 * Theme::space(2);
    for (QString cut = words.phase; !cut.isEmpty() && text_->widthOf(joined(words)) > available;) {
        cut.chop(1);
        words.phase = cut + QChar(0x2026);
    }
    text_->setText(joined(words));
}

StudioToolBar::StudioToolBar(const Actions& actions, QWidget* parent)
    : QToolBar(parent), actions_(actions) {
    setObjectName(QStringLiteral("toolBar"));
    setWindowTitle(tr("Tools"));
    setMovable(false);
    const int side = Theme::current().size("icon");
    setIconSize({side, side});
    times_ = named("times", new QSpinBox(this));
    addRun();
    cancel_ = named("cancel", new QToolButton(this));
    actions.at("run.cancel").setIconText(tr("Cancel"));
    cancel_->setDefaultAction(&actions.at("run.cancel"));
    cancel_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    cancel_->setPopupMode(QToolButton::MenuButtonPopup);
    auto* ways = new QMenu(cancel_);
    ways->addAction(&actions.at("run.cancel_after"));
    ways->addAction(&actions.at("run.cancel"));
    cancel_->setMenu(ways);
    addWidget(cancel_);
    addSeparator();
    addAction(&actions.at("edit.undo"));
    addAction(&actions.at("edit.redo"));
    auto* spring = new QWidget(this);
    spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(spring);
    strip_ = new RunStrip(spring);
    rowIn(spring, 0, {strip_, Cell::spring()});  // the strip comes and goes, and no button moves
    addAction(&actions.at("view.zoom_out"));
    zoom_ = named("zoom", new QToolButton(this));
    zoom_->setMinimumWidth(Theme::space(14));
    const auto showZoomKey = [this] {
        zoom_->setToolTip(actions_.at("view.zoom_actual").toolTip());
    };
    connect(&actions, &Actions::keysChanged, this, showZoomKey);
    showZoomKey();
    addWidget(zoom_);
    addAction(&actions.at("view.zoom_in"));
    addAction(&actions.at("view.fit_all"));
    QAction& actual = actions.at("view.zoom_actual");
    connect(zoom_, &QToolButton::clicked, &actual, &QAction::trigger);
    connect(&actual, &QAction::enabledChanged, zoom_, &QToolButton::setEnabled);
    zoom_->setEnabled(actual.isEnabled());
    setZoom(100);
    setBusy(false);
    setRun(nullptr, {});
}

void StudioToolBar::addRun() {
    QAction& run = actions_.at("run.start");
    run.setIcon(Theme::current().icon("play", "accent.text"));  // no menu shows it
    QToolButton* button = buttonOf(*this, run);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setPrimary(*button);
    times_->setRange(1, RunControl::kMostRuns);
    times_->setFocusPolicy(Qt::StrongFocus);  // a wheel alone does not take the keyboard
    times_->setEnabled(run.isEnabled());
    times_->setAccessibleName(tr("Times"));
    times_->setToolTip(tr("How many times Run queues the graph; more than once with new seeds"));
    connect(&run, &QAction::enabledChanged, times_, &QSpinBox::setEnabled);
    addWidget(times_);
    addAction(&actions_.at("run.here"));
}

void StudioToolBar::setBusy(bool isBusy) {
    actions_.at("run.cancel").setEnabled(isBusy);
    actions_.at("run.cancel_after").setEnabled(isBusy);
}

void StudioToolBar::setRun(const QueuedRun* run, const QueueProgress& progress) {
    strip_->setVisible(run != nullptr);
    if (run) {
        strip_->setRun(*run, progress);
    }
}

void StudioToolBar::setZoom(double percent) {
    zoom_->setText(tr("%1 %").arg(std::lround(percent)));
}

}  // namespace lowtide::ui
