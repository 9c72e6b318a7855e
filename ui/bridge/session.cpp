#include "ui/bridge/session.hpp"

namespace lowtide::ui {

Session::Session(Plugin& plugin, AtEnd atEnd, const QString& runs, QObject* parent)
    : QObject(parent),
      engine(plugin, atEnd),
      model(engine.catalog()),
      library(runs.isEmpty() ? nullptr : std::make_unique<RunLibrary>(runs)),
      queue(engine.runner(), library.get()),
      planning(engine.runner(), model),
      memory(engine.runner()),
      upkeep(engine),
      run(model, queue, planning, statuses) {
    connect(&planning, &Planning::answered, this, [this](const Planned& planned) {
        statuses.setChecked(planned.issues);
        statuses.setPlan(planned.plan);
    });
    connect(&queue, &RunQueue::ended, &planning, &Planning::askNow);
    connect(&upkeep, &Upkeep::ended, &planning, &Planning::askNow);
    connect(&upkeep, &Upkeep::ended, &memory, &MemoryFeed::askNow);
    connect(&model, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.reset) {
            run.forgetRuns();
        }
    });
}

}  // namespace lowtide::ui
