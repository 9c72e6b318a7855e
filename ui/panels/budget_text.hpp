#pragma once

#include "plugin/base/units.hpp"

#include <QString>

#include <optional>
#include <string>

namespace lowtide::ui {

/// As documents have it: "6GiB", "1536MiB", "4097".
[[nodiscard]] std::string budgetText(Bytes bytes);
/// Why a text is not a budget, in a sentence; empty where it is one, or where the text is empty.
[[nodiscard]] QString budgetProblem(const QString& text);
/// What a document says for `text` that has no problem; empty: nothing.
[[nodiscard]] std::optional<std::string> statedBudget(const QString& text);
/// What is stated of the run's device; empty: nothing, or it cannot be read.
[[nodiscard]] std::optional<Bytes> budgetOf(const std::string& stated, const std::string& device);
/// `stated` with another size of one device, of which `bound` was stated by name or, of the run's
/// own, without one; what it says of others stays.
[[nodiscard]] std::string withBudget(const std::string& stated,
                                     const std::string& device,
                                     Bytes bound,
                                     Bytes size);
/// The next figure above that a person would write: steps of a sixteenth of its power of two.
[[nodiscard]] Bytes roundedUp(Bytes bytes);

}  // namespace lowtide::ui
