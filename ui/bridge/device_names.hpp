#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

/// Cards of everyday sizes that can be rehearsed on: "fake:4GiB" ...
[[nodiscard]] std::vector<std::string> rehearsedCards();
/// "cpu", "cuda:0", and cards of everyday sizes that can be rehearsed on: what choosers offer, of
/// MemoryNow::devices.
[[nodiscard]] std::vector<std::string> deviceNames(const Json& devices);
/// How large the card is that `spec` rehearses on; 0: it is none, or its size is not stated.
[[nodiscard]] Bytes rehearsedBytes(const std::string& spec);

}  // namespace lowtide::ui
