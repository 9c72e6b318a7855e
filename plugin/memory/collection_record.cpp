#include "plugin/memory/collection_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>

namespace lowtide::memory {

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

/// One memory during a replay: what lives, and what could be collected and was not yet.
class ReplayedMemory {
public:
    void arrive(double used, double collectable, double leftBefore) {
        live_ = std::max(0.0, used - collectable);
        garbage_ += std::max(0.0, collectable - leftBefore);
    }

    [[nodiscard]] double used() const { return live_ + garbage_; }

    [[nodiscard]] bool hasGarbage() const { return garbage_ > 0; }

    void collect() { garbage_ = 0; }

private:
    double live_ = 0;
    double garbage_ = 0;
};

double meanSeconds(std::span<const CollectionMeasurement> measurements) {
    double sum = 0;
    int count = 0;
    for (const CollectionMeasurement& point : measurements) {
        sum += point.ran ? point.seconds : 0;
        count += point.ran ? 1 : 0;
    }
    return count > 0 ? sum / count : 0;
}

ReplayedThreshold played(std::span<const CollectionMeasurement> measurements, int threshold) {
    ReplayedThreshold result{.threshold = threshold};
    ReplayedMemory device;
    ReplayedMemory host;
    Utilization left;
    for (const CollectionMeasurement& point : measurements) {
        device.arrive(point.used.device, point.collectable.device, left.device);
        host.arrive(point.used.host, point.collectable.host, left.host);
        left = point.left;
        const double highest = std::max(device.used(), host.used());
        result.highestUtilization = std::max(result.highestUtilization, highest);
        const bool isWanted = highest >= threshold || point.hasFailedAllocation;
        if (isWanted && (device.hasGarbage() || host.hasGarbage())) {
            ++result.collections;
            device.collect();
            host.collect();
        }
    }
    result.seconds = result.collections * meanSeconds(measurements);
    return result;
}

bool isBetter(const ReplayedThreshold& a, const ReplayedThreshold& b) {
    const bool fitsA = a.highestUtilization < kReplayLimit;
    const bool fitsB = b.highestUtilization < kReplayLimit;
    if (fitsA != fitsB) {
        return fitsA;
    }
    const int countA = fitsA ? a.collections : 0;
    const int countB = fitsB ? b.collections : 0;
    return std::tuple(countA, a.highestUtilization, -a.threshold) <
           std::tuple(countB, b.highestUtilization, -b.threshold);
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

Replay replay(std::span<const CollectionMeasurement> measurements,
              std::span<const int> thresholds) {
    Replay result;
    for (const int threshold : thresholds) {
        result.thresholds.push_back(played(measurements, threshold));
    }
    const auto best =
        std::min_element(result.thresholds.begin(), result.thresholds.end(), isBetter);
    if (best != result.thresholds.end()) {
        result.best = best->threshold;
    }
    return result;
}

Json toJson(const Replay& replay) {
    Json thresholds = Json::array();
    for (const ReplayedThreshold& each : replay.thresholds) {
        thresholds.push_back({{"threshold", each.threshold},
                              {"collections", each.collections},
                              {"highest", each.highestUtilization},
                              {"seconds", each.seconds}});
    }
    return {{"limit", kReplayLimit}, {"thresholds", thresholds}, {"best", replay.best}};
}

}  // namespace lowtide::memory
