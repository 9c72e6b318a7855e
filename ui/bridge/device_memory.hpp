#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/engine.hpp"

#include <QObject>
#include <QString>
#include <QTimer>

#include <string>
#include <vector>

namespace lowtide::ui {

/// Cards of everyday sizes that can be rehearsed on: "fake:4GiB" ...
[[nodiscard]] std::vector<std::string> rehearsedCards();
/// "cpu", "cuda:0", and cards of everyday sizes that can be rehearsed on: what choosers offer, of
/// MemoryNow::devices.
[[nodiscard]] std::vector<std::string> deviceNames(const Json& devices);
/// How large the card is that `spec` rehearses on; 0: it is none, or its size is not stated.
[[nodiscard]] Bytes rehearsedBytes(const std::string& spec);
/// Whether `spec` is a GPU that is only simulated.
[[nodiscard]] bool isRehearsal(const std::string& spec);

/// What is held now.
struct MemoryNow {
    Json ledger;   ///< Runner::memory: by device "total", "peak", "tags", "owners"; null: unknown
    Json devices;  ///< Runner::devices' list, of the last moment without a run; null: unknown
    Json cards{};  ///< likewise: the cards that plans may be for
};

/// The module's ledger, live: asked five times a second while a run lasts and once a second while
/// somebody watches, on a thread of its own; else not at all. GUI thread only.
class MemoryFeed : public QObject {
    Q_OBJECT

public:
    explicit MemoryFeed(Runner& runner, QObject* parent = nullptr);

    /// A run lasts.
    void setRunning(bool isRunning);
    /// A panel that shows it is visible.
    void setWatched(bool isWatched);

    [[nodiscard]] const MemoryNow& now() const { return now_; }

    /// Asks once, also when nobody watches.
    void askNow();

Q_SIGNALS:
    /// Only when something differs.
    void changed(const lowtide::ui::MemoryNow& now);

private:
    void adjust();
    void take(const MemoryNow& now);

    Runner& runner_;
    MemoryNow now_;
    bool isRunning_ = false;
    bool isWatched_ = false;
    bool isAsking_ = false;
    bool mustAskAgain_ = false;  ///< somebody wants a look that begins after now
    QTimer timer_;
    Background background_;
};

/// What a user asks of the module between runs.
struct MaintenanceTask {
    enum class Kind {
        Offload,  ///< components go off their device
        Unload,   ///< and their files are closed
        Measure   ///< the speeds of a device are measured, for plans
    };
    Kind kind = Kind::Offload;
    std::string what;  ///< a component, "all", or a device
};

/// Runs maintenance tasks one after the other on a thread of its own, since the module may take its
/// time. GUI thread only.
class MaintenanceJob : public QObject {
    Q_OBJECT

public:
    /// `engine` must outlive it.
    explicit MaintenanceJob(const Engine& engine, QObject* parent = nullptr);

    [[nodiscard]] bool canUnload() const { return engine_.canCall("unload"); }

    [[nodiscard]] bool canMeasure() const { return engine_.canCall("calibrate"); }

    void begin(const MaintenanceTask& task);

    /// Whether a task is at work or waits.
    [[nodiscard]] bool isBusy() const { return open_ > 0; }

Q_SIGNALS:
    void began(const lowtide::ui::MaintenanceTask& task);
    /// `problem`: why it was not done, in plain words; empty: it was.
    void ended(const lowtide::ui::MaintenanceTask& task, const QString& problem);

private:
    const Engine& engine_;
    int open_ = 0;
    Background background_;
};

}  // namespace lowtide::ui
