#include "tests/unit/residency/played_gpu.hpp"

#include "plugin/residency/device/cpu/cpu_device.hpp"
#include "plugin/residency/device/cuda/gpu_copy_queue.hpp"
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
        const auto found = reinterpret_cast<uintptr_t>(bytes_.data());
        return bytes_.data() + (512 - found % 512) % 512;
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
                 const residency::GpuCopyQueue& queue)
        : compute_(std::move(compute)), work_(std::move(work)), queue_(queue) {}

    void replay() override {
        TORCH_CHECK(queue_.failure().empty(), queue_.failure());
        ++compute_->replays;
        for (const auto& each : work_) {
            each();
        }
    }

private:
    std::shared_ptr<PlayedCompute> compute_;
    std::vector<std::function<void()>> work_;
    const residency::GpuCopyQueue& queue_;
};

}  // namespace

class PlayedGpu final : public residency::Device, private residency::DeviceExtras {
public:
    PlayedGpu(std::shared_ptr<PlayedCompute> compute, int lostAt)
        : compute_(std::move(compute)),
          queue_(std::make_unique<PlayedStreams>(
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

    void lendStaging(std::span<std::byte> memory) override { queue_.lendStaging(memory); }

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
        return std::make_unique<PlayedRecord>(
            compute_, std::exchange(compute_->taken_, {}), queue_);
    }

    void copyIn(std::byte* target,
                Bytes bytes,
                residency::ByteSource source,
                std::string) override {
        queue_.copyIn({.target = target, .bytes = bytes}, std::move(source));
    }

    void copyInStaged(const residency::Transfer& transfer,
                      const std::byte* staged,
                      std::function<bool()> prepare,
                      std::string) override {
        queue_.copyInStaged(transfer, staged, std::move(prepare));
    }

    bool widens(const residency::TypeChange& change) const override {
        return sizeOf(change.from) < sizeOf(change.to);
    }

    void copyInWidened(const residency::Transfer& transfer,
                       residency::ByteSource source,
                       std::string) override {
        queue_.copyIn(transfer, std::move(source));
    }

    void discard(std::byte* target, Bytes bytes, std::string) override {
        queue_.spoil(target, bytes);
    }

    EventRef markCopy() override { return queue_.markCopy(); }

    EventRef markCompute() override {
        if (compute_) {
            ++compute_->marks;
            compute_->recordedMarks += compute_->isRecording ? 1 : 0;
        }
        return queue_.markCompute();
    }

    void copyWaits(const EventRef& event) override { queue_.copyWaits(event); }

    /// The host computes, so it has to wait for the bytes as well.
    void computeWaits(const EventRef& event) override {
        queue_.computeWaits(event);
        queue_.hostWaits(event);
    }

    void hostWaits(const EventRef& event) override { queue_.hostWaits(event); }

    void finishCompute() override { queue_.finishCompute(); }

    residency::DeviceExtras& extras() override { return *this; }

    std::string failure() const noexcept override { return queue_.failure(); }

    void drain() noexcept override { queue_.drain(); }

    memory::CopyTimes copyTimes() const override { return queue_.times(); }

    Bytes allocated() const override { return allocated_; }

    Bytes peakAllocated() const override { return allocated_; }

    void resetPeak() override {}

    void cap(Bytes) override { requireThere(); }

    residency::AllocatorState allocatorState() const override {
        return {.outOfMemory = compute_ ? compute_->failures : 0};
    }

private:
    void requireThere() const { TORCH_CHECK(queue_.failure().empty(), queue_.failure()); }

    std::shared_ptr<PlayedCompute> compute_;
    Bytes allocated_ = 0;
    Bytes pinned_ = 0;
    residency::GpuCopyQueue queue_;
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
    return std::make_unique<PlayedGpu>(compute_, lostAt_);
}

}  // namespace lowtide::testing
