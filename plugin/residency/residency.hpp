#pragma once

#include "plugin/memory/engine.hpp"
#include "plugin/residency/device/device.hpp"
#include "plugin/residency/weight_source.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace lowtide::residency {

/// Opens devices by spec; the composition root supplies it (cpu is built in, fake and cuda are
/// opened libraries).
class DeviceSource {
public:
    virtual ~DeviceSource() = default;
    /// Error{Device} with the reason when the device cannot be had.
    [[nodiscard]] virtual std::unique_ptr<Device> open(const memory::DeviceSpec& spec) = 0;
    /// What could be opened here, without opening it.
    [[nodiscard]] virtual std::vector<memory::DeviceInfo> available() = 0;
};

/// The speeds that were measured of a device of this machine, if any.
using ProfileLookup =
    std::function<std::optional<memory::DeviceProfile>(const memory::DeviceInfo& device)>;

/// The only code that copies weights: weights in files, arenas on devices, leases to read them. Run
/// thread only, except ledger() and traffic().
class Residency final : public memory::Engine, public WeightSource {
public:
    /// `deltas`: the mathematics of adapters; null: trees with deltas are refused.
    explicit Residency(std::unique_ptr<DeviceSource> devices,
                       std::shared_ptr<const DeltaMath> deltas = {});
    ~Residency() override;

    memory::DeviceInfo open(const memory::DeviceSpec& spec) override;
    memory::DeviceTraits traits(const memory::DeviceSpec& spec) override;
    memory::DeviceProfile profile(const memory::DeviceSpec& spec) override;
    std::vector<memory::DeviceInfo> devices() override;
    void begin(std::shared_ptr<const memory::Plan> plan, const StopToken& stop) override;
    void enter(memory::NodeIndex node) override;
    void confirm(memory::NodeIndex node) override;
    void leave(memory::NodeIndex node) noexcept override;
    void requireDevices() override;
    void replan(std::shared_ptr<const memory::Plan> plan) override;
    void end(memory::Outcome outcome) noexcept override;
    Bytes release(std::string_view component) override;
    [[nodiscard]] memory::MemoryState memoryState(const memory::DeviceSpec& spec) override;
    Bytes collect(const memory::DeviceSpec& spec) override;
    Bytes offload(std::string_view component, bool dropHost) override;
    [[nodiscard]] std::vector<memory::KeptComponent> keptComponents() const override;
    [[nodiscard]] std::vector<memory::PinnedComponent> pinnedComponents() const override;
    Bytes unpin(const memory::PinnedComponent& pinned) override;
    [[nodiscard]] memory::Ledger& ledger() noexcept override;
    [[nodiscard]] memory::Traffic traffic() const noexcept override;
    [[nodiscard]] Bytes allocatedOn(const memory::DeviceSpec& spec) const override;
    [[nodiscard]] std::optional<memory::RehearsalCounts> rehearsal(
        const memory::DeviceSpec& spec) const override;

    void beginForward(const memory::ComponentTree& tree, const memory::ForwardHint& hint) override;
    [[nodiscard]] Lease use(const memory::ComponentTree& tree, memory::LeafId leaf) override;
    [[nodiscard]] at::Tensor gatherRows(const memory::ComponentTree& tree,
                                        memory::LeafId leaf,
                                        const at::Tensor& ids) override;
    [[nodiscard]] c10::Device torchDeviceOf(const memory::ComponentTree& tree) override;
    [[nodiscard]] at::Tensor runForward(const memory::ComponentTree& tree,
                                        const ForwardInputs& inputs,
                                        const ForwardWork& work) override;
    void finishCompute(const memory::ComponentTree& tree) override;
    [[nodiscard]] const StopToken& stop() const noexcept override;

    /// The host waits until an open device has done all that it was given to compute.
    void finishCompute(const memory::DeviceSpec& spec);
    /// Where measured speeds are found from now on; without one every profile is a guess.
    void setProfiles(ProfileLookup lookup);
    /// Ordering faults that the opened devices found, in words; empty unless one of them looks for
    /// any (fake).
    [[nodiscard]] std::vector<std::string> hazards() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace lowtide::residency
