#pragma once

#include "plugin/residency/copy_lane.hpp"
#include "plugin/residency/device/cuda/staging_ring.hpp"
#include "plugin/residency/device/device.hpp"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace lowtide::residency {

/// The copies of a card: a thread reads weights into pinned memory and gives them to the copying
/// stream; events order both streams. Waiting for an event waits until it was given to its stream,
/// never until it is reached, unless the host asks. As Device says.
class CardLane {
public:
    explicit CardLane(std::unique_ptr<CardStreams> streams) : streams_(std::move(streams)) {}

    /// What is pinned for copyIn(); the lane is idle. Empty: taken back.
    void lendStaging(std::span<std::byte> memory);
    /// Error{Internal} behind it where no staging was lent.
    void copyIn(const Crossing& crossing, ByteSource source);
    void copyInStaged(const Crossing& crossing,
                      const std::byte* staged,
                      std::function<bool()> prepare);
    void spoil(std::byte* target, Bytes bytes);

    [[nodiscard]] EventRef markCopy();
    [[nodiscard]] EventRef markCompute();
    void copyWaits(const EventRef& event);
    void computeWaits(const EventRef& event);
    void hostWaits(const EventRef& event);

    void finishCompute() { streams_->finishCompute(); }

    [[nodiscard]] std::string failure() const noexcept { return streams_->failure(); }

    void drain() noexcept;
    /// How long copies kept their stream, with the reading that no earlier copy hid; waiting is
    /// what the computing stream stood still. Of what is over.
    [[nodiscard]] memory::LaneTimes times() const;

private:
    struct Span {
        CardPointRef begin;
        CardPointRef end;
    };

    /// Times of one stream; the points of what is over go.
    struct Measured {
        std::deque<Span> open;  ///< oldest first
        Seconds seconds = 0;    ///< of what is over
    };

    void beginCopy();
    void note(Measured& measured, Span span);
    void fold(Measured& measured) const;

    std::unique_ptr<CardStreams> streams_;
    std::optional<StagingRing> ring_;
    CardPointRef began_;  ///< first copy since the last mark; copy thread only
    mutable std::mutex mutex_;
    mutable Measured copies_;
    mutable Measured waits_;
    CopyLane lane_;  ///< last: its thread uses the others
};

}  // namespace lowtide::residency
