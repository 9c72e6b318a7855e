#include "plugin/residency/device/cuda/staging_ring.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>

namespace lowtide::residency {

namespace {

constexpr Bytes kPieces = 4;
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
    inFlight_.push_back({taken_.begin, taken_.end, streams_.markCopy()});
}

}  // namespace lowtide::residency
