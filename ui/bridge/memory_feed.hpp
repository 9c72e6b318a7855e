#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"

#include <QObject>

#include <memory>

namespace lowtide::ui {

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
    ~MemoryFeed() override;

    /// A run lasts.
    void setRunning(bool isRunning);
    /// A panel that shows it is visible.
    void setWatched(bool isWatched);
    [[nodiscard]] const MemoryNow& now() const;
    /// Asks once, also when nobody watches.
    void askNow();

Q_SIGNALS:
    /// Only when something differs.
    void changed(const lowtide::ui::MemoryNow& now);

private:
    struct State;
    void adjust();
    void take(const MemoryNow& now);

    std::unique_ptr<State> state_;
};

}  // namespace lowtide::ui
