#pragma once

#include "plugin/host_api/runner.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/sheet_plan.hpp"

#include <QObject>
#include <QString>

#include <atomic>
#include <memory>

namespace lowtide::ui {

/// What the runs of a sheet would take, as far as it is planned by now.
struct SheetForecast {
    size_t cells = 0;
    size_t planned = 0;
    double seconds = 0;  ///< of those that are planned
    size_t unknown = 0;  ///< planned without a time: the module is at work on a run
    size_t refused = 0;  ///< cells that cannot be run as they are
    QString problem;     ///< of the first of them
};

/// Plans the runs of a sheet one after the other, on another thread. A new question ends the one
/// before. Its own end does not wait for the cell that is being planned. GUI thread only.
class SheetEstimate : public QObject {
    Q_OBJECT

public:
    /// `background` must outlive it, and `runner` that.
    SheetEstimate(Runner& runner, Background& background, QObject* parent = nullptr);
    ~SheetEstimate() override;

    /// Options of docs/events.md.
    void ask(const SheetPlan& plan,
             const graph::Document& document,
             const graph::Catalog& catalog,
             const Json& options);
    /// Nothing is asked any more.
    void forget();

    [[nodiscard]] const SheetForecast& forecast() const { return forecast_; }

Q_SIGNALS:
    /// After each cell.
    void changed(const lowtide::ui::SheetForecast& forecast);

private:
    struct Planned;
    void take(const QString& title, const Planned& planned);

    Runner& runner_;
    SheetForecast forecast_;
    std::shared_ptr<std::atomic<int>> question_;  ///< the number of the newest
    Background& background_;
};

}  // namespace lowtide::ui
