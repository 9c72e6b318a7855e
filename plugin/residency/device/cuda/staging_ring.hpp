#pragma once

#include "plugin/residency/device/cuda/card_streams.hpp"

#include <deque>
#include <span>

namespace lowtide::residency {

/// Pinned host memory through which bytes go to a card, used over and over. Bytes that are still
/// being copied are never handed out. Neighbours have one point together, so that small copies do
/// not make as many. Copy thread only.
class StagingRing {
public:
    /// Both must outlive it.
    StagingRing(CardStreams& streams, std::span<std::byte> memory)
        : streams_(streams), memory_(memory) {}

    /// Most bytes that take() gives: so many that some are copied while the next are written.
    [[nodiscard]] Bytes piece() const;
    /// Room for `bytes`, at most piece(); waits where they are still being copied.
    [[nodiscard]] std::byte* take(Bytes bytes);
    /// What take() gave last is being copied now.
    void noteCopy();

private:
    struct Range {
        Bytes begin = 0;
        Bytes end = 0;
        CardPointRef copied{};
    };

    void mark();

    CardStreams& streams_;
    std::span<std::byte> memory_;
    Range taken_;
    Range copied_;                ///< neighbours that have no point yet
    std::deque<Range> inFlight_;  ///< in the order of their copies
};

}  // namespace lowtide::residency
