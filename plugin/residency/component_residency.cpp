#include "plugin/residency/component_residency.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/mutant.hpp"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <utility>

namespace lowtide::residency {

namespace {

/// What cuDNN looks at, at most.
constexpr uintptr_t kCheckedAlignment = 32;

/// A record reads copies of its inputs: where they would lie otherwise than the inputs do, other
/// kernels might compute with them.
bool lieAsCopies(const ForwardInputs& inputs) {
    return std::all_of(inputs.begin(), inputs.end(), [](const at::Tensor& input) {
        return !input.defined() ||
               (input.is_contiguous() &&
                reinterpret_cast<uintptr_t>(input.const_data_ptr()) % kCheckedAlignment == 0);
    });
}

}  // namespace

std::vector<ForwardReplay::InputSpec> ForwardReplay::inputSpecsOf(const ForwardInputs& inputs) {
    std::vector<InputSpec> inputSpecs;
    for (const at::Tensor& input : inputs) {
        inputSpecs.push_back(input.defined() ? InputSpec{.isDefined = true,
                                                         .sizes = input.sizes().vec(),
                                                         .type = input.scalar_type()}
                                             : InputSpec{});
    }
    return inputSpecs;
}

at::Tensor ForwardReplay::run(const ForwardInputs& inputs, bool areThere, const ForwardWork& work) {
    std::vector<InputSpec> inputSpecs = inputSpecsOf(inputs);
    const bool isKnown = inputSpecs == inputSpecs_;
    if (!isKnown && !record_) {
        inputSpecs_ = std::move(inputSpecs);
    }
    if (isRefused_ || !isKnown || !areThere || !lieAsCopies(inputs)) {
        return work(inputs);
    }
    if (!record_) {
        record(inputs, work);
    }
    if (!record_) {
        return work(inputs);
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].defined()) {
            inputs_[i].copy_(inputs[i]);
        }
    }
    record_->replay();
    return output_.clone();
}

void ForwardReplay::record(const ForwardInputs& inputs, const ForwardWork& work) {
    Device& device = *device_.device;
    const int64_t failedBefore = device.allocatorState().outOfMemory;
    inputs_.clear();
    try {
        for (const at::Tensor& input : inputs) {
            inputs_.push_back(input.defined() ? input.clone() : input);
        }
        isRecording_ = true;
        record_ = device.extras().record([&] { output_ = work(inputs_); });
        isRecording_ = false;
    } catch (const c10::Error& error) {
        forget();
        device_.check();
        if (device_.isLost) {
            throw;
        }
        isRefused_ = true;
        // Nothing was computed with what could not be allocated.
        device_.failuresAtEnter += device.allocatorState().outOfMemory - failedBefore;
        log(Level::Warning,
            "a pass on " + device_.id + " cannot be recorded and is computed every time: " +
                error.what_without_backtrace());
    } catch (...) {
        forget();
        throw;
    }
}

void ForwardReplay::forget() {
    isRecording_ = false;
    record_.reset();
    output_.reset();
    inputs_.clear();
    inputSpecs_.clear();
}

using memory::GroupId;
using memory::LeafId;
using memory::StreamStep;

ComponentResidency::ComponentResidency(GroupContext context, int64_t forwards, bool isToKeep)
    : context_(context),
      stream_(*context_.layout, forwards),
      uploadOrder_(*context_.layout),
      slots_(std::move(context)),
      isToKeep_(isToKeep) {}

ComponentResidency::~ComponentResidency() {
    if (isActive_) {
        leaveDevice({});
        context_.device.device->drain();
    }
}

void ComponentResidency::allowReplay(bool isAllowed) {
    replay_.reset();
    if (isAllowed) {
        replay_.emplace(context_.device);
    }
}

void ComponentResidency::own(std::unique_ptr<CountedArena> arena) {
    ownArena_ = std::move(arena);
}

std::byte* ComponentResidency::addressAt(Bytes offset) const {
    return context_.layout->isInPlace ? nullptr : region_ + offset;
}

void ComponentResidency::activate(const StopToken& stop, const std::string& node) {
    LOWTIDE_ASSERT(!isActive_ && (region_ || context_.layout->arenaBytes() == 0));
    isActive_ = true;
    uploadOrder_.begin();
    prefetch(stop, node);
    if (isToKeep_ || context_.layout->isFullyResident() || !context_.layout->prefetches) {
        bringResidents(uploadOrder_.rest(), stop, node);
    }
    for (GroupId group = 0; isToKeep_ && group < context_.layout->groups.size(); ++group) {
        bringResident(group, stop, node);
    }
}

void ComponentResidency::bringResidents(std::span<const GroupId> groups,
                                        const StopToken& stop,
                                        const std::string& node) {
    for (const GroupId group : groups) {
        bringResident(group, stop, node);
    }
}

void ComponentResidency::bringResident(GroupId group,
                                       const StopToken& stop,
                                       const std::string& node) {
    const memory::Group& planned = context_.layout->groups[group];
    if (planned.isResident && !slots_.isThere(group)) {
        slots_.bring(group, addressAt(planned.residentOffset), stop, node);
    }
}

