#pragma once

#include "plugin/base/units.hpp"

#include <cstdint>
#include <vector>

namespace lowtide::memory {

/// A component that lives beside others: what it takes, and what room does for its passes.
struct RoomClaim {
    Bytes least = 0;          ///< of its smallest layout
    Bytes most = 0;           ///< of its largest
    Seconds copies = 0;       ///< of one pass, in the smallest layout
    Seconds leastCopies = 0;  ///< of one pass, in the largest
    Seconds hidden = 0;       ///< copies of one pass that its compute hides
    int64_t passes = 1;
};

/// What each claim gets of `room`, between its least and its most; the room holds the least of all.
/// Bytes go first where a pass waits for copies, to those that save the most time with a byte
/// (copies shrink evenly with what stays); then to everybody in proportion to what it lacks.
[[nodiscard]] std::vector<Bytes> shareRoom(const std::vector<RoomClaim>& claims, Bytes room);

/// Ways to divide `room` that are worth trying, as shareRoom() has it first: a little more and less
/// for each, and all that it can use, since what is whole needs no ring.
[[nodiscard]] std::vector<std::vector<Bytes>> dividedRooms(const std::vector<RoomClaim>& claims,
                                                           Bytes room);

}  // namespace lowtide::memory
