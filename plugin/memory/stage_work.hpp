#pragma once
// What a stage does and takes, known from shapes alone: which leaves it uses in which forwards, and
// what it holds in addition to its weights.

#include "plugin/base/units.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/device_spec.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {

/// Which forward begins: forwards of one pattern use the same leaves (a full step, a partial step).
struct ForwardHint {
    uint32_t pattern = 0;
    uint32_t next = 0;  ///< pattern of the forward after it

    bool operator==(const ForwardHint&) const = default;
};

/// One use of a leaf in one forward.
struct LeafUse {
    LeafId leaf = 0;
    double flops = 0;  ///< of its matrix products; what works element by element counts nothing

    bool operator==(const LeafUse&) const = default;
};

/// One kind of forward over a component: its leaves in the order of their leases.
using AccessPattern = std::vector<LeafUse>;

struct ComponentTree;

/// What one component does in a stage: one forward in the order of its leases, and how often. Where
/// forwards differ by more than their length, the others' patterns too.
struct ComponentWork {
    std::shared_ptr<const ComponentTree> tree;
    AccessPattern forward;  ///< of pattern 0
    int64_t forwards = 1;
    std::map<uint32_t, AccessPattern> others{};  ///< by number, without 0
    /// What each forward states at its beginning; empty: they are all of pattern 0.
    std::vector<ForwardHint> sequence{};

    bool operator==(const ComponentWork&) const = default;

    [[nodiscard]] const AccessPattern& pattern(uint32_t number) const {
        const auto found = others.find(number);
        return found == others.end() ? forward : found->second;
    }

    /// What forward `index` states at its beginning.
    [[nodiscard]] ForwardHint hint(int64_t index) const {
        return sequence.empty() ? ForwardHint() : sequence[static_cast<size_t>(index)];
    }
};

/// Forwards of one component, with none of another between.
struct ComponentBurst {
    size_t component = 0;  ///< index into StageWork::components
    int64_t forwards = 0;

    bool operator==(const ComponentBurst&) const = default;
};

/// A device on which a stage computes.
struct StageDevice {
    DeviceSpec spec{};           ///< the host, where nothing is stated
    bool decodesAtOnce = false;  ///< DeviceTraits
    bool isThere = true;         ///< else nobody can be asked what its operators take
};

/// Where a stage computes, and what it takes from other devices.
struct StageDevices {
    StageDevice device{};
    std::vector<std::string> elsewhere{};  ///< ports of inputs that lie on another device
    /// By role: of components that compute on another device than the stage, which is its first
    /// one's.
    std::map<std::string, StageDevice, std::less<>> rolesElsewhere{};
    bool previews = false;  ///< it shows what it is making

    [[nodiscard]] bool isElsewhere(std::string_view port) const {
        return std::find(elsewhere.begin(), elsewhere.end(), port) != elsewhere.end();
    }
};

/// What a stage takes in addition to its weights, known from shapes alone.
struct StageWork {
    /// Most bytes of tensors at once on the stage's device, beyond the inputs that lie there
    /// already; what leaves on wires is part of it, and copies of inputs from elsewhere.
    Bytes activations = 0;
    /// By device, without the stage's own: most bytes at once of what its components make there,
    /// and on the host what a stage of any device makes in host memory (noise, schedules, rows of
    /// tables, images in 8 bits).
    std::map<std::string, Bytes, std::less<>> elsewhere{};
    /// That is all of the stage where components compute; else any of its activations may lie there
    /// too.
    bool knowsElsewhere = false;
    /// Of the activations the most that one operator was only guessed to take in addition to its
    /// tensors.
    Bytes guessed = 0;
    /// What kernels take in addition to tensors and no allocator of ours sees; 0 on cpu and fake,
    /// where the scratch memory of MKL's products is in no ledger.
    Bytes workspace = 0;
    std::vector<ComponentWork> components;  ///< in the order of their first lease
    /// In their order, where components come more than once; empty: one after the other.
    std::vector<ComponentBurst> bursts{};

    bool operator==(const StageWork&) const = default;
};

/// How a stage takes less memory at the price of other results: by another value of a parameter.
struct SmallerWork {
    std::string param;
    std::vector<int64_t> values{};  ///< the mildest first
    /// Nothing: the value does not go with the stage's others.
    std::function<std::optional<StageWork>(int64_t value)> work{};
};

}  // namespace lowtide::memory
