#include "plugin/residency/stay.hpp"

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
bool lieAsCopies(const PassInputs& inputs) {
    return std::all_of(inputs.begin(), inputs.end(), [](const at::Tensor& input) {
        return !input.defined() ||
               (input.is_contiguous() &&
                reinterpret_cast<uintptr_t>(input.const_data_ptr()) % kCheckedAlignment == 0);
    });
}

}  // namespace

std::vector<PassReplay::Outline> PassReplay::outlinesOf(const PassInputs& inputs) {
    std::vector<Outline> outlines;
    for (const at::Tensor& input : inputs) {
        outlines.push_back(input.defined() ? Outline{.isDefined = true,
                                                     .sizes = input.sizes().vec(),
                                                     .type = input.scalar_type()}
                                           : Outline{});
    }
    return outlines;
}

at::Tensor PassReplay::run(const PassInputs& inputs, bool areThere, const PassWork& work) {
    std::vector<Outline> outlines = outlinesOf(inputs);
    const bool isKnown = outlines == outlines_;
    if (!isKnown && !record_) {
        outlines_ = std::move(outlines);
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

void PassReplay::record(const PassInputs& inputs, const PassWork& work) {
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

void PassReplay::forget() {
    isRecording_ = false;
    record_.reset();
    output_.reset();
    inputs_.clear();
    outlines_.clear();
}

using memory::GroupId;
using memory::LeafId;
using memory::StreamStep;

Stay::Stay(GroupPlace place, int64_t passes, bool isToKeep)
    : place_(place),
      stream_(*place_.layout, passes),
      arrivals_(*place_.layout),
      slots_(std::move(place)),
      isToKeep_(isToKeep) {}

Stay::~Stay() {
    if (isActive_) {
        leaveDevice({});
        place_.device.device->drain();
    }
}

void Stay::allowReplay(bool isAllowed) {
    replay_.reset();
    if (isAllowed) {
        replay_.emplace(place_.device);
    }
}

void Stay::own(std::unique_ptr<CountedArena> arena) {
    ownArena_ = std::move(arena);
}

std::byte* Stay::addressAt(Bytes offset) const {
    return place_.layout->isInPlace ? nullptr : region_ + offset;
}

void Stay::activate(const StopToken& stop, const std::string& node) {
    LOWTIDE_ASSERT(!isActive_ && (region_ || place_.layout->arenaBytes() == 0));
    isActive_ = true;
    arrivals_.begin();
    prefetch(stop, node);
    if (isToKeep_ || place_.layout->isWhole() || !place_.layout->prefetches) {
        bringResidents(arrivals_.rest(), stop, node);
    }
    for (GroupId group = 0; isToKeep_ && group < place_.layout->groups.size(); ++group) {
        bringResident(group, stop, node);
    }
}

void Stay::bringResidents(std::span<const GroupId> groups,
                          const StopToken& stop,
                          const std::string& node) {
    for (const GroupId group : groups) {
        bringResident(group, stop, node);
    }
}

void Stay::bringResident(GroupId group, const StopToken& stop, const std::string& node) {
    const memory::Group& planned = place_.layout->groups[group];
    if (planned.isResident && !slots_.isThere(group)) {
        slots_.bring(group, addressAt(planned.residentOffset), stop, node);
    }
}

void Stay::deactivate(const std::string& node) {
    LOWTIDE_ASSERT(!isLeased());
    if (isActive_) {
        leaveDevice(node);
    }
}

/// Every group, whatever becomes of another.
void Stay::leaveDevice(const std::string& node) noexcept {
    isActive_ = false;
    for (GroupId group = 0; group < place_.layout->groups.size(); ++group) {
        if (slots_.isThere(group)) {
            place_.books.noteThrown([&] { slots_.evict(group, node); });
        }
    }
    stream_.clear();
}

void Stay::abandon() {
    for (GroupId group = 0; group < place_.layout->groups.size(); ++group) {
        slots_.abandon(group);
    }
}

bool Stay::holds(LeafId leaf) const {
    const auto& groups = place_.layout->leafGroups[leaf];
    return std::none_of(groups.begin(), groups.end(), [this](GroupId group) {
        return place_.layout->groups[group].storages.empty();
    });
}

void Stay::beginPass(const memory::PassHint& hint) {
    stream_.beginPass(hint);
}

void Stay::use(LeafId leaf, const StopToken& stop, const std::string& node) {
    const std::vector<GroupId>& groups = place_.layout->leafGroups[leaf];
    const int64_t missesBefore = stream_.misses();
    const auto steps = stream_.use(groups);
    if (!steps) {
        throw Error(ErrorKind::OutOfMemory,
                    message("node {}: {}.{} finds no room beside weights that are in use",
                            node,
                            place_.tree->role,
                            place_.tree->leaves[leaf].name),
                    message("give the node a larger budget, or a policy that holds more"));
    }
    if (stream_.misses() > missesBefore) {
        place_.books.traffic.addMiss();
    }
    take(*steps, stop, node);
    for (const GroupId group : groups) {
        bringResident(group, stop, node);
    }
    for (const GroupId group : groups) {
        slots_.waitFor(group);
    }
    slots_.applyChanges(leaf, stop);
}

void Stay::prefetch(const StopToken& stop, const std::string& node) {
    take(stream_.prefetch(), stop, node);
}

void Stay::take(const std::vector<StreamStep>& steps,
                const StopToken& stop,
                const std::string& node) {
    for (const StreamStep& step : steps) {
        if (step.kind == StreamStep::Kind::Evict) {
            slots_.evict(step.group, node);
        } else {
            bringResidents(arrivals_.before(step.group), stop, node);
            slots_.bring(
                step.group, addressAt(place_.layout->residentBytes + step.offset), stop, node);
            bringResidents(arrivals_.after(step.group), stop, node);
        }
    }
}

void Stay::lease(LeafId leaf) {
    ++leases_;
    for (const GroupId group : place_.layout->leafGroups[leaf]) {
        if (!isMutant(Mutant::LeasedIsEvicted)) {
            stream_.lease(group);
        }
    }
}

void Stay::release(LeafId leaf) noexcept {
    --leases_;
    const bool isRecording = replay_ && replay_->isRecording();  // nothing of it is done now
    for (const GroupId group : place_.layout->leafGroups[leaf]) {
        if (!isMutant(Mutant::LeasedIsEvicted)) {
            place_.books.noteThrown([&] { stream_.release(group); });
        }
        if (!isMutant(Mutant::ReusedEarly) && !isRecording) {
            slots_.noteUse(group);
        }
    }
}

at::Tensor Stay::runPass(const PassInputs& inputs, const PassWork& work, const std::string& node) {
    if (!replay_) {
        return work(inputs);
    }
    const bool wasRecorded = replay_->hasRecord();
    at::Tensor result = replay_->run(inputs, slots_.isSettled(), work);
    if (!replay_->hasRecord()) {
        return result;
    }
    if (!wasRecorded) {
        place_.books.ledger.event("record", place_.device.id, node, place_.tree->role, 0);
    }
    slots_.noteUses();
    return result;
}

void Stay::forgetPass() {
    if (replay_) {
        replay_->forget();
    }
}

bool Stay::isComplete() const {
    for (GroupId group = 0; group < place_.layout->groups.size(); ++group) {
        if (!slots_.isComplete(group)) {
            return false;
        }
    }
    return isActive_;
}

/// Also what the ring was told to have and nobody brought, because a copy before it failed.
void Stay::dropIncomplete(const std::string& node) {
    for (GroupId group = 0; group < place_.layout->groups.size(); ++group) {
        if (slots_.isThere(group) && !slots_.isComplete(group)) {
            slots_.evict(group, node);
        }
        if (!slots_.isThere(group)) {
            stream_.forget(group);
        }
    }
}

}  // namespace lowtide::residency
