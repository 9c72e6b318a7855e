#pragma once

#include "plugin/base/message.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide {

enum class Severity : uint8_t { Info, Warning, Error };

/// Something to report to a user, pinned to a node and, where one is to blame, to a port or
/// parameter (`item`). Hosts get it as JSON (docs/events.md).
struct Issue {
    Severity severity = Severity::Error;
    std::string code;
    std::string node;
    std::string item;
    Message message;
    Message hint;
    std::string facts;  ///< what a host may act on, as a JSON object; or empty
};

using Issues = std::vector<Issue>;

}  // namespace lowtide
