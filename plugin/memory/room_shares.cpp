#include "plugin/memory/room_shares.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lowtide::memory {

namespace {

/// Gains per byte that are that close count as equal: copies do not shrink quite evenly.
constexpr double kEqualGains = 0.8;

Seconds savedByAByte(const RoomClaim& claim) {
    return claim.most > claim.least
               ? (claim.copies - claim.leastCopies) / static_cast<double>(claim.most - claim.least)
               : 0;
}

/// Bytes beyond its least with which compute hides its copies.
Bytes untilHidden(const RoomClaim& claim) {
    const Seconds saved = savedByAByte(claim);
    if (saved <= 0 || claim.copies <= claim.hidden) {
        return 0;
    }
    return std::min(claim.most - claim.least,
                    static_cast<Bytes>((claim.copies - claim.hidden) / saved));
}

/// Gives `wanted` where there is room for all of it, else in proportion.
Bytes giveTo(std::vector<Bytes>& shares,
             const std::vector<size_t>& takers,
             const std::vector<Bytes>& wanted,
             Bytes room) {
    Bytes sum = 0;
    for (const size_t taker : takers) {
        sum += wanted[taker];
    }
    const double part = sum > room ? static_cast<double>(room) / static_cast<double>(sum) : 1;
    Bytes given = 0;
    for (const size_t taker : takers) {
        const auto bytes = static_cast<Bytes>(part * static_cast<double>(wanted[taker]));
        shares[taker] += bytes;
        given += bytes;
    }
    return given;
}

}  // namespace

std::vector<Bytes> shareRoom(const std::vector<RoomClaim>& claims, Bytes room) {
    std::vector<Bytes> shares;
    std::vector<Bytes> wanted;
    std::vector<double> gains;
    for (const RoomClaim& claim : claims) {
        shares.push_back(claim.least);
        wanted.push_back(untilHidden(claim));
        gains.push_back(savedByAByte(claim) * static_cast<double>(claim.passes));
        room -= claim.least;
    }
    std::vector<size_t> order(claims.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) {
        return gains[left] > gains[right];
    });
    for (size_t first = 0; first < order.size();) {
        std::vector<size_t> equals;
        while (first + equals.size() < order.size() &&
               gains[order[first + equals.size()]] >= kEqualGains * gains[order[first]]) {
            equals.push_back(order[first + equals.size()]);
        }
        room -= giveTo(shares, equals, wanted, std::max<Bytes>(room, 0));
        first += equals.size();
    }
    for (size_t i = 0; i < claims.size(); ++i) {
        wanted[i] = claims[i].most - shares[i];
    }
    giveTo(shares, order, wanted, std::max<Bytes>(room, 0));
    return shares;
}

std::vector<std::vector<Bytes>> dividedRooms(const std::vector<RoomClaim>& claims, Bytes room) {
    std::vector<std::vector<Bytes>> divisions = {shareRoom(claims, room)};
    Bytes least = 0;
    for (const RoomClaim& claim : claims) {
        least += claim.least;
    }
    for (size_t i = 0; i < claims.size(); ++i) {
        const Bytes most = std::min(claims[i].most, room - (least - claims[i].least));
        for (const Bytes fixed : {most}) {
            std::vector<RoomClaim> changed = claims;
            changed[i].least = fixed;
            changed[i].most = fixed;
            std::vector<Bytes> division = shareRoom(changed, room);
            if (std::find(divisions.begin(), divisions.end(), division) == divisions.end()) {
                divisions.push_back(std::move(division));
            }
        }
    }
    return divisions;
}

}  // namespace lowtide::memory
