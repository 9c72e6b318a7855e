#include "plugin/memory/collection.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace lowtide::memory {

namespace {

constexpr std::array<std::string_view, 3> kLowMemoryNames = {"auto", "on", "off"};
constexpr std::array<std::string_view, 6> kReasonNames = {"below threshold",
                                                          "nothing to free",
                                                          "forced",
                                                          "failed allocation",
                                                          "threshold",
                                                          "low memory device"};
/// The smallest threshold where 0 is forbidden.
constexpr int kLeastThreshold = 1;

double percentOf(Bytes part, Bytes whole) noexcept {
    return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

bool isLowMemory(LowMemory setting, Bytes capacity) {
    return setting == LowMemory::On ||
           (setting == LowMemory::Auto && capacity > 0 && capacity <= kLowMemoryCapacity);
}

/// The threshold to be used, before what a low-memory device does.
int personsThreshold(const CollectionQuestion& question) {
    const bool mayBeZero = backendTraits(question.device).mayAlwaysCollect;
    return mayBeZero ? question.settings.threshold
                     : std::max(question.settings.threshold, kLeastThreshold);
}

int usedThreshold(const CollectionQuestion& question) {
    const bool isAlways = backendTraits(question.device).mayAlwaysCollect &&
                          isLowMemory(question.settings.lowMemory, question.state.deviceCapacity);
    return isAlways ? 0 : personsThreshold(question);
}

/// Why a collection is wanted, whatever it can free.
CollectionReason wantedFor(const CollectionQuestion& question, int threshold) {
    const double highest = utilizationOf(question.state).highest();
    if (question.isForced) {
        return CollectionReason::Forced;
    }
    if (question.hasFailedAllocation) {
        return CollectionReason::FailedAllocation;
    }
    if (highest >= personsThreshold(question)) {
        return CollectionReason::Threshold;
    }
    return highest >= threshold ? CollectionReason::LowMemoryDevice
                                : CollectionReason::BelowThreshold;
}

}  // namespace

LowMemory parseLowMemory(std::string_view text) {
    const auto found = std::find(kLowMemoryNames.begin(), kLowMemoryNames.end(), text);
    if (found == kLowMemoryNames.end()) {
        throw Error(ErrorKind::InvalidInput,
                    "the low-memory setting \"" + std::string(text) + "\" is not known",
                    "write auto, on or off",
                    "low_memory");
    }
    return static_cast<LowMemory>(found - kLowMemoryNames.begin());
}

std::string_view nameOf(LowMemory setting) noexcept {
    return kLowMemoryNames[static_cast<size_t>(setting)];
}

int checkedThreshold(int64_t percent, const char* what) {
    if (percent < 0 || percent > 100) {
        throw Error(
            ErrorKind::InvalidInput,
            std::string(what) + " " + std::to_string(percent) + " is no percentage of a memory",
            "write a number from 0 (collect always) to 100",
            "gc_threshold");
    }
    return static_cast<int>(percent);
}

BackendTraits backendTraits(const DeviceInfo& device) {
    return {.mayAlwaysCollect = !device.name.ends_with("[ZLUDA]")};
}

Utilization utilizationOf(const MemoryState& state) noexcept {
    return {percentOf(state.deviceUsed, state.deviceCapacity),
            percentOf(state.hostUsed, state.hostTotal)};
}

std::string_view nameOf(CollectionReason reason) noexcept {
    return kReasonNames[static_cast<size_t>(reason)];
}

CollectionDecision decideCollection(const CollectionQuestion& question) {
    CollectionDecision decision{.threshold = usedThreshold(question)};
    decision.reason = wantedFor(question, decision.threshold);
    if (decision.reason == CollectionReason::BelowThreshold) {
        return decision;
    }
    decision.run = true;
    decision.unpins =
        question.pinned > 0 && utilizationOf(question.state).host >= personsThreshold(question);
    const Bytes caches = (decision.dropsCaches() ? question.deadCaches : 0) +
                         (decision.unpins ? question.pinned : 0);
    const Bytes freeable =
        std::max(question.state.deviceCollectable, question.state.hostCollectable) + caches;
    if (decision.reason != CollectionReason::Forced && freeable < kLeastCollection) {
        return {.run = false,
                .threshold = decision.threshold,
                .reason = CollectionReason::NothingToFree};
    }
    return decision;
}

}  // namespace lowtide::memory
