#pragma once

#include "ui/bridge/background.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/bridge/preset_store.hpp"

#include <QObject>

namespace lowtide::ui {

/// What a preset would need on this device, planned without opening it; the newest question wins.
class PresetNeeds : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    PresetNeeds(const PresetStore& presets,
                Runner& runner,
                const Planning& planning,
                QObject* parent = nullptr);

    void ask(const QString& id);

Q_SIGNALS:
    void answered(const QString& id, const lowtide::ui::Planned& needs);

private:
    const PresetStore& presets_;
    Runner& runner_;
    const Planning& planning_;
    QString wanted_;
    Background background_;
};

}  // namespace lowtide::ui
