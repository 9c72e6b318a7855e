#include "plugin/residency/device/cuda/card_lane.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <chrono>

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

class Stopwatch {
public:
    explicit Stopwatch(Seconds& total) : total_(total) {}

    ~Stopwatch() {
        total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    Seconds& total_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

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
        measured([&](Seconds& reading) {
            for (Bytes done = 0; done < crossing.bytes;) {
                const Bytes count = std::min(ring_->piece(), crossing.bytes - done);
                std::byte* piece = ring_->take(count);
                const Stopwatch watch(reading);
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
        measured([&](Seconds& reading) {
            const Stopwatch watch(reading);
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
        measured([&](Seconds&) { streams_->copyOut(target, source, bytes); });
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
    lane_.await(*cardEvent(event));
    const CardPointRef before = streams_->markCompute();
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
        const Seconds transfer = streams_->between(*span.begin, *span.end);
        (span.isWait ? times_.wait : times_.copy) += std::max(span.reading, transfer);
        return true;
    };
    std::erase_if(open_, isOver);
    return times_;
}

/// Runs the work of a copy and notes how long it takes on both sides.
void CardLane::measured(const std::function<void(Seconds& reading)>& work) {
    Span span{.begin = streams_->markCopy()};
    work(span.reading);
    span.end = streams_->markCopy();
    note(std::move(span));
}

void CardLane::note(Span span) {
    const std::lock_guard lock(mutex_);
    open_.push_back(std::move(span));
}

}  // namespace lowtide::residency
