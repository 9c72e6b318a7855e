#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/run_control.hpp"

#include <QObject>
#include <QString>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// Items of a node that are no parameters of its own.
inline constexpr const char* kMemoryItem = "memory";
inline constexpr const char* kPrecisionItem = "precision";

struct SheetValue {
    std::string value;  ///< as the command reads it
    QString label;

    bool operator==(const SheetValue&) const = default;
};

/// What differs from column to column, or from row to row.
struct SheetAxis {
    std::string node;
    std::string item;   ///< a parameter, kMemoryItem or kPrecisionItem
    QString nodeLabel;  ///< "Denoise"
    QString label;      ///< "Steps"
    std::vector<SheetValue> values;

    /// "Denoise: Steps".
    [[nodiscard]] QString title() const;
    bool operator==(const SheetAxis&) const = default;
};

/// Runs of one graph that differ in one or two parameters: columns are `x`, rows are `y`.
struct SheetPlan {
    SheetAxis x;
    std::optional<SheetAxis> y;
    /// Every cell executes all of its nodes, so that times and peaks can be compared.
    bool isMeasured = false;

    [[nodiscard]] size_t columns() const { return x.values.size(); }

    [[nodiscard]] size_t rows() const { return y ? y->values.size() : 1; }

    [[nodiscard]] size_t cells() const { return columns() * rows(); }

    /// "Steps 8, CFG 7".
    [[nodiscard]] QString cellTitle(size_t cell) const;
    /// The same without the names: "8, 7".
    [[nodiscard]] QString cellValues(size_t cell) const;
    bool operator==(const SheetPlan&) const = default;
};

/// Whether one and the same image may be all that a policy gives: its cells have to be executed.
[[nodiscard]] bool variesMemory(const SheetPlan& plan);

/// The graph with these "node.param=value". Error{InvalidInput} states which one is refused, and
/// why.
[[nodiscard]] graph::Document documentWith(const std::vector<std::string>& settings,
                                           const graph::Document& document,
                                           const graph::Catalog& catalog);
/// The graph of one cell. Error{InvalidInput} states which value is refused, and why.
[[nodiscard]] graph::Document cellOf(const SheetPlan& plan,
                                     size_t cell,
                                     const graph::Document& document,
                                     const graph::Catalog& catalog);
/// Of all cells, row by row. Errors are those of cellOf and of combinationsOf.
[[nodiscard]] std::vector<RunControl::Variant> variantsOf(const SheetPlan& plan,
                                                          const graph::Document& document,
                                                          const graph::Catalog& catalog);

/// As it is kept with the runs.
[[nodiscard]] std::string toText(const SheetPlan& plan);
/// nullopt: the text is no plan.
[[nodiscard]] std::optional<SheetPlan> sheetPlanFrom(const std::string& text);

/// What the runs of a sheet would take, as far as it is planned by now.
struct SheetForecast {
    size_t cells = 0;
    size_t planned = 0;
    double seconds = 0;        ///< of those that are planned
    bool isRehearsal = false;  ///< they are those of the GPU that one of them simulates
    size_t unknown = 0;        ///< planned without a time: the module is at work on a run
    size_t refused = 0;        ///< cells that cannot be run as they are
    QString problem;           ///< of the first of them
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
