#include "plugin/residency/counted_arena.hpp"

#include <utility>

namespace lowtide::residency {

namespace {

constexpr const char* kOwner = "arena";

}  // namespace

CountedArena::CountedArena(Device& device,
                           std::string deviceId,
                           Bytes bytes,
                           memory::Ledger& ledger)
    : deviceId_(std::move(deviceId)), ledger_(ledger), arena_(device.allocate(bytes)) {
    ledger_.add(deviceId_, memory::Tag::Workspace, kOwner, size());
}

CountedArena::~CountedArena() {
    ledger_.add(deviceId_, memory::Tag::Workspace, kOwner, -size());
}

void countSlots(memory::Ledger& ledger,
                const std::string& deviceId,
                const std::string& owner,
                Bytes bytes) {
    // What shrinks goes first, so that a peak never counts the same bytes twice.
    const auto workspace = [&] { ledger.add(deviceId, memory::Tag::Workspace, kOwner, -bytes); };
    const auto weights = [&] { ledger.add(deviceId, memory::Tag::Weights, owner, bytes); };
    if (bytes > 0) {
        workspace();
        weights();
    } else {
        weights();
        workspace();
    }
}

}  // namespace lowtide::residency
