#pragma once

#include "plugin/memory/ledger.hpp"
#include "plugin/residency/device/device.hpp"

#include <memory>
#include <string>

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

}  // namespace lowtide::residency
