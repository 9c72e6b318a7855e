#include "plugin/memory/ledger.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::memory {

namespace {

/// After thinning a line has space for as many moves again.
constexpr size_t kMovesAfterThinning = Timeline::kMostMoves / 2;
constexpr double kShortestSlice = 1e-6;

bool isMove(const LedgerEvent& event) {
    return event.what == "copy" || event.what == "evict";
}

}  // namespace

void Timeline::add(LedgerEvent event) {
    count(event);
    put(std::move(event));
    if (moves_ > kMostMoves) {
        thin();
    }
}

void Timeline::clear() {
    *this = {};
}

void Timeline::count(const LedgerEvent& event) {
    if (!isMove(event)) {
        return;
    }
    GroupMoves& moves = movesByGroup_[{event.device, event.subject}];
    if (event.what == "copy") {
        ++moves.copies;
        moves.copied += event.bytes;
    } else {
        ++moves.evictions;
    }
}

void Timeline::put(LedgerEvent event) {
    if (!isMove(event)) {
        moments_.push_back(std::move(event));
        return;
    }
    if (slice_ > 0) {
        const auto [entry, isNew] = positions_.try_emplace(
            {event.what, event.device, event.node, static_cast<int64_t>(event.seconds / slice_)},
            moments_.size());
        if (!isNew) {
            LedgerEvent& first = moments_[entry->second];
            first.subject = first.subject == event.subject ? first.subject : std::string();
            first.bytes += event.bytes;
            first.count += event.count;
            return;
        }
    }
    ++moves_;
    moments_.push_back(std::move(event));
}

/// Slices twice as long, until half of the moves are left or a slice is as long as the run.
void Timeline::thin() {
    const double end = moments_.back().seconds;
    do {
        slice_ = std::max({2 * slice_, end / static_cast<double>(kMostMoves), kShortestSlice});
        std::vector<LedgerEvent> all = std::exchange(moments_, {});
        moves_ = 0;
        positions_.clear();
        for (LedgerEvent& event : all) {
            put(std::move(event));
        }
    } while (moves_ > kMovesAfterThinning && slice_ <= end);
}

Json toJson(const LedgerEvent& event) {
    Json json = {{"t", event.seconds},
                 {"what", event.what},
                 {"device", event.device},
                 {"node", event.node},
                 {"subject", event.subject},
                 {"bytes", event.bytes}};
    if (event.count > 1) {
        json["count"] = event.count;
    }
    return json;
}

Json toJson(const std::vector<LedgerEvent>& moments) {
    Json json = Json::array();
    for (const LedgerEvent& moment : moments) {
        json.push_back(toJson(moment));
    }
    return json;
}

Json toJson(const MovesByGroup& moves) {
    Json json = Json::array();
    for (const auto& [entry, own] : moves) {
        json.push_back({{"device", entry.first},
                        {"group", entry.second},
                        {"copies", own.copies},
                        {"copied", own.copied},
                        {"evictions", own.evictions}});
    }
    return json;
}

