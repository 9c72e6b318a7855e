#include "plugin/residency/device/cuda/cuda_streams.hpp"

#include "plugin/residency/device/cuda/cuda_kernels.hpp"

#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <chrono>
#include <thread>

namespace lowtide::residency {

namespace {

using c10::cuda::CUDAStream;

class CudaPoint final : public CardPoint {
public:
    explicit CudaPoint(const CUDAStream& stream) { event.record(stream); }

    /// With times; the host that waits for it sleeps. LibTorch wants it writable also for what
    /// changes nothing of it.
    mutable c10::cuda::CUDAEvent event{cudaEventBlockingSync};
};

c10::cuda::CUDAEvent& eventOf(const CardPoint& point) {
    return static_cast<const CudaPoint&>(point).event;
}

class CudaStreams final : public CardStreams {
public:
    CudaStreams(int index, Seconds copyDelay)
        : index_(static_cast<c10::DeviceIndex>(index)),
          copyDelay_(copyDelay),
          copies_(c10::cuda::getStreamFromPool(false, index_)) {}

    ~CudaStreams() override { synchronise(); }

    void copyIn(const Crossing& crossing, const std::byte* source) override {
        delay();
        if (!crossing.widened) {
            enqueue(crossing.target, source, crossing.bytes, cudaMemcpyHostToDevice);
            return;
        }
        const auto [from, to] = *crossing.widened;
        const c10::cuda::CUDAGuard guard(index_);
        C10_CUDA_CHECK(widen({.target = crossing.target,
                              .to = to,
                              .source = source,
                              .from = from,
                              .count = crossing.bytes / sizeOf(from)},
                             copies_.stream()));
    }

    void copyOut(std::byte* target, const std::byte* source, Bytes bytes) override {
        enqueue(target, source, bytes, cudaMemcpyDeviceToHost);
        copies_.synchronize();
    }

    void spoil(std::byte* target, Bytes bytes) override {
        const c10::cuda::CUDAGuard guard(index_);
        // All bits set is NaN in f32, f16, bf16 and e4m3 alike.
        C10_CUDA_CHECK(cudaMemsetAsync(target, 0xFF, static_cast<size_t>(bytes), copies_.stream()));
    }

    CardPointRef markCopy() override { return std::make_shared<CudaPoint>(copies_); }

    CardPointRef markCompute() override { return std::make_shared<CudaPoint>(compute()); }

    void copyWaits(const CardPoint& point) override { eventOf(point).block(copies_); }

    void computeWaits(const CardPoint& point) override { eventOf(point).block(compute()); }

    void hostWaits(const CardPoint& point) override { eventOf(point).synchronize(); }

    void finishCompute() override { compute().synchronize(); }

    void synchronise() noexcept override {
        try {
            copies_.synchronize();
            compute().synchronize();
        } catch (const c10::Error&) {
            // The runtime gives it again with the next call that is checked.
        }
    }

    bool isReached(const CardPoint& point) const override { return eventOf(point).query(); }

    Seconds between(const CardPoint& first, const CardPoint& last) const override {
        return static_cast<Seconds>(eventOf(first).elapsed_time(eventOf(last))) * 1e-3;
    }

private:
    [[nodiscard]] CUDAStream compute() const { return c10::cuda::getCurrentCUDAStream(index_); }

    void enqueue(std::byte* target, const std::byte* source, Bytes bytes, cudaMemcpyKind kind) {
        const c10::cuda::CUDAGuard guard(index_);
        C10_CUDA_CHECK(
            cudaMemcpyAsync(target, source, static_cast<size_t>(bytes), kind, copies_.stream()));
    }

    void delay() {
        if (copyDelay_ > 0) {
            const auto sleep = [](void* seconds) {
                std::this_thread::sleep_for(
                    std::chrono::duration<double>(*static_cast<const Seconds*>(seconds)));
            };
            C10_CUDA_CHECK(cudaLaunchHostFunc(copies_.stream(), sleep, &copyDelay_));
        }
    }

    c10::DeviceIndex index_;
    Seconds copyDelay_;
    CUDAStream copies_;
};

}  // namespace

std::unique_ptr<CardStreams> makeCudaStreams(int index, Seconds copyDelay) {
    return std::make_unique<CudaStreams>(index, copyDelay);
}

}  // namespace lowtide::residency
