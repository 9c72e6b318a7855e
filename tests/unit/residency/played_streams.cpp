#include "tests/unit/residency/played_streams.hpp"

#include "plugin/residency/element_conversion.hpp"

#include <c10/util/Exception.h>

#include <chrono>
#include <cstring>

namespace lowtide::testing {

namespace {

using Clock = std::chrono::steady_clock;
using residency::CardPoint;

class PlayedPoint final : public CardPoint {
public:
    explicit PlayedPoint(std::shared_ptr<int> counted) : counted_(std::move(counted)) {}

    std::shared_ptr<residency::LaneEvent> event = std::make_shared<residency::LaneEvent>();
    std::atomic<Clock::time_point> reached{};

private:
    std::shared_ptr<int> counted_;
};

const PlayedPoint& played(const CardPoint& point) {
    return static_cast<const PlayedPoint&>(point);
}

}  // namespace

residency::CardPointRef PlayedStreams::markOn(residency::CopyLane& lane) const {
    auto point = std::make_shared<PlayedPoint>(points_);
    lane.enqueue([point] { point->reached = Clock::now(); });
    lane.mark(point->event);
    return point;
}

void PlayedStreams::noteCall() const {
    ++calls_;
    TORCH_CHECK(failure().empty(), failure());
}

void PlayedStreams::dawdle() {
    const double part = std::uniform_real_distribution<double>(0.0, 1.0)(random_);
    std::this_thread::sleep_for(std::chrono::duration<double>(part * settings_.longestDelay));
}

void PlayedStreams::copyIn(const residency::Crossing& crossing, const std::byte* source) {
    noteCall();
    copies_.enqueue([this, crossing, source] {
        dawdle();
        if (!crossing.widened) {
            std::memcpy(crossing.target, source, static_cast<size_t>(crossing.bytes));
            return;
        }
        const auto [from, to] = *crossing.widened;
        residency::convertElements(
            crossing.target, to, source, from, crossing.bytes / sizeOf(from));
    });
}

void PlayedStreams::spoil(std::byte* target, Bytes bytes) {
    noteCall();
    copies_.enqueue([target, bytes] { std::memset(target, 0xFF, static_cast<size_t>(bytes)); });
}

residency::CardPointRef PlayedStreams::markCopy() {
    noteCall();
    return markOn(copies_);
}

residency::CardPointRef PlayedStreams::markCompute() {
    noteCall();
    return markOn(computes_);
}

void PlayedStreams::copyWaits(const CardPoint& point) {
    noteCall();
    copies_.waitFor(played(point).event);
}

void PlayedStreams::computeWaits(const CardPoint& point) {
    noteCall();
    computes_.waitFor(played(point).event);
}

void PlayedStreams::hostWaits(const CardPoint& point) {
    noteCall();
    if (!settings_.forgetsRingWaits) {
        played(point).event->wait();
    }
}

void PlayedStreams::finishCompute() {
    noteCall();
    played(*markOn(computes_)).event->wait();
}

std::string PlayedStreams::failure() const noexcept {
    const bool isLost = settings_.lostAt > 0 && calls_ >= settings_.lostAt;
    return isLost ? "the played card fell off its bus" : "";
}

void PlayedStreams::synchronise() noexcept {
    copies_.drain();
    computes_.drain();
}

bool PlayedStreams::isReached(const CardPoint& point) const {
    noteCall();
    return played(point).event->isComplete();
}

Seconds PlayedStreams::between(const CardPoint& first, const CardPoint& last) const {
    noteCall();
    return std::chrono::duration<double>(played(last).reached.load() - played(first).reached.load())
        .count();
}

void PlayedStreams::compute(std::function<void()> work) {
    computes_.enqueue(std::move(work));
}

}  // namespace lowtide::testing
