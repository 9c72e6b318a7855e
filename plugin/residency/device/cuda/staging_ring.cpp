#include "plugin/residency/device/cuda/staging_ring.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>

namespace lowtide::residency {

namespace {

constexpr Bytes kPieces = 4;
constexpr Bytes kPointsOfPiece = 4;  ///< at most, of copies that are smaller
/// Of what is written by wide instructions and read by a card.
constexpr Bytes kPieceAlignment = 256;

}  // namespace

Bytes StagingRing::piece() const {
    return static_cast<Bytes>(memory_.size()) / kPieces / kPieceAlignment * kPieceAlignment;
}

std::byte* StagingRing::take(Bytes bytes) {
    LOWTIDE_ASSERT(bytes > 0 && bytes <= piece());
    const Bytes size = alignUp(bytes, kPieceAlignment);
    const Bytes behind = taken_.end;
    const Bytes begin = behind + size <= static_cast<Bytes>(memory_.size()) ? behind : 0;
    taken_ = {.begin = begin, .end = begin + size};
    if (begin != copied_.end) {
        mark();
    }
    // One stream copies in order: the last copy that lies there is over after all before it.
    const auto last =
        std::find_if(inFlight_.rbegin(), inFlight_.rend(), [this](const Range& range) {
            return range.begin < taken_.end && range.end > taken_.begin;
        });
    if (last != inFlight_.rend()) {
        streams_.hostWaits(*last->copied);
        inFlight_.erase(inFlight_.begin(), last.base());
    }
    return memory_.data() + taken_.begin;
}

void StagingRing::noteCopy() {
    copied_ = {.begin = copied_.end == taken_.begin ? copied_.begin : taken_.begin,
               .end = taken_.end};
    if (copied_.end - copied_.begin >= piece() / kPointsOfPiece) {
        mark();
    }
}

void StagingRing::mark() {
    if (copied_.begin < copied_.end) {
        inFlight_.push_back({copied_.begin, copied_.end, streams_.markCopy()});
    }
    while (!inFlight_.empty() && streams_.isReached(*inFlight_.front().copied)) {
        inFlight_.pop_front();
    }
    copied_ = {.begin = taken_.end, .end = taken_.end};
}

}  // namespace lowtide::residency
