#include "plugin/residency/device/cuda/cuda_device.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/card.hpp"
#include "plugin/residency/decoding/decode_by_aten.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "plugin/residency/device/cuda/cuda_driver.hpp"
#include "plugin/residency/device/cuda/cuda_kernels.hpp"
#include "plugin/residency/device/cuda/gpu_copy_queue.hpp"
#include "plugin/residency/device/device.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/env.h>
#include <torch/library.h>

#include <algorithm>

namespace lowtide::residency {

/// Memory of one GPU, from LibTorch's caching allocator, and pinned host memory for its copies.
class CudaMemory {
public:
    /// The first use of a GPU makes its context.
    explicit CudaMemory(const CudaGpu& gpu);

    /// Error{OutOfMemory} with the bytes asked for.
    [[nodiscard]] std::unique_ptr<Arena> allocate(Bytes bytes) const;
    [[nodiscard]] std::unique_ptr<Arena> allocatePinned(Bytes bytes) const;

    /// What others have not taken, with what the allocator keeps without need.
    [[nodiscard]] Bytes free() const;
    [[nodiscard]] Bytes allocated() const;
    [[nodiscard]] Bytes peakAllocated() const;
    void resetPeak() const;
    /// Bounds what the allocator takes from the GPU, which is never less than what it gives out.
    void cap(Bytes bytes) const;
    [[nodiscard]] AllocatorState state() const;
    void returnCached() const;

    /// What cuBLAS takes of the allocator at its first product after they were dropped.
    [[nodiscard]] Bytes productWorkspace() const;
    /// Those of all GPUs.
    static void dropWorkspaces();

private:
    CudaGpu gpu_;
};

/// Gives LibTorch the kernels of the device, once per process. c10::Error where it refuses them.
void registerCudaOperators();

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);

class CudaArena final : public Arena {
public:
    explicit CudaArena(Bytes bytes)
        : data_(static_cast<std::byte*>(allocator::raw_alloc(static_cast<size_t>(bytes)))),
          bytes_(bytes) {}

    ~CudaArena() override { allocator::raw_delete(data_); }

    [[nodiscard]] std::byte* data() const override { return data_; }

    [[nodiscard]] Bytes size() const override { return bytes_; }

private:
    std::byte* data_;
    Bytes bytes_;
};

class PinnedArena final : public Arena {
public:
    explicit PinnedArena(Bytes bytes) : bytes_(bytes) {
        void* data = nullptr;
        C10_CUDA_CHECK(cudaHostAlloc(&data, static_cast<size_t>(bytes), cudaHostAllocDefault));
        data_ = static_cast<std::byte*>(data);
    }

    /// What a lost GPU answers changes nothing here.
    ~PinnedArena() override { static_cast<void>(cudaFreeHost(data_)); }

    [[nodiscard]] std::byte* data() const override { return data_; }

    [[nodiscard]] Bytes size() const override { return bytes_; }

private:
    std::byte* data_ = nullptr;
    Bytes bytes_;
};

c10::DeviceIndex indexOf(const CudaGpu& gpu) {
    return static_cast<c10::DeviceIndex>(gpu.index);
}

c10::CachingDeviceAllocator::DeviceStats statsOf(const CudaGpu& gpu) {
    return allocator::getDeviceStats(indexOf(gpu));
}

}  // namespace

CudaMemory::CudaMemory(const CudaGpu& gpu) : gpu_(gpu) {
    at::globalContext().lazyInitDevice(c10::kCUDA);
}

std::unique_ptr<Arena> CudaMemory::allocate(Bytes bytes) const {
    const c10::cuda::CUDAGuard guard(indexOf(gpu_));
    try {
        return std::make_unique<CudaArena>(alignUp(bytes, memory::kSlotAlignment));
    } catch (const c10::OutOfMemoryError&) {
        throw Error(
            ErrorKind::OutOfMemory,
            message("{}: {} for weights do not fit next to the {} in use; {} are free",
                    gpu_.name,
                    formatBytes(bytes),
                    formatBytes(allocated()),
                    formatBytes(free())),
            message("choose a memory policy that holds less, or end other programs on the GPU"))
            .withBytesAsked(bytes);
    }
}

std::unique_ptr<Arena> CudaMemory::allocatePinned(Bytes bytes) const {
    const c10::cuda::CUDAGuard guard(indexOf(gpu_));
    try {
        return std::make_unique<PinnedArena>(bytes);
    } catch (const c10::Error& error) {
        throw Error(ErrorKind::OutOfMemory,
                    message("the host has no {} to pin for weights on their way to {}: {}",
                            formatBytes(bytes),
                            gpu_.name,
                            error.what_without_backtrace()),
                    message("end other programs, or pin less (pin=SIZE in the memory policy)"))
            .withBytesAsked(bytes);
    }
}

Bytes CudaMemory::free() const {
    const c10::cuda::CUDAGuard guard(indexOf(gpu_));
    size_t free = 0;
    size_t total = 0;
    C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return static_cast<Bytes>(free) + state().cached;
}

