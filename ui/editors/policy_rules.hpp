#pragma once
// What a policy cannot be, with the sentence that a person sees: memory::judge asked about choices
// that were not made yet.

#include "plugin/memory/policy.hpp"

#include <QString>

namespace lowtide::ui {

/// Why the policy cannot stream, take a budget, or keep its component; empty: it can.
[[nodiscard]] QString streamRefusal(memory::Policy policy);
[[nodiscard]] QString budgetRefusal(memory::Policy policy);
[[nodiscard]] QString keepRefusal(memory::Policy policy);

/// The policy without the choices that its name refuses.
[[nodiscard]] memory::Policy withoutRefused(memory::Policy policy);

}  // namespace lowtide::ui
