#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::ui {

/// A parameter and the values that it takes in turn.
struct Variation {
    std::string param;  ///< "node.param"; "node.precision" and "node.memory" are those of the node
    std::vector<std::string> values;
};

/// One combination of values: what is set in addition to the graph, in the order of the variations.
struct Variant {
    std::vector<std::string> settings;  ///< "node.param=value"

    /// The settings in one line, for users.
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
[[nodiscard]] std::vector<Variation> parseVariations(const std::vector<std::string>& texts);

/// Every combination, the last variation changing fastest; the first one has all first values.
/// Error{InvalidInput} when there are fewer than two or more than kMostVariants, or a parameter is
/// varied twice.
[[nodiscard]] std::vector<Variant> combinationsOf(const std::vector<Variation>& variations);

/// Numbers as users type them, each once, in their order: "4, 8, 12"; "1-5", "1-10 (+2)",
/// "1..5 step 0.5" with a distance (1 unless stated); "1-10 [4]", so many evenly apart.
/// `areIntegers`: they are rounded to whole numbers where they are shared out, others are refused.
/// Error{InvalidInput} names the part that cannot be read, or states that there are more than
/// kMostVariants.
[[nodiscard]] std::vector<std::string> numbersTyped(std::string_view text, bool areIntegers);

/// The lines that are not blank, each once. A single line is taken apart at its commas where
/// `areWords` is set.
[[nodiscard]] std::vector<std::string> linesTyped(std::string_view text, bool areWords);

/// The prompt with every `terms.front()` in it replaced by each of the terms; the first one leaves
/// it as it is. Error{InvalidInput} when there is no term, or the prompt does not hold the first.
[[nodiscard]] std::vector<std::string> replacedIn(const std::string& prompt,
                                                  const std::vector<std::string>& terms);

}  // namespace lowtide::ui
