#include "ui/bridge/app_state.hpp"

namespace lowtide::ui {

AppState::AppState(Plugin& plugin, AtEnd atEnd, const QString& runs, QObject* parent)
    : QObject(parent),
      engine(plugin, atEnd),
      model(engine.catalog()),
      library(runs.isEmpty() ? nullptr : std::make_unique<RunLibrary>(runs)),
      queue(engine.runner(), library.get()),
      planning(engine.runner(), model),
      memory(engine.runner()),
      maintenance(engine),
      run(model, queue, planning, statuses) {
    connect(&planning, &Planning::answered, this, [this](const Planned& planned) {
        statuses.setChecked(planned.issues);
        statuses.setPlan(planned.plan);
    });
    connect(&queue, &RunQueue::ended, &planning, &Planning::askNow);
    connect(&maintenance, &MaintenanceJob::ended, &planning, &Planning::askNow);
    connect(&maintenance, &MaintenanceJob::ended, &memory, &MemoryFeed::askNow);
    connect(&model, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.isOther) {
            run.showOther();
        } else if (delta.reset) {
            run.forgetRuns();
        }
    });
}

}  // namespace lowtide::ui