void ComponentResidency::deactivate(const std::string& node) {
    LOWTIDE_ASSERT(!isLeased());
    if (isActive_) {
        leaveDevice(node);
    }
}

/// Every group, whatever becomes of another.
void ComponentResidency::leaveDevice(const std::string& node) noexcept {
    isActive_ = false;
    for (GroupId group = 0; group < context_.layout->groups.size(); ++group) {
        if (slots_.isThere(group)) {
            context_.accounting.noteThrown([&] { slots_.evict(group, node); });
        }
    }
    stream_.clear();
}

void ComponentResidency::abandon() {
    for (GroupId group = 0; group < context_.layout->groups.size(); ++group) {
        slots_.abandon(group);
    }
}

bool ComponentResidency::holds(LeafId leaf) const {
    const auto& groups = context_.layout->leafGroups[leaf];
    return std::none_of(groups.begin(), groups.end(), [this](GroupId group) {
        return context_.layout->groups[group].storages.empty();
    });
}

void ComponentResidency::beginForward(const memory::ForwardHint& hint) {
    stream_.beginForward(hint);
}

void ComponentResidency::use(LeafId leaf, const StopToken& stop, const std::string& node) {
    const std::vector<GroupId>& groups = context_.layout->leafGroups[leaf];
    const int64_t missesBefore = stream_.misses();
    const auto steps = stream_.use(groups);
    if (!steps) {
        throw Error(ErrorKind::OutOfMemory,
                    message("node {}: {}.{} finds no space next to weights that are in use",
                            node,
                            context_.tree->role,
                            context_.tree->leaves[leaf].name),
                    message("give the node a larger budget, or a policy that holds more"));
    }
    if (stream_.misses() > missesBefore) {
        context_.accounting.traffic.addMiss();
    }
    take(*steps, stop, node);
    for (const GroupId group : groups) {
        bringResident(group, stop, node);
    }
    for (const GroupId group : groups) {
        slots_.waitFor(group);
    }
    slots_.applyDeltas(leaf, stop);
}

void ComponentResidency::prefetch(const StopToken& stop, const std::string& node) {
    take(stream_.prefetch(), stop, node);
}

void ComponentResidency::take(const std::vector<StreamStep>& steps,
                              const StopToken& stop,
                              const std::string& node) {
    for (const StreamStep& step : steps) {
        if (step.kind == StreamStep::Kind::Evict) {
            slots_.evict(step.group, node);
        } else {
            bringResidents(uploadOrder_.before(step.group), stop, node);
            slots_.bring(
                step.group, addressAt(context_.layout->residentBytes + step.offset), stop, node);
            bringResidents(uploadOrder_.after(step.group), stop, node);
        }
    }
}

void ComponentResidency::lease(LeafId leaf) {
    ++leases_;
    for (const GroupId group : context_.layout->leafGroups[leaf]) {
        if (!isMutant(Mutant::LeasedIsEvicted)) {
            stream_.lease(group);
        }
    }
}

void ComponentResidency::release(LeafId leaf) noexcept {
    --leases_;
    const bool isRecording = replay_ && replay_->isRecording();  // nothing of it is done now
    for (const GroupId group : context_.layout->leafGroups[leaf]) {
        if (!isMutant(Mutant::LeasedIsEvicted)) {
            context_.accounting.noteThrown([&] { stream_.release(group); });
        }
        if (!isMutant(Mutant::ReusedEarly) && !isRecording) {
            slots_.noteUse(group);
        }
    }
}

at::Tensor ComponentResidency::runForward(const ForwardInputs& inputs,
                                          const ForwardWork& work,
                                          const std::string& node) {
    if (!replay_) {
        return work(inputs);
    }
    const bool wasRecorded = replay_->hasRecord();
    at::Tensor result = replay_->run(inputs, slots_.isSettled(), work);
    if (!replay_->hasRecord()) {
        return result;
    }
    if (!wasRecorded) {
        context_.accounting.ledger.event(
            "record", context_.device.id, node, context_.tree->role, 0);
    }
    slots_.noteUses();
    return result;
}

void ComponentResidency::forgetForward() {
    if (replay_) {
        replay_->forget();
    }
}

bool ComponentResidency::isComplete() const {
    for (GroupId group = 0; group < context_.layout->groups.size(); ++group) {
        if (!slots_.isComplete(group)) {
            return false;
        }
    }
    return isActive_;
}

/// Also what the ring buffer was to have and nobody brought, because a copy before it failed.
void ComponentResidency::dropIncomplete(const std::string& node) {
    for (GroupId group = 0; group < context_.layout->groups.size(); ++group) {
        if (slots_.isThere(group) && !slots_.isComplete(group)) {
            slots_.evict(group, node);
        }
        if (!slots_.isThere(group)) {
            stream_.forget(group);
        }
    }
}

}  // namespace lowtide::residency
