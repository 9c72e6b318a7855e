#pragma once
// A component while it holds device memory, and passes over it that are done from a record.

#include "plugin/memory/group_stream.hpp"
#include "plugin/residency/group_slots.hpp"
#include "plugin/residency/open_devices.hpp"
#include "plugin/residency/weight_source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::residency {

/// One pass over a component whose weights lie where they are while a node runs: computed once,
/// then recorded, then done again from the record with the bits of the first way. One record at a
/// time; passes with inputs of other shapes are computed. Run thread only.
class PassReplay {
public:
    explicit PassReplay(DeviceState& device) : device_(device) {}

    /// `areThere`: no weight has to come, to be waited for or to be patched. What the device cannot
    /// record is computed, from then on always.
    [[nodiscard]] at::Tensor run(const PassInputs& inputs, bool areThere, const PassWork& work);

    /// Whether the device takes down what it is given now.
    [[nodiscard]] bool isRecording() const { return isRecording_; }

    [[nodiscard]] bool hasRecord() const { return record_ != nullptr; }

    /// What compute is given from now on may take the record's memory.
    void forget();

private:
    struct Outline {
        bool isDefined = false;
        std::vector<int64_t> sizes{};
        at::ScalarType type = at::kFloat;

        bool operator==(const Outline&) const = default;
    };

    static std::vector<Outline> outlinesOf(const PassInputs& inputs);
    void record(const PassInputs& inputs, const PassWork& work);

    DeviceState& device_;
    std::vector<Outline> outlines_;  ///< of the last pass, or of the record
    PassInputs inputs_;              ///< of the record: what it reads
    at::Tensor output_;              ///< what it writes
    std::unique_ptr<WorkRecord> record_;
    bool isRecording_ = false;
    bool isRefused_ = false;
};

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
