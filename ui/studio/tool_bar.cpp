#include "ui/studio/tool_bar.hpp"

#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QFontMetrics>
#include <QMenu>

#include <cmath>

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

RunStrip::RunStrip(QWidget* parent)
    : QWidget(parent),
      bar_(named("runBar", new QProgressBar(this))),
      text_(named("runText", new QLabel(this))) {
    setObjectName(QStringLiteral("runStrip"));
    setFixedWidth(kWidth);
    bar_->setAccessibleName(tr("Progress of the run"));
    bar_->setRange(0, kFull);
    bar_->setTextVisible(false);
    bar_->setFixedHeight(kBar);
    text_->setFont(Theme::current().font("small"));
    columnIn(this, 1, {2, 0, 2, 0}, {Cell::spring(), text_, bar_, Cell::spring()});
}

void RunStrip::setRun(const QueuedRun& run) {
    bar_->setValue(static_cast<int>(std::lround(run.progress * kFull)));
    const QString percent = tr("%1 %").arg(std::lround(run.progress * 100));
    const QString work = progressText(run.phase, run.secondsLeft);
    const QString whole = work.isEmpty() ? tr("running, %1").arg(percent) : work;
    const int available = kWidth - 2 * Theme::space(2);
    text_->setText(QFontMetrics(text_->font()).elidedText(whole, Qt::ElideRight, available));
    setToolTip(tr("%1\n%2: %3").arg(run.title, percent, whole));
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
    setRun(nullptr);
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

void StudioToolBar::setRun(const QueuedRun* run) {
    strip_->setVisible(run != nullptr);
    if (run) {
        strip_->setRun(*run);
    }
}

void StudioToolBar::setZoom(double percent) {
    zoom_->setText(tr("%1 %").arg(std::lround(percent)));
}

}  // namespace lowtide::ui
