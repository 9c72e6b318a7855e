#include "plugin/residency/device/cuda/card_lane.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>

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
        measured([&] {
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
    });
}

void CardLane::copyInStaged(const Crossing& crossing,
                            const std::byte* staged,
                            std::function<bool()> prepare) {
    lane_.enqueue([this, crossing, staged, prepare = std::move(prepare)] {
        measured([&] {
            if (prepare()) {
                streams_->copyIn(crossing, staged);
            }
        });
    });
}

void CardLane::spoil(std::byte* target, Bytes bytes) {
    lane_.enqueue([this, target, bytes] { streams_->spoil(target, bytes); });
}

void CardLane::copyOut(std::byte* target, const std::byte* source, Bytes bytes) {
    lane_.enqueue([this, target, source, bytes] {
        measured([&] { streams_->copyOut(target, source, bytes); });
    });
}

EventRef CardLane::markCopy() {
    auto event = std::make_shared<CardEvent>();
    lane_.enqueue([this, event] { event->point = streams_->markCopy(); });
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
    note({.begin = before, .end = streams_->markCompute(), .isWait = true});
}

void CardLane::hostWaits(const EventRef& event) {
    lane_.await(*cardEvent(event));
    streams_->hostWaits(*cardEvent(event)->point);
}

void CardLane::drain() noexcept {
    lane_.drain();
    streams_->synchronise();
}

memory::LaneTimes CardLane::times() const {
    const std::lock_guard lock(mutex_);
    const auto isOver = [this](const Span& span) {
        if (!streams_->isReached(*span.end)) {
            return false;
        }
        (span.isWait ? times_.wait : times_.copy) += streams_->between(*span.begin, *span.end);
        return true;
    };
    std::erase_if(open_, isOver);
    return times_;
}

/// Notes how long a copy keeps its stream: reading counts where no earlier copy hides it.
void CardLane::measured(const std::function<void()>& work) {
    const CardPointRef begin = streams_->markCopy();
    work();
    note({.begin = begin, .end = streams_->markCopy()});
}

void CardLane::note(Span span) {
    const std::lock_guard lock(mutex_);
    open_.push_back(std::move(span));
}

}  // namespace lowtide::residency
