#pragma once
// Small component trees for tests, without files.

#include "plugin/memory/component_tree.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lowtide::testing {

/// A tree of one leaf per entry of `elementCounts`, one weight each, at 64-byte offsets of one
/// file.
inline std::shared_ptr<const memory::ComponentTree> tree(const std::string& role,
                                                         const std::vector<int64_t>& elementCounts,
                                                         DType fileType = DType::F32,
                                                         DType computeType = DType::F32) {
    auto made = std::make_shared<memory::ComponentTree>();
    made->id = role + "-id";
    made->role = role;
    made->network = "TestNetwork";
    made->files = {{.path = role + ".safetensors"}};
    int64_t offset = 0;
    for (size_t i = 0; i < elementCounts.size(); ++i) {
        const auto index = static_cast<uint32_t>(i);
        const std::string name = "layer." + std::to_string(i) + ".weight";
        made->storages.push_back({.key = name,
                                  .fileOffset = offset,
                                  .fileType = fileType,
                                  .elementCount = elementCounts[i]});
        made->weights.push_back({.name = name,
                                 .storage = index,
                                 .computeType = computeType,
                                 .shape = {elementCounts[i]}});
        made->leaves.push_back({.name = "layer." + std::to_string(i), .weights = {index}});
        offset += alignUp(elementCounts[i] * sizeOf(fileType), 64);
    }
    return made;
}

}  // namespace lowtide::testing
