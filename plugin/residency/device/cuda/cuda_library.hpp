#pragma once

#include "plugin/residency/device/cuda/cuda_device.hpp"

#include <memory>
#include <string>

namespace lowtide::residency {

/// liblowtide_cuda.so, and with it LibTorch's CUDA part: opened at once, before any tensor, where
/// the driver has a GPU (LibTorch looks for that part once, at its first question about it); never
/// closed.
class CudaLibrary {
public:
    /// Looks for the library in `folder`. Never fails: problem() states why there are no GPUs.
    explicit CudaLibrary(const std::string& folder, const std::string& driver = "libcuda.so.1");

    /// Whether the library is there at all.
    [[nodiscard]] bool isBuilt() const { return isBuilt_; }

    [[nodiscard]] const CudaDriver& driver() const { return driver_; }

    /// Why no GPU can be used; empty: they can.
    [[nodiscard]] const Message& problem() const { return driver_.problem; }

    /// Error{Device} states why the GPU cannot be had.
    [[nodiscard]] std::unique_ptr<Device> open(int index, const CudaSettings& settings = {}) const;
    /// What was loaded; nothing where problem() states why.
    [[nodiscard]] CudaBuild build() const;
    /// How the GPUs would compute a convolution; of several the plan with the largest workspace.
    /// Nothing where one of them cannot answer, or there are none.
    [[nodiscard]] std::optional<ConvolutionPlan> askConvolution(
        const ConvolutionShape& shape) const;

private:
    void load(const std::string& path);

    bool isBuilt_ = false;
    CudaDriver driver_;
    OpenCudaDevice* open_ = nullptr;
    DescribeCudaBuild* describe_ = nullptr;
    AskConvolution* ask_ = nullptr;
};

}  // namespace lowtide::residency
