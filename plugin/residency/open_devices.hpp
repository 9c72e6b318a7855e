#pragma once

#include "plugin/memory/ledger.hpp"
#include "plugin/residency/counted_arena.hpp"
#include "plugin/residency/residency.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lowtide::residency {

/// One opened device and what the run that is going on has on it.
struct DeviceState {
    memory::DeviceSpec spec;
    std::string id;
    std::unique_ptr<Device> device;
    Bytes stagingNeeded = 0;
    std::unique_ptr<Arena> scratch;  ///< host bytes on their way through a conversion
    std::unique_ptr<Arena> staging;  ///< lent to the device
    bool hasFailed = false;          ///< a copy failed and the lane was not drained since
    Bytes bytesAtEnter = 0;          ///< allocated when the running node was entered
    int64_t failuresAtEnter = 0;     ///< failed allocations at that moment

    /// The scratch, made and counted as Staging of the host at its first use.
    /// Error{OutOfMemory}.
    [[nodiscard]] std::span<std::byte> scratchFor(memory::Ledger& ledger);
    /// Lends the device the host memory that its copies need, counted as Staging; nothing is queued
    /// at the first call. Error{OutOfMemory}.
    void lendStaging(memory::Ledger& ledger);
    /// Gives back what belonged to the run. The lane is idle and no slot is filled.
    void dropRunMemory(memory::Ledger& ledger) noexcept;
};

/// The devices that were asked for, each opened once per id.
class OpenDevices {
public:
    explicit OpenDevices(std::unique_ptr<DeviceSource> source) : source_(std::move(source)) {}

    /// Opens the device of this id if it is not open.
    DeviceState& get(const memory::DeviceSpec& spec);
    /// As get(); a device that is open with another size becomes the one that `spec` asks for.
    DeviceState& getAsSpecified(const memory::DeviceSpec& spec);
    [[nodiscard]] const DeviceState* find(const std::string& id) const;

    /// What is known from now on, of devices that are open too.
    void setProfiles(ProfileLookup lookup);
    /// Asked for once per device. A rehearsal has the guess of its kind, whatever was measured.
    const memory::DeviceProfile& profile(const memory::DeviceSpec& spec);

    [[nodiscard]] const std::map<std::string, std::unique_ptr<DeviceState>>& all() const {
        return devices_;
    }

    [[nodiscard]] DeviceSource& source() { return *source_; }

private:
    std::unique_ptr<DeviceSource> source_;
    std::map<std::string, std::unique_ptr<DeviceState>> devices_;
    ProfileLookup measured_;
    std::map<std::string, memory::DeviceProfile> profiles_;
};

}  // namespace lowtide::residency
