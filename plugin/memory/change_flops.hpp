#pragma once

#include <vector>

namespace lowtide::memory {

struct ComponentTree;

/// What the changes of each storage cost when they are added once, in operations: a factor as large
/// as its weight is added, smaller ones are multiplied first. Known from shapes alone, so for kinds
/// that multiply otherwise than low ranks do (Kronecker products) an estimate.
[[nodiscard]] std::vector<double> changeFlopsOfStorages(const ComponentTree& tree);

}  // namespace lowtide::memory
