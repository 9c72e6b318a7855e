#include "tests/unit/residency/played_card.hpp"

#include "plugin/residency/device/cpu/cpu_device.hpp"
#include "plugin/residency/device/cuda/card_lane.hpp"
#include "tests/unit/residency/played_streams.hpp"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <utility>

namespace lowtide::testing {

namespace {

using residency::EventRef;

constexpr Seconds kDelay = 0.001;

class PlayedArena final : public residency::Arena {
public:
    PlayedArena(Bytes bytes, Bytes& counter)
        : bytes_(static_cast<size_t>(bytes) + 512), counter_(counter) {
        counter_ += bytes;
        size_ = bytes;
    }

    ~PlayedArena() override { counter_ -= size_; }

    std::byte* data() const override {
        const auto place = reinterpret_cast<uintptr_t>(bytes_.data());
        return bytes_.data() + (512 - place % 512) % 512;
    }

    Bytes size() const override { return size_; }

private:
    mutable std::vector<std::byte> bytes_;
    Bytes& counter_;
    Bytes size_;
};

class PlayedRecord final : public residency::WorkRecord {
public:
    PlayedRecord(std::shared_ptr<PlayedCompute> compute,
                 std::vector<std::function<void()>> work,
                 const residency::CardLane& lane)
        : compute_(std::move(compute)), work_(std::move(work)), lane_(lane) {}

    void replay() override {
        TORCH_CHECK(lane_.failure().empty(), lane_.failure());
        ++compute_->replays;
        for (const auto& each : work_) {
            each();
        }
    }

private:
    std::shared_ptr<PlayedCompute> compute_;
    std::vector<std::function<void()>> work_;
    const residency::CardLane& lane_;
};

}  // namespace

class PlayedCard final : public residency::Device, private residency::DeviceExtras {
public:
    PlayedCard(std::shared_ptr<PlayedCompute> compute, int lostAt)
        : compute_(std::move(compute)),
          lane_(std::make_unique<PlayedStreams>(
              PlayedSettings{.longestDelay = lostAt > 0 ? 0 : kDelay, .lostAt = lostAt})) {}

    memory::DeviceInfo info() const override {
        return {"cuda:0", "cuda", "Played card", kGiB, kGiB};
    }

    memory::DeviceTraits traits() const override {
        return {.capacity = kGiB,
                .replays = compute_ != nullptr,
                .staging = kPlayedStaging,
                .pinnable = 256 * kKiB};
    }

    c10::Device torchDevice() const override { return at::kCPU; }

    std::unique_ptr<residency::Arena> allocate(Bytes bytes) override {
        requireThere();
        return std::make_unique<PlayedArena>(alignUp(bytes, memory::kSlotAlignment), allocated_);
    }

    std::unique_ptr<residency::Arena> allocateStaging(Bytes bytes) override {
        return std::make_unique<PlayedArena>(bytes, pinned_);
    }

    void lendStaging(std::span<std::byte> memory) override { lane_.lendStaging(memory); }

    at::Tensor view(std::byte* data, at::IntArrayRef sizes, at::ScalarType type) override {
        return at::from_blob(data, sizes, at::TensorOptions(type));
    }

    std::unique_ptr<residency::WorkRecord> record(const std::function<void()>& work) override {
        compute_->isRecording = true;
        try {
            work();
        } catch (...) {
            compute_->isRecording = false;
            compute_->taken_.clear();
            throw;
        }
        compute_->isRecording = false;
        ++compute_->records;
        requireThere();
        return std::make_unique<PlayedRecord>(compute_, std::exchange(compute_->taken_, {}), lane_);
    }

    void copyIn(std::byte* target,
                Bytes bytes,
                residency::ByteSource source,
                std::string) override {
        lane_.copyIn({.target = target, .bytes = bytes}, std::move(source));
    }

    void copyInStaged(const residency::Crossing& crossing,
                      const std::byte* staged,
                      std::function<bool()> prepare,
                      std::string) override {
        lane_.copyInStaged(crossing, staged, std::move(prepare));
    }

    bool widens(const residency::TypeChange& change) const override {
        return sizeOf(change.from) < sizeOf(change.to);
    }

    void copyInWidened(const residency::Crossing& crossing,
                       residency::ByteSource source,
                       std::string) override {
        lane_.copyIn(crossing, std::move(source));
    }

    void discard(std::byte* target, Bytes bytes, std::string) override {
        lane_.spoil(target, bytes);
    }

    EventRef markCopy() override { return lane_.markCopy(); }

    EventRef markCompute() override {
        if (compute_) {
            ++compute_->marks;
            compute_->recordedMarks += compute_->isRecording ? 1 : 0;
        }
        return lane_.markCompute();
    }

    void copyWaits(const EventRef& event) override { lane_.copyWaits(event); }

    /// The host computes, so it has to wait for the bytes as well.
    void computeWaits(const EventRef& event) override {
        lane_.computeWaits(event);
        lane_.hostWaits(event);
    }

    void hostWaits(const EventRef& event) override { lane_.hostWaits(event); }

    void finishCompute() override { lane_.finishCompute(); }

    residency::DeviceExtras& extras() override { return *this; }

    std::string failure() const noexcept override { return lane_.failure(); }

    void drain() noexcept override { lane_.drain(); }

    memory::LaneTimes laneTimes() const override { return lane_.times(); }

    Bytes allocated() const override { return allocated_; }

    Bytes peakAllocated() const override { return allocated_; }

    void resetPeak() override {}

    void cap(Bytes) override { requireThere(); }

    residency::AllocatorState allocatorState() const override {
        return {.outOfMemory = compute_ ? compute_->failures : 0};
    }

private:
    void requireThere() const { TORCH_CHECK(lane_.failure().empty(), lane_.failure()); }

    std::shared_ptr<PlayedCompute> compute_;
    Bytes allocated_ = 0;
    Bytes pinned_ = 0;
    residency::CardLane lane_;
};

void PlayedCompute::give(std::function<void()> work) {
    if (isRecording) {
        taken_.push_back(std::move(work));
    } else {
        work();
    }
}

void PlayedCompute::refuse() {
    failures += isRecording ? 1 : 0;
    TORCH_CHECK(!isRecording, "this operation cannot be recorded");
}

std::unique_ptr<residency::Device> PlayedSource::open(const memory::DeviceSpec& spec) {
    if (spec.kind == "cpu") {
        return residency::openCpuDevice();
    }
    return std::make_unique<PlayedCard>(compute_, lostAt_);
}

}  // namespace lowtide::testing