namespace {

constexpr std::array<std::string_view, kTagCount> kTagNames = {
    "weights", "activations", "wires", "cache", "staging", "workspace"};

double secondsSince(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Json tagsToJson(const std::array<Bytes, kTagCount>& bytes) {
    Json json = Json::object();
    for (size_t tag = 0; tag < kTagCount; ++tag) {
        if (bytes[tag] != 0) {
            json[std::string(kTagNames[tag])] = bytes[tag];
        }
    }
    return json;
}

}  // namespace

std::string_view nameOf(Tag tag) noexcept {
    return kTagNames[static_cast<size_t>(tag)];
}

/// What takes away allocates nothing: destructors call it.
void Ledger::change(std::string_view device, Tag tag, std::string_view owner, Bytes delta) {
    const auto index = static_cast<size_t>(tag);
    auto ledger = devices_.find(device);
    if (ledger == devices_.end() && delta > 0) {
        ledger = devices_.emplace(std::string(device), DeviceLedger{}).first;
    }
    if (ledger == devices_.end()) {
        noteMissing(device, tag, owner, -delta);
        return;
    }
    DeviceLedger& own = ledger->second;
    auto entry = own.byOwner.find(owner);
    if (entry == own.byOwner.end() && delta > 0) {
        entry = own.byOwner.emplace(std::string(owner), std::array<Bytes, kTagCount>{}).first;
    }
    const Bytes held = entry == own.byOwner.end() ? 0 : entry->second[index];
    if (held + delta < 0) {
        noteMissing(device, tag, owner, -delta - held);
        delta = -held;
    }
    if (entry == own.byOwner.end()) {
        return;
    }
    entry->second[index] += delta;
    if (std::all_of(
            entry->second.begin(), entry->second.end(), [](Bytes bytes) { return bytes == 0; })) {
        own.byOwner.erase(entry);
    }
    own.byTag[index] += delta;
    own.total += delta;
    own.peak = std::max(own.peak, own.total);
    own.peakByTag[index] = std::max(own.peakByTag[index], own.byTag[index]);
}

void Ledger::noteMissing(std::string_view device,
                         Tag tag,
                         std::string_view owner,
                         Bytes missing) noexcept {
    try {
        if (fault_.empty()) {
            fault_ = message(
                "the accounting is wrong: {} more of {} were given back than \"{}\" had "
                "on {}",
                formatBytes(missing),
                nameOf(tag),
                owner,
                device);
        }
    } catch (...) {
        // without memory for the words the balance is still right
    }
}

void Ledger::add(std::string_view device, Tag tag, std::string_view owner, Bytes delta) {
    if (delta == 0) {
        return;
    }
    const std::lock_guard lock(mutex_);
    change(device, tag, owner, delta);
}

void Ledger::set(std::string_view device, Tag tag, std::string_view owner, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    const DeviceLedger& ledger = devices_.try_emplace(std::string(device)).first->second;
    const auto entry = ledger.byOwner.find(owner);
    const Bytes before =
        entry == ledger.byOwner.end() ? 0 : entry->second[static_cast<size_t>(tag)];
    if (bytes != before) {
        change(device, tag, owner, bytes - before);
    }
}

void Ledger::setCapacity(std::string_view device, Bytes capacity) {
    const std::lock_guard lock(mutex_);
    devices_[std::string(device)].capacity = capacity;
}

void Ledger::noteFault(std::string_view words) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        if (fault_.empty()) {
            fault_ = Message(std::string(words.substr(0, words.find_first_of("\r\n"))));
        }
    } catch (...) {
        // without memory for the words there is nothing left to report
    }
}

Message Ledger::takeFault() {
    const std::lock_guard lock(mutex_);
    return std::exchange(fault_, {});
}

void Ledger::beginRun() {
    resetPeaks();
    const std::lock_guard lock(mutex_);
    timeline_.clear();
    begin_ = std::chrono::steady_clock::now();
}

void Ledger::resetPeaks() {
    const std::lock_guard lock(mutex_);
    for (auto& [id, device] : devices_) {
        device.peak = device.total;
        device.peakByTag = device.byTag;
    }
}

void Ledger::event(
    std::string what, std::string device, std::string node, std::string subject, Bytes bytes) {
    const std::lock_guard lock(mutex_);
    LedgerEvent event{.seconds = secondsSince(begin_),
                      .what = std::move(what),
                      .device = std::move(device),
                      .node = std::move(node),
                      .subject = std::move(subject),
                      .bytes = bytes};
    if (listener_) {
        listener_(event);
    }
    timeline_.add(std::move(event));
}

void Ledger::listen(EventListener listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
}

Bytes Ledger::bytesOn(std::string_view device) const {
    const std::lock_guard lock(mutex_);
    const auto found = devices_.find(device);
    return found == devices_.end() ? 0 : found->second.total;
}

Bytes Ledger::bytesOn(std::string_view device, Tag tag) const {
    const std::lock_guard lock(mutex_);
    const auto found = devices_.find(device);
    return found == devices_.end() ? 0 : found->second.byTag[static_cast<size_t>(tag)];
}

Bytes Ledger::peakOn(std::string_view device) const {
    const std::lock_guard lock(mutex_);
    const auto found = devices_.find(device);
    return found == devices_.end() ? 0 : found->second.peak;
}

std::map<std::string, DeviceLedger, std::less<>> Ledger::snapshot() const {
    const std::lock_guard lock(mutex_);
    return devices_;
}

Timeline Ledger::timeline() const {
    const std::lock_guard lock(mutex_);
    return timeline_;
}

Json toJson(const std::map<std::string, DeviceLedger, std::less<>>& devices) {
    Json json = Json::object();
    for (const auto& [id, device] : devices) {
        Json owners = Json::object();
        for (const auto& [owner, bytes] : device.byOwner) {
            owners[owner] = tagsToJson(bytes);
        }
        json[id] = {{"capacity", device.capacity},
                    {"total", device.total},
                    {"peak", device.peak},
                    {"tags", tagsToJson(device.byTag)},
                    {"peak_tags", tagsToJson(device.peakByTag)},
                    {"owners", owners}};
    }
    return json;
}

}  // namespace lowtide::memory
