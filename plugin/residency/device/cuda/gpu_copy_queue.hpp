#pragma once
// The copies of a GPU: its streams as a seam, the ring buffer of pinned memory, the thread that
// feeds them.

#include "plugin/residency/copy_queue.hpp"
#include "plugin/residency/device/device.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace lowtide::residency {

/// A point in the order of one of a GPU's streams.
class GpuPoint {
public:
    virtual ~GpuPoint() = default;
};

using GpuPointRef = std::shared_ptr<const GpuPoint>;

/// The two streams of a GPU: the one that computes, and one that copies. Nothing here waits on the
/// host unless its comment states it. The seam between the order of copies, which is tested
/// everywhere, and the runtime of a GPU.
class GpuStreams {
public:
    virtual ~GpuStreams() = default;

    /// `source` is pinned, and remains unchanged until a point behind this.
    virtual void copyIn(const Transfer& transfer, const std::byte* source) = 0;
    /// Writes NaN, on the copying stream.
    virtual void spoil(std::byte* target, Bytes bytes) = 0;

    /// What was given to the copying stream until now.
    [[nodiscard]] virtual GpuPointRef markCopy() = 0;
    /// What the calling thread gave to the computing stream until now.
    [[nodiscard]] virtual GpuPointRef markCompute() = 0;
    virtual void copyWaits(const GpuPoint& point) = 0;
    virtual void computeWaits(const GpuPoint& point) = 0;
    /// The host waits.
    virtual void hostWaits(const GpuPoint& point) = 0;
    /// The host waits for the computing stream; throws what went wrong in it.
    virtual void finishCompute() = 0;
    /// The host waits for both streams; what went wrong in them is reported by the next call.
    virtual void synchronise() noexcept = 0;

    /// What makes every further call fail, in the runtime's words; empty while the GPU works.
    [[nodiscard]] virtual std::string failure() const noexcept = 0;

    /// Whether the point was reached. Any thread.
    [[nodiscard]] virtual bool isReached(const GpuPoint& point) const = 0;
    /// Between two points of one stream that were reached. Any thread.
    [[nodiscard]] virtual Seconds between(const GpuPoint& first, const GpuPoint& last) const = 0;
};

/// Pinned host memory through which bytes go to a GPU, used over and over. Bytes that are still
/// being copied are never handed out. Neighbours have one point together, so that small copies do
/// not make as many. Copy thread only.
class StagingRingBuffer {
public:
    /// Both must outlive it.
    StagingRingBuffer(GpuStreams& streams, std::span<std::byte> memory)
        : streams_(streams), memory_(memory) {}

    /// Most bytes that take() gives: so many that some are copied while the next are written.
    [[nodiscard]] Bytes piece() const;
    /// Space for `bytes`, at most piece(); waits where they are still being copied.
    [[nodiscard]] std::byte* take(Bytes bytes);
    /// What take() gave last is being copied now.
    void noteCopy();

private:
    struct Range {
        Bytes begin = 0;
        Bytes end = 0;
        GpuPointRef copied{};
    };

    void mark();

    GpuStreams& streams_;
    std::span<std::byte> memory_;
    Range taken_;
    Range copied_;                ///< neighbours that have no point yet
    std::deque<Range> inFlight_;  ///< in the order of their copies
};

/// The copies of a GPU: a thread reads weights into pinned memory and gives them to the copying
/// stream; events order both streams. Waiting for an event waits until it was given to its stream,
/// never until it is reached, unless the host asks. As Device states.
class GpuCopyQueue {
public:
    explicit GpuCopyQueue(std::unique_ptr<GpuStreams> streams) : streams_(std::move(streams)) {}

    /// What is pinned for copyIn(); the queue is idle. Empty: taken back.
    void lendStaging(std::span<std::byte> memory);
    /// Error{Internal} behind it where no staging was lent.
    void copyIn(const Transfer& transfer, ByteSource source);
    void copyInStaged(const Transfer& transfer,
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
    [[nodiscard]] memory::CopyTimes times() const;

private:
    struct Span {
        GpuPointRef begin;
        GpuPointRef end;
    };

    /// Times of one stream; the points of what is over go.
    struct Measured {
        std::deque<Span> open;  ///< oldest first
        Seconds seconds = 0;    ///< of what is over
    };

    void beginCopy();
    void note(Measured& measured, Span span);
    void fold(Measured& measured) const;

    std::unique_ptr<GpuStreams> streams_;
    std::optional<StagingRingBuffer> ringBuffer_;
    GpuPointRef began_;  ///< first copy since the last mark; copy thread only
    mutable std::mutex mutex_;
    mutable Measured copies_;
    mutable Measured waits_;
    CopyQueue queue_;  ///< last: its thread uses the others
};

}  // namespace lowtide::residency
