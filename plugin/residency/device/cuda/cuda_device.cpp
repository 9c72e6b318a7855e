#include "plugin/residency/device/cuda/cuda_device.hpp"

#include "plugin/memory/card.hpp"
#include "plugin/residency/decoding/card_ways.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "plugin/residency/device/cuda/card_lane.hpp"
#include "plugin/residency/device/cuda/cuda_kernels.hpp"
#include "plugin/residency/device/cuda/cuda_memory.hpp"
#include "plugin/residency/device/cuda/cuda_operators.hpp"
#include "plugin/residency/device/cuda/cuda_record.hpp"
#include "plugin/residency/device/cuda/cuda_streams.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

namespace lowtide::residency {

namespace {

static_assert(CUDART_VERSION / 1000 == CudaNeeds().version / 1000,
              "drivers are asked for another CUDA");

class CudaDevice final : public Device {
public:
    CudaDevice(const CudaCard& card, const CudaSettings& settings)
        : card_(card),
          spoils_(settings.spoils),
          memory_(card),
          lane_(makeCudaStreams(card.index, settings.copyDelay)),
          records_(c10::cuda::getStreamFromPool(false, torchDevice().index())) {}

    [[nodiscard]] memory::DeviceInfo info() const override {
        return {card_.id(), "cuda", card_.name, card_.capacity, memory_.free()};
    }

    [[nodiscard]] memory::DeviceTraits traits() const override {
        memory::DeviceTraits traits =
            memory::cudaTraits(card_.capability, card_.capacity, hostMemory().available);
        traits.workspace = memory_.productWorkspace();
        traits.decodesAtOnce = hasOwnKernels();
        return traits;
    }

    [[nodiscard]] c10::Device torchDevice() const override {
        return {c10::kCUDA, static_cast<c10::DeviceIndex>(card_.index)};
    }

    void attachThread() override { c10::cuda::set_device(torchDevice().index()); }

    /// The allocator may give memory that compute was done with on the host only: copies wait for
    /// what the card still does there.
    [[nodiscard]] std::unique_ptr<Arena> allocate(Bytes bytes) override {
        std::unique_ptr<Arena> arena = memory_.allocate(bytes);
        lane_.copyWaits(lane_.markCompute());
        return arena;
    }

    [[nodiscard]] std::unique_ptr<Arena> allocateStaging(Bytes bytes) override {
        return memory_.allocatePinned(bytes);
    }

    void lendStaging(std::span<std::byte> memory) override { lane_.lendStaging(memory); }

    [[nodiscard]] at::Tensor view(std::byte* data,
                                  at::IntArrayRef sizes,
                                  at::ScalarType type) override {
        return at::for_blob(data, sizes)
            .options(at::TensorOptions(type).device(torchDevice()))
            .target_device(torchDevice())
            .make_tensor();
    }

    [[nodiscard]] at::Tensor dequantise(const at::Tensor& values,
                                        const at::Tensor& scales,
                                        DType type) override {
        if (!hasOwnKernels()) {
            return Device::dequantise(values, scales, type);
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

    [[nodiscard]] at::Tensor decode(const HeldBytes& held,
                                    at::IntArrayRef sizes,
                                    DType type) override {
        if (!hasOwnKernels() || !hasCardWay(*held.tensor)) {
            return Device::decode(held, sizes, type);
        }
        at::Tensor result =
            at::empty(sizes, at::TensorOptions(scalarTypeOf(type)).device(torchDevice()));
        const CardDecoding work{.target = result.mutable_data_ptr(),
                                .type = type,
                                .stored = onCard(held),
                                .encoding = held.tensor->encoding};
        const c10::cuda::CUDAGuard guard(torchDevice());
        C10_CUDA_CHECK(
            lowtide::residency::decode(work, c10::cuda::getCurrentCUDAStream().stream()));
        return result;
    }

    [[nodiscard]] std::unique_ptr<WorkRecord> record(const std::function<void()>& work) override {
        lane_.finishCompute();
        memory_.returnCached();
        return recordWork(records_, work);
    }

    void copyIn(std::byte* target, Bytes bytes, ByteSource source, std::string) override {
        lane_.copyIn({.target = target, .bytes = bytes}, std::move(source));
    }

    void copyInStaged(const Crossing& crossing,
                      const std::byte* staged,
                      std::function<bool()> prepare,
                      std::string) override {
        lane_.copyInStaged(crossing, staged, std::move(prepare));
    }

    [[nodiscard]] bool widens(const TypeChange& change) const override {
        return canWiden(change.from, change.to);
    }

    void copyInWidened(const Crossing& crossing, ByteSource source, std::string) override {
        lane_.copyIn(crossing, std::move(source));
    }

    void discard(std::byte* target, Bytes bytes, std::string) override {
        if (spoils_) {
            lane_.spoil(target, bytes);
        }
    }

    [[nodiscard]] EventRef markCopy() override { return lane_.markCopy(); }

    [[nodiscard]] EventRef markCompute() override { return lane_.markCompute(); }

    void copyWaits(const EventRef& event) override { lane_.copyWaits(event); }

    void computeWaits(const EventRef& event) override { lane_.computeWaits(event); }

    void hostWaits(const EventRef& event) override { lane_.hostWaits(event); }

    void finishCompute() override { lane_.finishCompute(); }

    [[nodiscard]] std::string failure() const noexcept override { return lane_.failure(); }

    void drain() noexcept override { lane_.drain(); }

    [[nodiscard]] memory::LaneTimes laneTimes() const override { return lane_.times(); }

    [[nodiscard]] Bytes allocated() const override { return memory_.allocated(); }

    [[nodiscard]] Bytes peakAllocated() const override { return memory_.peakAllocated(); }

    void resetPeak() override { memory_.resetPeak(); }

    void cap(Bytes bytes) override { memory_.cap(bytes); }

    [[nodiscard]] AllocatorState allocatorState() const override { return memory_.state(); }

    void returnCached() override { memory_.returnCached(); }

    void dropWorkspaces() override { memory_.dropWorkspaces(); }

private:
    CudaCard card_;
    bool spoils_;
    CudaMemory memory_;
    CardLane lane_;
    c10::cuda::CUDAStream records_;  ///< on which work is taken down
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Device* lowtideOpenCudaDevice(
    const CudaCard& card, const CudaSettings& settings) {
    registerCudaOperators();
    return std::make_unique<CudaDevice>(card, settings).release();
}

extern "C" __attribute__((visibility("default"))) CudaBuild lowtideDescribeCudaBuild() {
    const at::CUDAHooksInterface& hooks = at::detail::getCUDAHooks();
    return {.runtime = CUDART_VERSION,
            .kernels = kernelsText(),
            .cudnn = hooks.hasCuDNN() ? hooks.versionRuntimeCuDNN() : 0};
}

}  // namespace lowtide::residency
