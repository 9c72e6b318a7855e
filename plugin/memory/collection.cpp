#include "plugin/memory/collection.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
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
int userThreshold(const CollectionQuestion& question) {
    const bool mayBeZero = backendTraits(question.device).mayAlwaysCollect;
    return mayBeZero ? question.settings.threshold
                     : std::max(question.settings.threshold, kLeastThreshold);
}

int usedThreshold(const CollectionQuestion& question) {
    const bool isAlways = backendTraits(question.device).mayAlwaysCollect &&
                          isLowMemory(question.settings.lowMemory, question.state.deviceCapacity);
    return isAlways ? 0 : userThreshold(question);
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
    if (highest >= userThreshold(question)) {
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
                    message("the low-memory setting \"{}\" is not known", text),
                    message("write auto, on or off"),
                    "low_memory");
    }
    return static_cast<LowMemory>(found - kLowMemoryNames.begin());
}

std::string_view nameOf(LowMemory setting) noexcept {
    return kLowMemoryNames[static_cast<size_t>(setting)];
}

int checkedThreshold(int64_t percent, const char* what) {
    if (percent < 0 || percent > 100) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} {} is no percentage of a memory", what, percent),
                    message("write a number from 0 (collect always) to 100"),
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
        question.pinned > 0 && utilizationOf(question.state).host >= userThreshold(question);
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

namespace {

/// Hundredths of a GB: what the line prints.
int64_t hundredths(Bytes bytes) {
    return std::llround(static_cast<double>(bytes) * 100.0 / static_cast<double>(kGiB));
}

std::string gigabytes(int64_t hundredthsOfIt) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f", static_cast<double>(hundredthsOfIt) / 100.0);
    return text.data();
}

std::string gigabytes(const MemoryState& state) {
    return "'gpu': " + gigabytes(hundredths(state.deviceUsed)) +
           ", 'ram': " + gigabytes(hundredths(state.hostUsed));
}

/// before - after as the line prints both.
int64_t savedHundredths(const CollectionRecord& record) {
    const int64_t host = hundredths(record.before.hostUsed) - hundredths(record.after.hostUsed);
    return record.before.deviceIsHost
               ? host
               : host + hundredths(record.before.deviceUsed) - hundredths(record.after.deviceUsed);
}

std::string underscored(std::string text) {
    std::replace(text.begin(), text.end(), ' ', '_');
    return text;
}

Json stateJson(const MemoryState& state) {
    return {{"gpu", state.deviceUsed},
            {"ram", state.hostUsed},
            {"retries", state.retries},
            {"oom", state.outOfMemory}};
}

}  // namespace

Bytes CollectionRecord::saved() const noexcept {
    const Bytes host = before.hostUsed - after.hostUsed;
    return before.deviceIsHost ? host : host + before.deviceUsed - after.deviceUsed;
}

std::string toLine(const CollectionRecord& record) {
    const Utilization used = utilizationOf(record.before);
    std::array<char, 32> time{};
    std::snprintf(time.data(), time.size(), "%.2f", record.seconds);
    return "GC: utilization={'gpu': " + std::to_string(std::llround(used.device)) +
           ", 'ram': " + std::to_string(std::llround(used.host)) +
           ", 'threshold': " + std::to_string(record.threshold) +
           "} gc={'collected': " + std::to_string(record.collected) +
           ", 'saved': " + gigabytes(savedHundredths(record)) + "} before={" +
           gigabytes(record.before) + "} after={" + gigabytes(record.after) +
           ", 'retries': " + std::to_string(record.after.retries) +
           ", 'oom': " + std::to_string(record.after.outOfMemory) + "} device=" + record.device +
           " fn=" + underscored(record.point) + " time=" + time.data();
}

Json toJson(const CollectionRecord& record) {
    const Utilization used = utilizationOf(record.before);
    return {{"point", record.point},
            {"node", record.node},
            {"device", record.device},
            {"reason", nameOf(record.reason)},
            {"utilization",
             {{"gpu", used.device}, {"ram", used.host}, {"threshold", record.threshold}}},
            {"gc", {{"collected", record.collected}, {"saved", record.saved()}}},
            {"before", stateJson(record.before)},
            {"after", stateJson(record.after)},
            {"seconds", record.seconds}};
}

}  // namespace lowtide::memory
