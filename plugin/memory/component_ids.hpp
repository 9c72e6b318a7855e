#pragma once
// Numbers by which a component tree's parts are named; each counts from 0 in its own tree.

#include <cstdint>

namespace lowtide::memory {

using StorageId = uint32_t;
using WeightId = uint32_t;
using LeafId = uint32_t;

}  // namespace lowtide::memory
