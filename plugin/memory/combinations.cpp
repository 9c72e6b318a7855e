#include "plugin/memory/combinations.hpp"

#include <algorithm>
#include <array>

namespace lowtide::memory {

namespace {

struct RefusalRow {
    bool (*applies)(const Combination& combination);
    const char* reason;
    const char* hint;
};

constexpr std::array<RefusalRow, 1> kRefusals = {
    {{[](const Combination& each) { return each.hasScales && each.isPatched; },
      "weights that are stored as f8 cannot take the changes of adapters: they would be lost in "
      "the rounding",
      "choose the storage bf16 or f16 for this node"}}};

}  // namespace

Judgement judge(const Combination& combination) {
    const auto refusal =
        std::find_if(kRefusals.begin(), kRefusals.end(), [&](const RefusalRow& row) {
            return row.applies(combination);
        });
    if (refusal != kRefusals.end()) {
        return {Verdict::Refused, {refusal->reason}, refusal->hint};
    }
    if (!combination.precision.lossy.empty()) {
        return {Verdict::Lossy, combination.precision.lossy};
    }
    return {};
}

bool hasScales(const ComponentTree& tree) {
    return std::any_of(tree.storages.begin(), tree.storages.end(), [](const Storage& storage) {
        return storage.scaleCount > 0;
    });
}

}  // namespace lowtide::memory
