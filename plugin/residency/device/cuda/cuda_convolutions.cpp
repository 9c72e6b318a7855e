// The library's entry point to cuDNN.
#include "plugin/residency/device/cuda/cuda_device.hpp"
#include "plugin/residency/device/cuda/cudnn_question.hpp"

#include <ATen/native/ConvUtils.h>
#include <c10/util/env.h>

#include <map>
#include <mutex>

namespace lowtide::residency {

namespace {

/// Whether LibTorch chooses as askCudnn() does: users can have it use cuDNN's older functions, or
/// others of its suggestions.
bool isUsualChoice() {
    return at::native::cudnnv8_enabled_check_debug() && !at::native::cudnnv8_use_heur_mode_b() &&
           !c10::utils::has_env("CUDNN_ERRATA_JSON_FILE");
}

/// The cards that were asked about. Lives until the process ends: cuDNN may end before.
class KnownGpus {
public:
    [[nodiscard]] std::optional<ConvolutionPlan> ask(const CudaGpu& gpu,
                                                     const ConvolutionShape& shape) {
        const std::lock_guard lock(mutex_);
        if (!calls_) {
            return std::nullopt;
        }
        auto known = gpus_.find(gpu.index);
        if (known == gpus_.end()) {
            known = gpus_.emplace(gpu.index, describeGpu(*calls_, gpu.index)).first;
        }
        return askCudnn(*calls_, known->second, shape);
    }

private:
    const std::optional<CudnnCalls> calls_ = loadCudnn();
    std::mutex mutex_;
    std::map<int, CudnnDescriptor> gpus_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) std::optional<ConvolutionPlan>
lowtideAskConvolution(const CudaGpu& gpu, const ConvolutionShape& shape) {
    static auto* const gpus = new KnownGpus();
    return isUsualChoice() ? gpus->ask(gpu, shape) : std::nullopt;
}

}  // namespace lowtide::residency
