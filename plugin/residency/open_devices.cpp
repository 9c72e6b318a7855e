#include "plugin/residency/open_devices.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "plugin/residency/host_weight_store.hpp"
#include "plugin/residency/mutant.hpp"

#include <c10/util/Exception.h>

#include <string_view>
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

std::span<std::byte> DeviceState::scratchFor(memory::Ledger& ledger) {
    if (!scratch) {
        scratch = device->allocateStaging(HostWeightStore::kScratchBytes);
        ledger.add("cpu", memory::Tag::Staging, id, scratch->size());
    }
    return {scratch->data(), static_cast<size_t>(scratch->size())};
}

void DeviceState::lendStaging(memory::Ledger& ledger) {
    if (!staging && stagingNeeded > 0) {
        staging = device->allocateStaging(stagingNeeded);
        ledger.add("cpu", memory::Tag::Staging, id, staging->size());
        device->extras().lendStaging({staging->data(), static_cast<size_t>(staging->size())});
    }
}

void DeviceState::dropRunMemory(memory::Ledger& ledger) noexcept {
    if (staging) {
        device->extras().lendStaging({});
        ledger.add("cpu", memory::Tag::Staging, id, -staging->size());
        staging.reset();
    }
    if (scratch) {
        ledger.add("cpu", memory::Tag::Staging, id, -scratch->size());
        scratch.reset();
    }
}

void DeviceState::requireWorking() const {
    if (isLost) {
        throw Error(ErrorKind::Device,
                    message("the device {} was lost: {}", id, whyLost),
                    message("start the program again to use it, or choose another device"));
    }
}

void DeviceState::check() noexcept {
    unlessLost([this] {
        const std::string failure = device->failure();
        if (!failure.empty()) {
            lose(failure.c_str());
        }
    });
}

void DeviceState::drain() noexcept {
    if (!isMutant(Mutant::QueueNotDrained)) {
        device->drain();
    }
}

void DeviceState::lose(const char* why) noexcept {
    isLost = true;
    try {
        whyLost = firstLine(why);
        log(Level::Error, "the device " + id + " was lost: " + whyLost);
    } catch (const std::exception&) {
        // Without words it is as lost.
    }
}

/// Finding names for LibTorch's backtrace takes a millisecond each time, and none of it is shown.
void DeviceState::lose(const std::exception& error) noexcept {
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    lose(torch ? torch->what_without_backtrace() : error.what());
}

DeviceState& OpenDevices::get(const memory::DeviceSpec& spec) {
    DeviceState& state = opened(spec);
    state.requireWorking();
    return state;
}

/// What cannot be opened leaves no entry: everybody walks over all of them.
DeviceState& OpenDevices::opened(const memory::DeviceSpec& spec) {
    const std::string id = spec.id();
    if (const auto known = devices_.find(id); known != devices_.end()) {
        return *known->second;
    }
    auto state = std::make_unique<DeviceState>();
    state->device = source_->open(spec);
    state->spec = spec;
    state->id = id;
    state->stagingNeeded = state->device->traits().staging;
    return *devices_.emplace(id, std::move(state)).first->second;
}

DeviceState& OpenDevices::getAsSpecified(const memory::DeviceSpec& spec) {
    DeviceState& state = opened(spec);
    const bool asksForSize = spec.capacity || spec.spill || spec.failAt || spec.lostAt;
    if (asksForSize && (spec != state.spec || spec.failAt)) {
        state.device = source_->open(spec);
        state.stagingNeeded = state.device->traits().staging;
        state.spec = spec;
        state.isLost = false;
    }
    state.requireWorking();
    return state;
}

void OpenDevices::setProfiles(ProfileLookup lookup) {
    measured_ = std::move(lookup);
    profiles_.clear();
}

const memory::DeviceProfile& OpenDevices::profile(const memory::DeviceSpec& spec) {
    const auto known = profiles_.find(spec.id());
    if (known != profiles_.end()) {
        return known->second;
    }
    const Device& device = *get(spec).device;
    std::optional<memory::DeviceProfile> found;
    if (measured_ && !device.traits().isRehearsal) {
        found = measured_(device.info());
    }
    return profiles_[spec.id()] = found.value_or(memory::estimatedProfile(spec.kind));
}

const DeviceState* OpenDevices::find(const std::string& id) const {
    const auto found = devices_.find(id);
    return found == devices_.end() ? nullptr : found->second.get();
}

}  // namespace lowtide::residency
