#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "ui/bridge/run_control.hpp"

#include <QString>

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

/// Whether one and the same picture may be all that a policy gives: its cells have to be executed.
[[nodiscard]] bool variesMemory(const SheetPlan& plan);

/// The graph of one cell. Error{InvalidInput} says which value is refused, and why.
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

}  // namespace lowtide::ui
