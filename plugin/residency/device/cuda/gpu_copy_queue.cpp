#include "plugin/residency/device/cuda/gpu_copy_queue.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

namespace {

constexpr Bytes kPieces = 4;
constexpr Bytes kPointsOfPiece = 4;  ///< at most, of copies that are smaller
/// Of what is written by wide instructions and read by a GPU.
constexpr Bytes kPieceAlignment = 256;

}  // namespace

Bytes StagingRingBuffer::piece() const {
    return static_cast<Bytes>(memory_.size()) / kPieces / kPieceAlignment * kPieceAlignment;
}

std::byte* StagingRingBuffer::take(Bytes bytes) {
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

void StagingRingBuffer::noteCopy() {
    copied_ = {.begin = copied_.end == taken_.begin ? copied_.begin : taken_.begin,
               .end = taken_.end};
    if (copied_.end - copied_.begin >= piece() / kPointsOfPiece) {
        mark();
    }
}

void StagingRingBuffer::mark() {
    if (copied_.begin < copied_.end) {
        inFlight_.push_back({copied_.begin, copied_.end, streams_.markCopy()});
    }
    while (!inFlight_.empty() && streams_.isReached(*inFlight_.front().copied)) {
        inFlight_.pop_front();
    }
    copied_ = {.begin = taken_.end, .end = taken_.end};
}

namespace {

/// Complete once it was given to its stream; the point then states where.
class GpuEvent final : public QueueEvent {
public:
    GpuPointRef point{};
};

std::shared_ptr<const GpuEvent> gpuEvent(const EventRef& event) {
    return std::static_pointer_cast<const GpuEvent>(event);
}

/// `count` of the bytes that cross, from `offset` on.
Transfer partOf(const Transfer& whole, Bytes offset, Bytes count) {
    Transfer part{.target = whole.target + offset, .bytes = count, .widened = whole.widened};
    if (whole.widened) {
        const auto [from, to] = *whole.widened;
        part.target = whole.target + offset / sizeOf(from) * sizeOf(to);
    }
    return part;
}

}  // namespace

void GpuCopyQueue::lendStaging(std::span<std::byte> memory) {
    ringBuffer_.reset();
    if (!memory.empty()) {
        ringBuffer_.emplace(*streams_, memory);
    }
}

void GpuCopyQueue::copyIn(const Transfer& transfer, ByteSource source) {
    queue_.enqueue([this, transfer, source = std::move(source)] {
        if (!ringBuffer_) {
            throw Error(ErrorKind::Internal,
                        message("a GPU was lent no host memory for its copies"));
        }
        beginCopy();
        for (Bytes done = 0; done < transfer.bytes;) {
            const Bytes count = std::min(ringBuffer_->piece(), transfer.bytes - done);
            std::byte* piece = ringBuffer_->take(count);
            if (!source(piece, done, count)) {
                return;
            }
            streams_->copyIn(partOf(transfer, done, count), piece);
            ringBuffer_->noteCopy();
            done += count;
        }
    });
}

void GpuCopyQueue::copyInStaged(const Transfer& transfer,
                                const std::byte* staged,
                                std::function<bool()> prepare) {
    queue_.enqueue([this, transfer, staged, prepare = std::move(prepare)] {
        beginCopy();
        if (prepare()) {
            streams_->copyIn(transfer, staged);
        }
    });
}

void GpuCopyQueue::spoil(std::byte* target, Bytes bytes) {
    queue_.enqueue([this, target, bytes] { streams_->spoil(target, bytes); });
}

EventRef GpuCopyQueue::markCopy() {
    auto event = std::make_shared<GpuEvent>();
    queue_.enqueue([this, event] {
        event->point = streams_->markCopy();
        if (const GpuPointRef began = std::exchange(began_, nullptr)) {
            note(copies_, {.begin = began, .end = event->point});
        }
    });
    queue_.mark(event);
    return event;
}

EventRef GpuCopyQueue::markCompute() {
    auto event = std::make_shared<GpuEvent>();
    event->point = streams_->markCompute();
    event->complete(nullptr);
    return event;
}

void GpuCopyQueue::copyWaits(const EventRef& event) {
    queue_.enqueue([this, event = gpuEvent(event)] {
        event->waitQuietly();
        if (event->point) {
            streams_->copyWaits(*event->point);
        }
    });
}

void GpuCopyQueue::computeWaits(const EventRef& event) {
    const GpuPointRef before = streams_->markCompute();
    queue_.await(*gpuEvent(event));
    streams_->computeWaits(*gpuEvent(event)->point);
    note(waits_, {.begin = before, .end = streams_->markCompute()});
}

void GpuCopyQueue::hostWaits(const EventRef& event) {
    queue_.await(*gpuEvent(event));
    streams_->hostWaits(*gpuEvent(event)->point);
}

void GpuCopyQueue::drain() noexcept {
    queue_.drain();
    began_.reset();
    streams_->synchronise();
}

memory::CopyTimes GpuCopyQueue::times() const {
    const std::lock_guard lock(mutex_);
    fold(copies_);
    fold(waits_);
    return {.copy = copies_.seconds, .wait = waits_.seconds};
}

/// Notes how long a group keeps its stream: reading counts where no earlier copy hides it.
void GpuCopyQueue::beginCopy() {
    if (!began_) {
        began_ = streams_->markCopy();
    }
}

void GpuCopyQueue::note(Measured& measured, Span span) {
    const std::lock_guard lock(mutex_);
    measured.open.push_back(std::move(span));
    fold(measured);
}

/// One stream does its work in order: the first that is not over ends it.
void GpuCopyQueue::fold(Measured& measured) const {
    while (!measured.open.empty() && streams_->isReached(*measured.open.front().end)) {
        const Span& first = measured.open.front();
        measured.seconds += streams_->between(*first.begin, *first.end);
        measured.open.pop_front();
    }
}

}  // namespace lowtide::residency
