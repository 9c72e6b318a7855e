#pragma once

#include <string>
#include <vector>

namespace lowtide::ui {

/// A parameter and the values that it takes in turn.
struct Variation {
    std::string param;  ///< "node.param"; "node.precision" and "node.memory" are those of the node
    std::vector<std::string> values;
};

/// One combination of values: what is set beside the graph, in the order of the variations.
struct Variant {
    std::vector<std::string> settings;  ///< "node.param=value"

    /// The settings in one line, for people.
    [[nodiscard]] std::string name() const;
};

/// Settings of variants by what applies them.
struct AppliedSettings {
    std::vector<std::string> params;      ///< "node.param=value"
    std::vector<std::string> precisions;  ///< "node=precision", of "node.precision=precision"
    std::vector<std::string> policies;    ///< "node=policy", of "node.memory=policy"
};

[[nodiscard]] AppliedSettings appliedSettings(const std::vector<std::string>& settings);

/// Most variants of one comparison or sheet.
inline constexpr size_t kMostVariants = 100;

/// Reads "node.param=a,b,c". "\," is a comma inside of a value, "\\" a backslash.
/// Error{InvalidInput} when there is no "=" or no parameter.
[[nodiscard]] Variation parseVariation(const std::string& text);

/// Every combination, the last variation changing fastest; the first one has all first values.
/// Error{InvalidInput} when there are fewer than two or more than kMostVariants, or a parameter is
/// varied twice.
[[nodiscard]] std::vector<Variant> combinationsOf(const std::vector<Variation>& variations);

}  // namespace lowtide::ui
