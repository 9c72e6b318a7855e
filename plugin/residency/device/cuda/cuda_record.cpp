#include "plugin/residency/device/cuda/cuda_record.hpp"

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>

namespace lowtide::residency {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

class CudaRecord final : public WorkRecord {
public:
    void replay() override { graph.replay(); }

    at::cuda::CUDAGraph graph;
};

/// Whether LibTorch did it; what it says otherwise is left out, since something went wrong before.
bool wasDone(const std::function<void()>& call) noexcept {
    try {
        call();
        return true;
    } catch (const c10::Error&) {
        static_cast<void>(cudaGetLastError());
        return false;
    }
}

/// A capture that was begun. Libraries make their workspaces anew in it and after it, because
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