Bytes CudaMemory::allocated() const {
    return statsOf(gpu_).allocated_bytes[kAll].current;
}

Bytes CudaMemory::peakAllocated() const {
    return statsOf(gpu_).allocated_bytes[kAll].peak;
}

void CudaMemory::resetPeak() const {
    allocator::resetPeakStats(indexOf(gpu_));
}

void CudaMemory::cap(Bytes bytes) const {
    const double fraction = static_cast<double>(bytes) / static_cast<double>(gpu_.capacity);
    allocator::setMemoryFraction(bytes < 0 ? 1 : std::min(1.0, fraction), indexOf(gpu_));
}

AllocatorState CudaMemory::state() const {
    const auto stats = statsOf(gpu_);
    return {.retries = stats.num_alloc_retries,
            .outOfMemory = stats.num_ooms,
            .cached = stats.reserved_bytes[kAll].current - stats.allocated_bytes[kAll].current};
}

void CudaMemory::returnCached() const {
    allocator::emptyCache();
}

/// cuBLASLt has its own, unless the environment sets that both share one (LibTorch,
/// CUDABlas.cpp).
Bytes CudaMemory::productWorkspace() const {
    const c10::cuda::CUDAGuard guard(indexOf(gpu_));  // LibTorch answers for the current GPU
    const auto first = static_cast<Bytes>(at::cuda::getChosenWorkspaceSize());
    const std::optional<bool> isShared = c10::utils::check_env("TORCH_CUBLASLT_UNIFIED_WORKSPACE");
    const auto own = static_cast<Bytes>(at::cuda::getCUDABlasLtWorkspaceSize());
    return first + (isShared.value_or(false) ? 0 : own);
}

void CudaMemory::dropWorkspaces() {
    at::cuda::clearCublasWorkspaces();
}

namespace {

/// f32 [B, 3, H, W] -> uint8 [B, H, W, 3].
at::Tensor levelsOnGpu(const at::Tensor& pixels) {
    const at::Tensor source = pixels.contiguous();
    at::Tensor result = at::empty({source.size(0), source.size(2), source.size(3), 3},
                                  source.options().dtype(at::kByte));
    const c10::cuda::CUDAGuard guard(source.device());
    C10_CUDA_CHECK(toLevels({.target = result.mutable_data_ptr<uint8_t>(),
                             .source = source.const_data_ptr<float>(),
                             .batch = source.size(0),
                             .pixels = source.size(2) * source.size(3)},
                            c10::cuda::getCurrentCUDAStream().stream()));
    return result;
}

torch::Library makeLibrary() {
    torch::Library library(
        torch::Library::IMPL, "lowtide", c10::DispatchKey::CUDA, __FILE__, __LINE__);
    if (hasOwnKernels()) {
        library.impl("levels", levelsOnGpu);
    }
    return library;
}

}  // namespace

void registerCudaOperators() {
    static const torch::Library* const registered =
        std::make_unique<torch::Library>(makeLibrary()).release();
    static_cast<void>(registered);
}

namespace {

static_assert(CUDART_VERSION / 1000 == CudaNeeds().version / 1000,
              "drivers are asked for another CUDA");

class CudaDevice final : public Device, private DeviceExtras {
public:
    CudaDevice(const CudaGpu& gpu, const CudaSettings& settings)
        : gpu_(gpu),
          spoils_(settings.spoils),
          memory_(gpu),
          queue_(makeCudaStreams(gpu.index, settings.copyDelay)),
          records_(c10::cuda::getStreamFromPool(false, torchDevice().index())) {}

    [[nodiscard]] memory::DeviceInfo info() const override {
        return {gpu_.id(), "cuda", gpu_.name, gpu_.capacity, memory_.free()};
    }

    [[nodiscard]] memory::DeviceTraits traits() const override {
        memory::DeviceTraits traits =
            memory::cudaTraits(gpu_.capability, gpu_.capacity, hostMemory().available);
        traits.workspace = memory_.productWorkspace();
        traits.decodesAtOnce = hasOwnKernels();
        return traits;
    }

    [[nodiscard]] c10::Device torchDevice() const override {
        return {c10::kCUDA, static_cast<c10::DeviceIndex>(gpu_.index)};
    }

    void attachThread() override { c10::cuda::set_device(torchDevice().index()); }

    /// The allocator may give memory that compute was done with on the host only: copies wait for
    /// what the GPU still does there.
    [[nodiscard]] std::unique_ptr<Arena> allocate(Bytes bytes) override {
        std::unique_ptr<Arena> arena = memory_.allocate(bytes);
        queue_.copyWaits(queue_.markCompute());
        return arena;
    }

    [[nodiscard]] std::unique_ptr<Arena> allocateStaging(Bytes bytes) override {
        return memory_.allocatePinned(bytes);
    }

    void lendStaging(std::span<std::byte> memory) override { queue_.lendStaging(memory); }

