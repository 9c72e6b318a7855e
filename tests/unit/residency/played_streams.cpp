#include "tests/unit/residency/played_streams.hpp"

#include "plugin/residency/element_conversion.hpp"

#include <c10/util/Exception.h>

#include <chrono>
#include <cstring>

namespace lowtide::testing {

namespace {

using Clock = std::chrono::steady_clock;
using residency::GpuPoint;

class PlayedPoint final : public GpuPoint {
public:
    explicit PlayedPoint(std::shared_ptr<int> counted) : counted_(std::move(counted)) {}

    std::shared_ptr<residency::QueueEvent> event = std::make_shared<residency::QueueEvent>();
    std::atomic<Clock::time_point> reached{};

private:
    std::shared_ptr<int> counted_;
};

const PlayedPoint& played(const GpuPoint& point) {
    return static_cast<const PlayedPoint&>(point);
}

}  // namespace

residency::GpuPointRef PlayedStreams::markOn(residency::CopyQueue& queue) const {
    auto point = std::make_shared<PlayedPoint>(points_);
    queue.enqueue([point] { point->reached = Clock::now(); });
    queue.mark(point->event);
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

void PlayedStreams::copyIn(const residency::Transfer& transfer, const std::byte* source) {
    noteCall();
    copies_.enqueue([this, transfer, source] {
        dawdle();
        if (!transfer.widened) {
            std::memcpy(transfer.target, source, static_cast<size_t>(transfer.bytes));
            return;
        }
        const auto [from, to] = *transfer.widened;
        residency::convertElements(
            transfer.target, to, source, from, transfer.bytes / sizeOf(from));
    });
}

void PlayedStreams::spoil(std::byte* target, Bytes bytes) {
    noteCall();
    copies_.enqueue([target, bytes] { std::memset(target, 0xFF, static_cast<size_t>(bytes)); });
}

residency::GpuPointRef PlayedStreams::markCopy() {
    noteCall();
    return markOn(copies_);
}

residency::GpuPointRef PlayedStreams::markCompute() {
    noteCall();
    return markOn(computes_);
}

void PlayedStreams::copyWaits(const GpuPoint& point) {
    noteCall();
    copies_.waitFor(played(point).event);
}

void PlayedStreams::computeWaits(const GpuPoint& point) {
    noteCall();
    computes_.waitFor(played(point).event);
}

void PlayedStreams::hostWaits(const GpuPoint& point) {
    noteCall();
    if (!settings_.forgetsRingBufferWaits) {
        played(point).event->wait();
    }
}

void PlayedStreams::finishCompute() {
    noteCall();
    played(*markOn(computes_)).event->wait();
}

std::string PlayedStreams::failure() const noexcept {
    const bool isLost = settings_.lostAt > 0 && calls_ >= settings_.lostAt;
    return isLost ? "the played GPU fell off its bus" : "";
}

void PlayedStreams::synchronise() noexcept {
    copies_.drain();
    computes_.drain();
}

bool PlayedStreams::isReached(const GpuPoint& point) const {
    noteCall();
    return played(point).event->isComplete();
}

Seconds PlayedStreams::between(const GpuPoint& first, const GpuPoint& last) const {
    noteCall();
    return std::chrono::duration<double>(played(last).reached.load() - played(first).reached.load())
        .count();
}

void PlayedStreams::compute(std::function<void()> work) {
    computes_.enqueue(std::move(work));
}

}  // namespace lowtide::testing
