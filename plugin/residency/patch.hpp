#pragma once

#include "plugin/memory/component_ids.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lowtide::residency {

/// A change of one weight (an adapter). `add` gets the weight in f32, as the device holds it and as
/// the patches before this one left it, and changes it in place.
struct Patch {
    memory::WeightId weight = 0;
    std::function<void(at::Tensor& weight)> add;
};

/// The patches of one component, applied in order and in f32 to what arrives from the masters; the
/// sum is rounded once to the type that the device holds. Nothing is ever subtracted again.
struct PatchSet {
    uint64_t epoch = 0;  ///< changes with every change of the patches; 0: never had any
    std::vector<Patch> patches;
};

/// By id of the tree.
using PatchSets = std::map<std::string, PatchSet, std::less<>>;

}  // namespace lowtide::residency
