#include "plugin/memory/collection_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

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
