#pragma once

#include "plugin/host_api/runner.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/bridge/preset_store.hpp"

#include <QObject>
#include <QThread>

namespace lowtide::ui {

/// What presets would need on this device: planned on a thread of its own, the one that was asked
/// for last. `runner` and `store` must outlive it. GUI thread only.
class PresetNeeds : public QObject {
    Q_OBJECT

public:
    PresetNeeds(Runner& runner, const PresetStore& store, QObject* parent = nullptr);
    /// Waits for the plan that is being made.
    ~PresetNeeds() override;

    /// Options of docs/events.md: device, memoryBudget.
    void setOptions(const Json& options) { options_ = options; }
    void ask(const QString& id);

Q_SIGNALS:
    void answered(const QString& id, const lowtide::ui::Planned& needs);

private:
    void answer(int number, const QString& id, const Planned& needs);

    Runner& runner_;
    const PresetStore& store_;
    Json options_ = Json::object();
    QThread thread_;
    QObject* worker_ = nullptr;  ///< lives on the thread
    int lastNumber_ = 0;
};

}  // namespace lowtide::ui
