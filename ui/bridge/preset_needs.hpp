#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/bridge/preset_store.hpp"

#include <QObject>

namespace lowtide::ui {

/// What presets would need on this device, planned on a thread of its own. Who asks for another
/// one gets the answer of the last only. `runner` and `store` must outlive it. GUI thread only.
class PresetNeeds : public QObject {
    Q_OBJECT

public:
    PresetNeeds(Runner& runner, const PresetStore& store, QObject* parent = nullptr);

    /// Options of docs/events.md: device, as, memoryBudget. Others than before: the preset that was
    /// asked for last is asked for again.
    void setOptions(const Json& options);

    void ask(const QString& id);

Q_SIGNALS:
    void answered(const QString& id, const lowtide::ui::Planned& needs);

private:
    Runner& runner_;
    const PresetStore& store_;
    Json options_ = Json::object();
    QString last_;  ///< asked for
    int lastNumber_ = 0;
    Background background_;
};

}  // namespace lowtide::ui
