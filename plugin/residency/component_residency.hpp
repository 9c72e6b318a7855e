#pragma once
// A component while it holds device memory, and forwards of it that are replayed.

#include "plugin/memory/group_stream.hpp"
#include "plugin/residency/group_slots.hpp"
#include "plugin/residency/open_devices.hpp"
#include "plugin/residency/weight_source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::residency {

/// One forward of a component whose weights lie where they are while a node runs: computed once,
/// then recorded, then done again from the record with the bits of the first way. One record at a
/// time; forwards with inputs of other shapes are computed. Run thread only.
class ForwardReplay {
public:
    explicit ForwardReplay(DeviceState& device) : device_(device) {}

    /// `areThere`: no weight has to come, to be waited for or to be patched. What the device cannot
    /// record is computed, from then on always.
    [[nodiscard]] at::Tensor run(const ForwardInputs& inputs,
                                 bool areThere,
                                 const ForwardWork& work);

    /// Whether the device takes down what it is given now.
    [[nodiscard]] bool isRecording() const { return isRecording_; }

    [[nodiscard]] bool hasRecord() const { return record_ != nullptr; }

    /// What compute is given from now on may take the record's memory.
    void forget();

private:
    struct InputSpec {
        bool isDefined = false;
        std::vector<int64_t> sizes{};
        at::ScalarType type = at::kFloat;

        bool operator==(const InputSpec&) const = default;
    };

    static std::vector<InputSpec> inputSpecsOf(const ForwardInputs& inputs);
    void record(const ForwardInputs& inputs, const ForwardWork& work);

    DeviceState& device_;
    std::vector<InputSpec> inputSpecs_;  ///< of the last forward, or of the record
    ForwardInputs inputs_;               ///< of the record: what it reads
    at::Tensor output_;                  ///< what it writes
    std::unique_ptr<WorkRecord> record_;
    bool isRecording_ = false;
    bool isRefused_ = false;
};

/// A component while it holds device memory: its residents and what streams through its
/// ring buffer. Run thread only.
class ComponentResidency {
public:
    /// The tree's host copies are open. `forwards`: over it in the run, 0 where not known.
    /// `isToKeep`: all of it comes, else what the layout's order names and what is used.
    /// Error{Unsupported} for weights that this version cannot bring to a device.
    ComponentResidency(GroupContext context, int64_t forwards, bool isToKeep);
    /// What is on the device leaves it.
    ~ComponentResidency();
    ComponentResidency(const ComponentResidency&) = delete;
    ComponentResidency& operator=(const ComponentResidency&) = delete;

    [[nodiscard]] const memory::ComponentTree& tree() const { return *context_.tree; }

    [[nodiscard]] const memory::Layout& layout() const { return *context_.layout; }

    [[nodiscard]] DeviceState& device() const { return context_.device; }

    [[nodiscard]] bool isActive() const { return isActive_; }

    /// Its arena begins at `region`; nullptr where its weights are used in place.
    void bindTo(std::byte* region) { region_ = region; }

    /// Whether its forwards may be done from a record, as the plan of the run has it.
    void allowReplay(bool isAllowed);

    /// Takes over the arena, which then lives as long as the residency.
    void own(std::unique_ptr<CountedArena> arena);

    /// Enqueues the copies of the residents, in the order of their use, and of what streams first.
    void activate(const StopToken& stop, const std::string& node);
    /// Everything leaves the device; it is not leased.
    void deactivate(const std::string& node);
    /// Copies still queued are given up.
    void abandon();

    /// Whether the layout has space for the leaf: it has none for what the plan saw no use of.
    [[nodiscard]] bool holds(memory::LeafId leaf) const;

    void beginForward(const memory::ForwardHint& hint);
    /// Makes the leaf readable: what is not there comes, and what follows it is copied ahead.
    /// Error{OutOfMemory} when leases hold all the space, and what the copies threw.
    void use(memory::LeafId leaf, const StopToken& stop, const std::string& node);
    /// What comes next is copied ahead where space is free; changes time only.
    void prefetch(const StopToken& stop, const std::string& node);

    /// `work`, or its record where the plan has one and every weight is where it was.
    [[nodiscard]] at::Tensor runForward(const ForwardInputs& inputs,
                                        const ForwardWork& work,
                                        const std::string& node);
    /// What a record keeps on the device goes.
    void forgetForward();

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

    GroupContext context_;
    memory::GroupStream stream_;
    memory::UploadOrder uploadOrder_;
    GroupSlots slots_;
    std::optional<ForwardReplay> replay_;  ///< where the plan has it
    std::unique_ptr<CountedArena> ownArena_;
    std::byte* region_ = nullptr;
    bool isToKeep_;
    bool isActive_ = false;
    int64_t leases_ = 0;
};

using ComponentResidencyRef = std::unique_ptr<ComponentResidency>;

}  // namespace lowtide::residency
