#pragma once

#include "plugin/host_api/runner.hpp"
#include "ui/bridge/background.hpp"

#include <QObject>
#include <QString>

#include <functional>

namespace lowtide::ui {

/// Opens and starts the module; throws Error with the reason.
using OpenModule = std::function<Plugin&()>;

/// Starts the module on a thread of its own, so that the window is there at once. Its signals
/// arrive on the thread of this object.
class EngineStart : public QObject {
    Q_OBJECT

public:
    explicit EngineStart(OpenModule open, QObject* parent = nullptr);
    /// Tries, also once more after a refusal. Does nothing while it tries.
    void begin();

Q_SIGNALS:
    void started(lowtide::Plugin* plugin);
    /// What failed and what to do, in plain words.
    void refused(const QString& message, const QString& hint);

private:
    OpenModule open_;
    bool isTrying_ = false;
    Background background_;  ///< a start that is under way is waited for
};

}  // namespace lowtide::ui
