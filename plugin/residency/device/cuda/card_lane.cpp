#include "plugin/residency/device/cuda/card_lane.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

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
            throw Error(ErrorKind::Internal, "a card was lent no host memory for its copies");
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
