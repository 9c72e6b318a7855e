#pragma once

#include "ui/bridge/device_memory.hpp"
#include "ui/bridge/engine.hpp"
#include "ui/bridge/node_status.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/bridge/run_control.hpp"
#include "ui/bridge/run_library.hpp"
#include "ui/bridge/run_queue.hpp"

#include <QObject>
#include <QString>

#include <memory>

namespace lowtide::ui {

/// Open graphs and the module that runs them, joined: what is planned and run shows on the nodes of
/// the one that is shown.
/// Knows no widget. GUI thread only.
class AppState : public QObject {
    Q_OBJECT

public:
    /// `plugin` was started. `runs`: the folder that keeps runs for good; empty: they go with the
    /// program.
    AppState(Plugin& plugin, AtEnd atEnd, const QString& runs = {}, QObject* parent = nullptr);

    Engine engine;
    GraphModel model;
    NodeStatuses statuses;
    const std::unique_ptr<RunLibrary> library;  ///< nullptr: there is none
    RunQueue queue;
    Planning planning;
    MemoryFeed memory;
    MaintenanceJob maintenance;
    RunControl run;
};

}  // namespace lowtide::ui
