#pragma once

#include "plugin/memory/component_tree.hpp"

#include <memory>

namespace lowtide::executor {

/// A network of one weight, in one file.
inline std::shared_ptr<const memory::ComponentTree> networkOf(Bytes bytes) {
    auto tree = std::make_shared<memory::ComponentTree>();
    tree->id = "network";
    tree->role = "network";
    tree->storages = {{.key = "w", .fileType = DType::U8, .elementCount = bytes}};
    tree->weights = {{.name = "w", .computeType = DType::U8, .shape = {bytes}}};
    tree->leaves = {{.name = "w", .weights = {0}}};
    return tree;
}

}  // namespace lowtide::executor