    [[nodiscard]] at::Tensor view(std::byte* data,
                                  at::IntArrayRef sizes,
                                  at::ScalarType type) override {
        return at::for_blob(data, sizes)
            .options(at::TensorOptions(type).device(torchDevice()))
            .target_device(torchDevice())
            .make_tensor();
    }

    [[nodiscard]] std::optional<at::Tensor> dequantise(const at::Tensor& values,
                                                       const at::Tensor& scales,
                                                       DType type) override {
        if (!hasOwnKernels()) {
            return {};
        }
        at::Tensor result = at::empty(values.sizes(), values.options().dtype(scalarTypeOf(type)));
        const ScaledRows rows{.target = result.mutable_data_ptr(),
                              .type = type,
                              .values = values.const_data_ptr(),
                              .scales = scales.const_data_ptr<float>(),
                              .rows = scales.numel(),
                              .columns = values.numel() / scales.numel()};
        const c10::cuda::CUDAGuard guard(torchDevice());
        C10_CUDA_CHECK(
            lowtide::residency::dequantise(rows, c10::cuda::getCurrentCUDAStream().stream()));
        return result;
    }

    [[nodiscard]] std::optional<at::Tensor> decode(const HeldBytes& held,
                                                   at::IntArrayRef sizes,
                                                   DType type) override {
        if (!hasOwnKernels() || !hasGpuDecoder(*held.tensor)) {
            return {};
        }
        at::Tensor result =
            at::empty(sizes, at::TensorOptions(scalarTypeOf(type)).device(torchDevice()));
        const GpuDecoding work{.target = result.mutable_data_ptr(),
                               .type = type,
                               .stored = onGpu(held),
                               .encoding = held.tensor->encoding};
        const c10::cuda::CUDAGuard guard(torchDevice());
        C10_CUDA_CHECK(
            lowtide::residency::decode(work, c10::cuda::getCurrentCUDAStream().stream()));
        return result;
    }

    [[nodiscard]] std::unique_ptr<WorkRecord> record(const std::function<void()>& work) override {
        queue_.finishCompute();
        memory_.returnCached();
        return recordWork(records_, work);
    }

    void copyIn(std::byte* target, Bytes bytes, ByteSource source, std::string) override {
        queue_.copyIn({.target = target, .bytes = bytes}, std::move(source));
    }

    void copyInStaged(const Transfer& transfer,
                      const std::byte* staged,
                      std::function<bool()> prepare,
                      std::string) override {
        queue_.copyInStaged(transfer, staged, std::move(prepare));
    }

    [[nodiscard]] bool widens(const TypeChange& change) const override {
        return canWiden(change.from, change.to);
    }

    void copyInWidened(const Transfer& transfer, ByteSource source, std::string) override {
        queue_.copyIn(transfer, std::move(source));
    }

    void discard(std::byte* target, Bytes bytes, std::string) override {
        if (spoils_) {
            queue_.spoil(target, bytes);
        }
    }

    [[nodiscard]] EventRef markCopy() override { return queue_.markCopy(); }

    [[nodiscard]] EventRef markCompute() override { return queue_.markCompute(); }

    void copyWaits(const EventRef& event) override { queue_.copyWaits(event); }

    void computeWaits(const EventRef& event) override { queue_.computeWaits(event); }

    void hostWaits(const EventRef& event) override { queue_.hostWaits(event); }

    void finishCompute() override { queue_.finishCompute(); }

    [[nodiscard]] std::string failure() const noexcept override { return queue_.failure(); }

    void drain() noexcept override { queue_.drain(); }

    [[nodiscard]] memory::CopyTimes copyTimes() const override { return queue_.times(); }

    [[nodiscard]] Bytes allocated() const override { return memory_.allocated(); }

    [[nodiscard]] Bytes peakAllocated() const override { return memory_.peakAllocated(); }

    void resetPeak() override { memory_.resetPeak(); }

    void cap(Bytes bytes) override { memory_.cap(bytes); }

    [[nodiscard]] AllocatorState allocatorState() const override { return memory_.state(); }

    [[nodiscard]] DeviceExtras& extras() override { return *this; }

    void returnCached() override { memory_.returnCached(); }

    void dropWorkspaces() override { memory_.dropWorkspaces(); }

private:
    CudaGpu gpu_;
    bool spoils_;
    CudaMemory memory_;
    GpuCopyQueue queue_;
    c10::cuda::CUDAStream records_;  ///< on which work is taken down
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Device* lowtideOpenCudaDevice(
    const CudaGpu& gpu, const CudaSettings& settings) {
    registerCudaOperators();
    return std::make_unique<CudaDevice>(gpu, settings).release();
}

extern "C" __attribute__((visibility("default"))) CudaBuild lowtideDescribeCudaBuild() {
    const at::CUDAHooksInterface& hooks = at::detail::getCUDAHooks();
    return {.runtime = CUDART_VERSION,
            .kernels = kernelsText(),
            .cudnn = hooks.hasCuDNN() ? hooks.versionRuntimeCuDNN() : 0};
}

}  // namespace lowtide::residency
