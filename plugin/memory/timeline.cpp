#include "plugin/memory/timeline.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::memory {

namespace {

/// After thinning a line has room for as many moves again.
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
        const auto [place, isNew] = places_.try_emplace(
            {event.what, event.device, event.node, static_cast<int64_t>(event.seconds / slice_)},
            moments_.size());
        if (!isNew) {
            LedgerEvent& first = moments_[place->second];
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
        places_.clear();
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
    for (const auto& [place, own] : moves) {
        json.push_back({{"device", place.first},
                        {"group", place.second},
                        {"copies", own.copies},
                        {"copied", own.copied},
                        {"evictions", own.evictions}});
    }
    return json;
}

}  // namespace lowtide::memory
