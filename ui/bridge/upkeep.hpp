#pragma once

#include "ui/bridge/background.hpp"
#include "ui/bridge/engine.hpp"

#include <QObject>
#include <QString>

#include <string>

namespace lowtide::ui {

/// What a person asks of the module between runs.
struct Chore {
    enum class Kind {
        Offload,  ///< components go off their device
        Unload,   ///< and their files are closed
        Measure   ///< the speeds of a device are measured, for plans
    };
    Kind kind = Kind::Offload;
    std::string what;  ///< a component, "all", or a device
};

/// Does chores one after the other on a thread of its own, since the module may take its time. GUI
/// thread only.
class Upkeep : public QObject {
    Q_OBJECT

public:
    /// `engine` must outlive it.
    explicit Upkeep(const Engine& engine, QObject* parent = nullptr);
    ~Upkeep() override;

    [[nodiscard]] bool canUnload() const;
    [[nodiscard]] bool canMeasure() const;

    void begin(const Chore& chore);

    /// Whether a chore is at work or waits.
    [[nodiscard]] bool isBusy() const { return open_ > 0; }

Q_SIGNALS:
    void began(const lowtide::ui::Chore& chore);
    /// `problem`: why it was not done, in plain words; empty: it was.
    void ended(const lowtide::ui::Chore& chore, const QString& problem);

private:
    void end(const Chore& chore, const QString& problem);

    const Engine& engine_;
    int open_ = 0;
    Background background_;
};

}  // namespace lowtide::ui
