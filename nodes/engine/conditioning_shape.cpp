#include "nodes/engine/conditioning_shape.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/ATen.h>

#include <string>
#include <utility>
#include <vector>

namespace lowtide::nodes {

models::ConditioningOutline outlineOf(const ConditioningShape& known, const char* item) {
    if (const auto* outline =
            dynamic_cast<const models::ConditioningOutline*>(known.entries.get())) {
        return *outline;
    }
    requireThat(known.shape.size() == 3,
                "the input " + std::string(item) + " is " + toText(known.shape),
                "connect a conditioning",
                item);
    return {{{.name = tensor::kEmbeds, .width = known.shape[2]}},
            {{.tensors = {{tensor::kEmbeds, known.shape}}}}};
}

models::ConditioningOutline outlineOf(const tensor::Conditioning& conditioning) {
    std::vector<models::EntryOutline> entries;
    for (const tensor::ConditioningEntry& entry : conditioning.entries()) {
        models::EntryOutline& outline =
            entries.emplace_back(models::EntryOutline{.scope = entry.scope});
        for (const auto& [name, tensor] : entry.tensors) {
            outline.tensors.emplace(name, tensor.sizes().vec());
        }
    }
    return {conditioning.fields(), std::move(entries)};
}

}  // namespace lowtide::nodes
