#include "ui/studio/tool_bar.hpp"

#include "plugin/base/units.hpp"
#include "ui/theme/theme.hpp"

#include <QMenu>

#include <cmath>

namespace lowtide::ui {

namespace {

void addSpring(QToolBar& bar) {
    auto* spring = new QWidget(&bar);
    spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar.addWidget(spring);
}

QToolButton* buttonOf(QToolBar& bar, QAction& action) {
    bar.addAction(&action);
    return qobject_cast<QToolButton*>(bar.widgetForAction(&action));
}

}  // namespace

QString needText(const Json& plan) {
    QStringList parts;
    const Json devices = plan.is_object() ? plan.value("devices", Json::array()) : Json();
    for (const Json& figures : devices) {
        const std::string device = figures.value("device", std::string());
        const Bytes peak = figures.value("peak", Bytes{0});
        const Bytes capacity = figures.value("capacity", Bytes{0});
        if (peak > 0) {
            parts << StudioToolBar::tr("%1 needs %2 of %3")
                         .arg(QString::fromStdString(device),
                              QString::fromStdString(formatBytes(peak)),
                              QString::fromStdString(formatBytes(capacity)));
        }
    }
    return parts.join(QStringLiteral("; "));
}

StudioToolBar::StudioToolBar(const Actions& actions, QWidget* parent)
    : QToolBar(parent), actions_(actions) {
    setObjectName(QStringLiteral("toolBar"));
    setWindowTitle(tr("Tools"));
    setMovable(false);
    const int side = Theme::current().size("icon");
    setIconSize({side, side});
    for (const char* id : {"run.start", "run.here"}) {
        buttonOf(*this, actions.at(id))->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    }
    cancel_ = new QToolButton(this);
    cancel_->setObjectName(QStringLiteral("cancel"));
    cancel_->setDefaultAction(&actions.at("run.cancel"));
    cancel_->setText(tr("Cancel"));
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
    addSpring(*this);
    memory_ = new QToolButton(this);
    memory_->setObjectName(QStringLiteral("need"));
    memory_->setIcon(Theme::current().icon("memory"));
    memory_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    memory_->setToolTip(tr("What the next run needs, and of how much; click for the plan"));
    addWidget(memory_);
    addSpring(*this);
    addAction(&actions.at("view.zoom_out"));
    zoom_ = new QToolButton(this);
    zoom_->setObjectName(QStringLiteral("zoom"));
    zoom_->setMinimumWidth(Theme::space(14));
    zoom_->setToolTip(actions.at("view.zoom_actual").toolTip());
    addWidget(zoom_);
    addAction(&actions.at("view.zoom_in"));
    addAction(&actions.at("view.fit_all"));
    connect(memory_, &QToolButton::clicked, this, &StudioToolBar::memoryAsked);
    connect(zoom_, &QToolButton::clicked, &actions.at("view.zoom_actual"), &QAction::trigger);
    setZoom(100);
    setPlanned({});
    setBusy(false);
}

void StudioToolBar::setBusy(bool isBusy) {
    actions_.at("run.cancel").setEnabled(isBusy);
    actions_.at("run.cancel_after").setEnabled(isBusy);
}

void StudioToolBar::setPlanned(const Planned& planned) {
    const QString need = needText(planned.plan);
    memory_->setText(need.isEmpty() ? tr("No plan") : need);
    memory_->setEnabled(!need.isEmpty() || !planned.issues.empty());
}

void StudioToolBar::setZoom(double percent) {
    zoom_->setText(tr("%1 %").arg(std::lround(percent)));
}

}  // namespace lowtide::ui
