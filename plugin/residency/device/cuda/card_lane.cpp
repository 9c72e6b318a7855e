#include "plugin/residency/device/cuda/card_lane.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <utility>

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

namespace {

/// Complete once it was given to its stream; the point then says where.
class CardEvent final : public LaneEvent {
public:
    CardPointRef point{};
};

std::shared_ptr<const CardEvent> cardEvent(const EventRef& event) {
    return std::static_pointer_cast<const CardEvent>(event);
}

/// `count` of the bytes that cross, from `offset` on.
Crossing partOf(const Crossing& whole, Bytes offset, Bytes count) {
    Crossing part{.target = whole.target + offset, .bytes = count, .widened = whole.widened};
    if (whole.widened) {
        const auto [from, to] = *whole.widened;
        part.target = whole.target + offset / sizeOf(from) * sizeOf(to);
    }
    return part;
}

}  // namespace

void CardLane::lendStaging(std::span<std::byte> memory) {
    ring_.reset();
    if (!memory.empty()) {
        ring_.emplace(*streams_, memory);
    }
}

void CardLane::copyIn(const Crossing& crossing, ByteSource source) {
    lane_.enqueue([this, crossing, source = std::move(source)] {
        if (!ring_) {
            throw Error(ErrorKind::Internal,
                        message("a card was lent no host memory for its copies"));
        }
        beginCopy();
        for (Bytes done = 0; done < crossing.bytes;) {
            const Bytes count = std::min(ring_->piece(), crossing.bytes - done);
            std::byte* piece = ring_->take(count);
            if (!source(piece, done, count)) {
                return;
            }
            streams_->copyIn(partOf(crossing, done, count), piece);
            ring_->noteCopy();
            done += count;
        }
    });
}

void CardLane::copyInStaged(const Crossing& crossing,
                            const std::byte* staged,
                            std::function<bool()> prepare) {
    lane_.enqueue([this, crossing, staged, prepare = std::move(prepare)] {
        beginCopy();
        if (prepare()) {
            streams_->copyIn(crossing, staged);
        }
    });
}

void CardLane::spoil(std::byte* target, Bytes bytes) {
    lane_.enqueue([this, target, bytes] { streams_->spoil(target, bytes); });
}

EventRef CardLane::markCopy() {
    auto event = std::make_shared<CardEvent>();
    lane_.enqueue([this, event] {
        event->point = streams_->markCopy();
        if (const CardPointRef began = std::exchange(began_, nullptr)) {
            note(copies_, {.begin = began, .end = event->point});
        }
    });
    lane_.mark(event);
    return event;
}

EventRef CardLane::markCompute() {
    auto event = std::make_shared<CardEvent>();
    event->point = streams_->markCompute();
    event->complete(nullptr);
    return event;
}

void CardLane::copyWaits(const EventRef& event) {
    lane_.enqueue([this, event = cardEvent(event)] {
        event->waitQuietly();
        if (event->point) {
            streams_->copyWaits(*event->point);
        }
    });
}

void CardLane::computeWaits(const EventRef& event) {
    const CardPointRef before = streams_->markCompute();
    lane_.await(*cardEvent(event));
    streams_->computeWaits(*cardEvent(event)->point);
    note(waits_, {.begin = before, .end = streams_->markCompute()});
}

void CardLane::hostWaits(const EventRef& event) {
    lane_.await(*cardEvent(event));
    streams_->hostWaits(*cardEvent(event)->point);
}

void CardLane::drain() noexcept {
    lane_.drain();
    began_.reset();
    streams_->synchronise();
}

memory::LaneTimes CardLane::times() const {
    const std::lock_guard lock(mutex_);
    fold(copies_);
    fold(waits_);
    return {.copy = copies_.seconds, .wait = waits_.seconds};
}

/// Notes how long a group keeps its stream: reading counts where no earlier copy hides it.
void CardLane::beginCopy() {
    if (!began_) {
        began_ = streams_->markCopy();
    }
}

void CardLane::note(Measured& measured, Span span) {
    const std::lock_guard lock(mutex_);
    measured.open.push_back(std::move(span));
    fold(measured);
}

/// One stream does its work in order: the first that is not over ends it.
void CardLane::fold(Measured& measured) const {
    while (!measured.open.empty() && streams_->isReached(*measured.open.front().end)) {
        const Span& first = measured.open.front();
        measured.seconds += streams_->between(*first.begin, *first.end);
        measured.open.pop_front();
    }
}

}  // namespace lowtide::residency
