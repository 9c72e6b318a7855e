#pragma once
// What answers to hosts are made with: exceptions as issues and a status, and the day.

#include "plugin/host_api/runner.hpp"

#include <string>

namespace lowtide::module {

/// For a catch block: the exception as {"issues": [...]} in `result`, and the status that it means.
Status explainException(std::string& result) noexcept;

/// Nothing leaves the module as an exception: what `action` throws is explained in `result`.
template <class Action>
Status answer(std::string& result, const Action& action) noexcept {
    try {
        return action();
    } catch (...) {
        return explainException(result);
    }
}

/// "2026-11-21", in universal time.
[[nodiscard]] std::string today();

}  // namespace lowtide::module
