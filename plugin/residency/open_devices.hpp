#pragma once
// Devices that are open, and their arenas as the ledger counts them.

#include "plugin/memory/ledger.hpp"
#include "plugin/residency/device/device.hpp"
#include "plugin/residency/residency.hpp"

#include <exception>
#include <map>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace lowtide::residency {

/// An arena whose bytes are in the ledger while it lives: as Workspace of "arena", and as Weights
/// of their owner where slots are filled. The sum is the arena's size at every moment.
class CountedArena {
public:
    /// Error{OutOfMemory} as Device::allocate.
    CountedArena(Device& device, std::string deviceId, Bytes bytes, memory::Ledger& ledger);
    /// No slot is filled any more.
    ~CountedArena();
    CountedArena(const CountedArena&) = delete;
    CountedArena& operator=(const CountedArena&) = delete;

    [[nodiscard]] std::byte* data() const { return arena_->data(); }

    [[nodiscard]] Bytes size() const { return arena_->size(); }

private:
    std::string deviceId_;
    memory::Ledger& ledger_;
    std::unique_ptr<Arena> arena_;
};

/// Moves `bytes` of an arena in the ledger from Workspace to `owner`'s Weights (negative: back).
void countSlots(memory::Ledger& ledger,
                const std::string& deviceId,
                const std::string& owner,
                Bytes bytes);

/// One opened device and what the run that is going on has on it.
struct DeviceState {
    memory::DeviceSpec spec;
    std::string id;
    std::unique_ptr<Device> device;
    Bytes stagingNeeded = 0;
    std::unique_ptr<Arena> scratch;  ///< host bytes on their way through a conversion
    std::unique_ptr<Arena> staging;  ///< lent to the device
    bool hasFailed = false;          ///< a copy failed and the queue was not drained since
    bool isLost = false;             ///< nothing more can be asked of it in this process
    std::string whyLost;             ///< in words of its runtime
    Bytes bytesAtEnter = 0;          ///< allocated when the running node was entered
    int64_t failuresAtEnter = 0;     ///< failed allocations at that moment

    /// The scratch, made and counted as Staging of the host at its first use.
    /// Error{OutOfMemory}.
    [[nodiscard]] std::span<std::byte> scratchFor(memory::Ledger& ledger);
    /// Lends the device the host memory that its copies need, counted as Staging; nothing is queued
    /// at the first call. Error{OutOfMemory}.
    void lendStaging(memory::Ledger& ledger);
    /// Gives back what belonged to the run. The copy queue is idle and no slot is filled.
    void dropRunMemory(memory::Ledger& ledger) noexcept;

    /// Error{Device} states why a lost device was lost.
    void requireWorking() const;
    /// Asks the device whether it still works. What is lost remains lost.
    void check() noexcept;
    /// Waits until its copy queue is idle, before memory is given back.
    void drain() noexcept;

    /// For what must not throw: nothing is asked of a lost device, and an error of `call` means
    /// that it is one.
    template <typename Call>
    void unlessLost(const Call& call) noexcept {
        if (isLost) {
            return;
        }
        try {
            call();
        } catch (const std::exception& error) {
            lose(error);
        } catch (...) {
            lose("an exception of an unknown type was thrown");
        }
    }

private:
    void lose(const char* why) noexcept;
    void lose(const std::exception& error) noexcept;
};

/// The devices that were asked for, each opened once per id.
class OpenDevices {
public:
    explicit OpenDevices(std::unique_ptr<DeviceSource> source) : source_(std::move(source)) {}

    /// Opens the device of this id if it is not open. Error{Device} when it was lost.
    DeviceState& get(const memory::DeviceSpec& spec);
    /// As get(); a device that is open with another size becomes the one that `spec` asks for,
    /// also when it was lost.
    DeviceState& getAsSpecified(const memory::DeviceSpec& spec);
    [[nodiscard]] const DeviceState* find(const std::string& id) const;

    /// What is known from now on, of devices that are open too.
    void setProfiles(ProfileLookup lookup);
    /// Asked for once per device. A rehearsal has the guess of its kind, whatever was measured.
    const memory::DeviceProfile& profile(const memory::DeviceSpec& spec);

    [[nodiscard]] const std::map<std::string, std::unique_ptr<DeviceState>>& all() const {
        return devices_;
    }

    /// Asks each whether it still works.
    void check() noexcept {
        for (const auto& [id, device] : devices_) {
            device->check();
        }
    }

    /// Those that were not lost.
    [[nodiscard]] auto working() const {
        return devices_ | std::views::filter([](const auto& each) { return !each.second->isLost; });
    }

    [[nodiscard]] DeviceSource& source() { return *source_; }

private:
    DeviceState& opened(const memory::DeviceSpec& spec);

    std::unique_ptr<DeviceSource> source_;
    std::map<std::string, std::unique_ptr<DeviceState>> devices_;
    ProfileLookup measured_;
    std::map<std::string, memory::DeviceProfile> profiles_;
};

}  // namespace lowtide::residency
