#pragma once

#include "plugin/memory/arrivals.hpp"
#include "plugin/memory/group_stream.hpp"
#include "plugin/residency/group_slots.hpp"
#include "plugin/residency/pass_replay.hpp"

#include <memory>
#include <optional>
#include <string>

namespace lowtide::residency {

/// A component while it holds device memory: its residents and what streams through its ring. Run
/// thread only.
class Stay {
public:
    /// The tree's masters are open. `passes`: over it in the run, 0 where not known. `isToKeep`:
    /// all of it comes, else what the layout's order names and what is used. Error{Unsupported} for
    /// weights that this version cannot bring to a device.
    Stay(GroupPlace place, int64_t passes, bool isToKeep);
    /// What is on the device leaves it.
    ~Stay();
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

    [[nodiscard]] const memory::ComponentTree& tree() const { return *place_.tree; }

    [[nodiscard]] const memory::Layout& layout() const { return *place_.layout; }

    [[nodiscard]] DeviceState& device() const { return place_.device; }

    [[nodiscard]] bool isActive() const { return isActive_; }

    /// Its arena begins at `region`; nullptr where its weights are used in place.
    void placeAt(std::byte* region) { region_ = region; }

    /// Whether its passes may be done from a record, as the plan of the run has it.
    void allowReplay(bool isAllowed);

    /// Takes over the arena, which then lives as long as the stay.
    void own(std::unique_ptr<CountedArena> arena);

    /// Enqueues the copies of the residents, in the order of their use, and of what streams first.
    void activate(const StopToken& stop, const std::string& node);
    /// Everything leaves the device; it is not leased.
    void deactivate(const std::string& node);
    /// Copies still queued are given up.
    void abandon();

    /// Whether the layout has room for the leaf: it has none for what the plan saw no use of.
    [[nodiscard]] bool holds(memory::LeafId leaf) const;

    void beginPass(const memory::PassHint& hint);
    /// Makes the leaf readable: what is not there comes, and what follows it is copied ahead.
    /// Error{OutOfMemory} when leases hold all the room, and what the copies threw.
    void use(memory::LeafId leaf, const StopToken& stop, const std::string& node);
    /// What comes next is copied ahead where room is free; changes time only.
    void prefetch(const StopToken& stop, const std::string& node);

    /// `work`, or its record where the plan has one and every weight is where it was.
    [[nodiscard]] at::Tensor runPass(const PassInputs& inputs,
                                     const PassWork& work,
                                     const std::string& node);
    /// What a record keeps on the device goes.
    void forgetPass();

    [[nodiscard]] std::vector<at::Tensor> tensors(const memory::ComponentTree& tree,
                                                  memory::LeafId leaf) const {
        return slots_.tensors(tree, leaf);
    }

    void lease(memory::LeafId leaf);
    void release(memory::LeafId leaf) noexcept;

    [[nodiscard]] bool isLeased() const { return leases_ > 0; }

    /// Whether the whole component is there, every byte. Copies are not pending.
    [[nodiscard]] bool isComplete() const;
    /// After a failed copy: what did not arrive leaves.
    void dropIncomplete(const std::string& node);

    void settle() { slots_.settle(); }

private:
    void leaveDevice(const std::string& node) noexcept;
    void take(const std::vector<memory::StreamStep>& steps,
              const StopToken& stop,
              const std::string& node);
    void bringResidents(std::span<const memory::GroupId> groups,
                        const StopToken& stop,
                        const std::string& node);
    void bringResident(memory::GroupId group, const StopToken& stop, const std::string& node);
    [[nodiscard]] std::byte* addressAt(Bytes offset) const;

    GroupPlace place_;
    memory::GroupStream stream_;
    memory::Arrivals arrivals_;
    GroupSlots slots_;
    std::optional<PassReplay> replay_;  ///< where the plan has it
    std::unique_ptr<CountedArena> ownArena_;
    std::byte* region_ = nullptr;
    bool isToKeep_;
    bool isActive_ = false;
    int64_t leases_ = 0;
};

using StayRef = std::unique_ptr<Stay>;

}  // namespace lowtide::residency
