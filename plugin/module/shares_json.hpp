#pragma once

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/stored_shares.hpp"

#include <vector>

namespace lowtide::module {

/// [{"storage", "tensors", "bytes"}].
[[nodiscard]] inline Json sharesJson(const std::vector<models::StoredShare>& shares) {
    Json all = Json::array();
    for (const models::StoredShare& share : shares) {
        all.push_back(
            {{"storage", share.storage}, {"tensors", share.tensors}, {"bytes", share.bytes}});
    }
    return all;
}

}  // namespace lowtide::module
