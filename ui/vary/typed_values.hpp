#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::ui {

/// Numbers as people type them, each once, in their order: "4, 8, 12"; "1-5", "1-10 (+2)",
/// "1..5 step 0.5" with a distance (1 unless stated); "1-10 [4]", so many evenly apart.
/// `areWhole`: they are rounded to whole numbers where they are shared out, others are refused.
/// Error{InvalidInput} names the part that cannot be read, or says that there are more than
/// kMostVariants.
[[nodiscard]] std::vector<std::string> numbersTyped(std::string_view text, bool areWhole);

/// The lines that say something, each once. A single line is taken apart at its commas where
/// `areWords` says so.
[[nodiscard]] std::vector<std::string> linesTyped(std::string_view text, bool areWords);

/// The prompt with every `terms.front()` in it replaced by each of the terms; the first one leaves
/// it as it is. Error{InvalidInput} when there is no term, or the prompt does not hold the first.
[[nodiscard]] std::vector<std::string> replacedIn(const std::string& prompt,
                                                  const std::vector<std::string>& terms);

}  // namespace lowtide::ui
