#pragma once

#include "plugin/sampling/step_caches/gates/step_gate.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::sampling {

/// Reads a mask of steps: "1" is computed, "0" is reused, blanks and commas are passed over. True
/// stands for computed. Error{InvalidInput} blames "mask" for other characters, for a mask without
/// steps or too many of them, and for one that reuses the first step, where nothing is cached yet.
[[nodiscard]] std::vector<bool> parseStepMask(std::string_view text);
/// What parseStepMask() reads, of a file: a text of 0 and 1 in lines or not, or JSON, a list of
/// them or an object with one in "schedule_mask" (BudCache's searches) or "mask". `what` names it
/// in messages. Error{Corrupt} blames "mask_file".
[[nodiscard]] std::string stepMaskTextIn(std::string_view text, const std::string& what);
/// Error{InvalidInput} that blames "mask" unless it has `stepCount` steps.
void checkStepMask(const std::vector<bool>& mask, int stepCount);

/// Reuses what the mask says. It must have passed checkStepMask(): a step beyond it is computed.
[[nodiscard]] std::unique_ptr<StepGate> maskGate(std::vector<bool> mask);

}  // namespace lowtide::sampling
