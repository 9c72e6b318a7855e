#include "plugin/residency/device/cuda/cuda_device.hpp"
#include "plugin/residency/device/cuda/cuda_kernels.hpp"
#include "plugin/residency/device/cuda/gpu_copy_queue.hpp"
#include "plugin/residency/device/device.hpp"

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <chrono>
#include <exception>
#include <string>
#include <thread>

namespace lowtide::residency {

namespace {

using c10::cuda::CUDAStream;

/// An event with times; the host that waits for it sleeps. LibTorch's own would ask the runtime
/// when it is destroyed, and end the program where the GPU is lost.
class CudaPoint final : public GpuPoint {
public:
    explicit CudaPoint(const CUDAStream& stream) {
        const c10::cuda::CUDAGuard guard(stream.device_index());
        C10_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync));
        const cudaError_t recorded = cudaEventRecord(event_, stream.stream());
        if (recorded != cudaSuccess) {
            static_cast<void>(cudaEventDestroy(event_));
            C10_CUDA_CHECK(recorded);
        }
    }

    ~CudaPoint() override { static_cast<void>(cudaEventDestroy(event_)); }

    CudaPoint(const CudaPoint&) = delete;
    CudaPoint& operator=(const CudaPoint&) = delete;

    [[nodiscard]] cudaEvent_t event() const { return event_; }

private:
    cudaEvent_t event_{};
};

cudaEvent_t eventOf(const GpuPoint& point) {
    return static_cast<const CudaPoint&>(point).event();
}

class CudaStreams final : public GpuStreams {
public:
    CudaStreams(int index, Seconds copyDelay)
        : index_(static_cast<c10::DeviceIndex>(index)),
          copyDelay_(copyDelay),
          copies_(c10::cuda::getStreamFromPool(false, index_)) {}

    ~CudaStreams() override { synchronise(); }

    void copyIn(const Transfer& transfer, const std::byte* source) override {
        delay();
        if (!transfer.widened) {
            enqueue(transfer.target, source, transfer.bytes, cudaMemcpyHostToDevice);
            return;
        }
        const auto [from, to] = *transfer.widened;
        const c10::cuda::CUDAGuard guard(index_);
        C10_CUDA_CHECK(widen({.target = transfer.target,
                              .to = to,
                              .source = source,
                              .from = from,
                              .count = transfer.bytes / sizeOf(from)},
                             copies_.stream()));
    }

    void spoil(std::byte* target, Bytes bytes) override {
        const c10::cuda::CUDAGuard guard(index_);
        // All bits set is NaN in f32, f16, bf16 and e4m3 alike.
        C10_CUDA_CHECK(cudaMemsetAsync(target, 0xFF, static_cast<size_t>(bytes), copies_.stream()));
    }

    GpuPointRef markCopy() override { return std::make_shared<CudaPoint>(copies_); }

    GpuPointRef markCompute() override { return std::make_shared<CudaPoint>(compute()); }

    void copyWaits(const GpuPoint& point) override { wait(copies_, point); }

    void computeWaits(const GpuPoint& point) override { wait(compute(), point); }

    void hostWaits(const GpuPoint& point) override {
        C10_CUDA_CHECK(cudaEventSynchronize(eventOf(point)));
    }

    void finishCompute() override { compute().synchronize(); }

    void synchronise() noexcept override {
        try {
            copies_.synchronize();
            compute().synchronize();
        } catch (const std::exception&) {
            // The runtime gives it again with the next call that is checked.
        }
    }

    /// Asks the copying stream, which is never recorded: what broke the GPU is reported by any
    /// call.
    std::string failure() const noexcept override {
        const cudaError_t state = cudaStreamQuery(copies_.stream());
        if (state == cudaSuccess || state == cudaErrorNotReady) {
            return {};
        }
        static_cast<void>(cudaGetLastError());
        return std::string("CUDA error: ") + cudaGetErrorString(state);
    }

    bool isReached(const GpuPoint& point) const override {
        const cudaError_t state = cudaEventQuery(eventOf(point));
        if (state == cudaErrorNotReady) {
            static_cast<void>(cudaGetLastError());
            return false;
        }
        C10_CUDA_CHECK(state);
        return true;
    }

    Seconds between(const GpuPoint& first, const GpuPoint& last) const override {
        float milliseconds = 0;
        C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, eventOf(first), eventOf(last)));
        return static_cast<Seconds>(milliseconds) * 1e-3;
    }

private:
    void wait(const CUDAStream& stream, const GpuPoint& point) const {
        const c10::cuda::CUDAGuard guard(index_);
        C10_CUDA_CHECK(cudaStreamWaitEvent(stream.stream(), eventOf(point), cudaEventWaitDefault));
    }

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

std::unique_ptr<GpuStreams> makeCudaStreams(int index, Seconds copyDelay) {
    return std::make_unique<CudaStreams>(index, copyDelay);
}

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

class CudaRecord final : public WorkRecord {
public:
    void replay() override { graph.replay(); }

    at::cuda::CUDAGraph graph;
};

/// Whether LibTorch did it; what it reports otherwise is left out, since something went wrong
/// before.
bool wasDone(const std::function<void()>& call) noexcept {
    try {
        call();
        return true;
    } catch (const c10::Error&) {
        static_cast<void>(cudaGetLastError());
        return false;
    }
}

/// A capture that was begun. Libraries make their workspaces again in it and after it, because
/// those of the record are its own (LibTorch, torch/_inductor/cudagraph_trees.py).
class Capture {
public:
    /// Of the current stream.
    Capture(CudaRecord& record, c10::DeviceIndex device)
        : graph_(record.graph), pool_(at::cuda::graph_pool_handle()), device_(device) {
        at::cuda::clearCublasWorkspaces();
        graph_.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
    }

    /// Before the record goes, whose address the allocator knows.
    ~Capture() {
        if (!isEnded_ && wasDone([&] { graph_.capture_end(); })) {
            isWhole_ = true;  // only `work` failed
        }
        if (!isWhole_) {
            repair();
        }
        wasDone([] { at::cuda::clearCublasWorkspaces(); });
    }

    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    void end() {
        isEnded_ = true;
        graph_.capture_end();
        isWhole_ = true;
    }

private:
    /// LibTorch leaves its allocators in a capture that was void (CUDAGraph::capture_end). Where
    /// it came further the first call fails, and the graph gives its pool back itself.
    void repair() noexcept {
        at::HostAllocator* host = at::getHostAllocator(at::kCUDA);
        const bool wasLeft = wasDone([&] { allocator::endAllocateToPool(device_, pool_); });
        wasDone([&] { host->end_allocate_to_pool(pool_); });
        if (wasLeft) {
            wasDone([&] { allocator::releasePool(device_, pool_); });
            wasDone([&] { host->release_pool(pool_); });
        }
    }

    at::cuda::CUDAGraph& graph_;
    c10::MempoolId_t pool_;
    c10::DeviceIndex device_;
    bool isEnded_ = false;
    bool isWhole_ = false;
};

}  // namespace

std::unique_ptr<WorkRecord> recordWork(const c10::cuda::CUDAStream& stream,
                                       const std::function<void()>& work) {
    auto record = std::make_unique<CudaRecord>();
    const c10::cuda::CUDAStreamGuard current(stream);
    Capture capture(*record, stream.device_index());
    work();
    capture.end();
    return record;
}

}  // namespace lowtide::residency
