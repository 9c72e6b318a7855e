#pragma once
// Cards: those that plans may be for, and cuDNN's convolution API on those that run.

#include "plugin/base/issue.hpp"
#include "plugin/memory/card.hpp"
#include "plugin/memory/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::module {

/// The cards of resources/cards. Error{Corrupt} or Error{NotFound} names the file.
[[nodiscard]] std::vector<memory::Card> knownCards(const std::string& path);

/// A warning for a card that LibTorch has no code for; nothing where it has.
[[nodiscard]] std::optional<Issue> warningOf(const memory::Card& card);

/// Why no run can be had on a card that is only planned for, and what to do.
[[nodiscard]] Issue runRefusal(const memory::Card& card);

/// The card as lists have it: its facts, and whether LibTorch has no code for it.
[[nodiscard]] Json listedCard(const memory::Card& card);

/// The card as its plan has it: its facts, and what of the plan is an estimate.
[[nodiscard]] Json plannedCard(const memory::Card& card, const memory::Plan& plan);

/// Chooses cuDNN's convolution API for this process: "auto" leaves it to LibTorch, "v7" and "v8"
/// name which. Before the first convolution, since LibTorch asks once. `problem`: why there is no
/// GPU, empty where there is one. Gives what a report states. Error{InvalidInput} for another name.
[[nodiscard]] std::string chooseCudnnApi(const std::string& name, const std::string& problem);

}  // namespace lowtide::module
