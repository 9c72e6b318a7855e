#include "plugin/residency/device/cuda/cuda_library.hpp"

#include "plugin/base/error.hpp"
#include "plugin/residency/device/loaded_library.hpp"

#include <c10/util/Exception.h>

#include <filesystem>

namespace lowtide::residency {

namespace {

constexpr const char* kLibrary = "liblowtide_cuda.so";

}  // namespace

CudaLibrary::CudaLibrary(const std::string& folder, const std::string& driver) {
    const std::filesystem::path path = std::filesystem::path(folder) / kLibrary;
    if (!std::filesystem::exists(path)) {
        driver_.problem = message("this build has no CUDA: liblowtide_cuda.so is not next to it");
        return;
    }
    isBuilt_ = true;
    driver_ = askCudaDriver({}, driver);
    if (driver_.problem.empty()) {
        load(path.string());
    }
    if (!driver_.problem.empty()) {
        driver_.gpus.clear();
    }
}

void CudaLibrary::load(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        driver_.problem = message(
            "liblowtide_cuda.so cannot be opened: {}; install the CUDA libraries of LibTorch's "
            "wheel",
            loaderReason());
        return;
    }
    if (!findIn(library, kOpenCudaDevice, open_) ||
        !findIn(library, kDescribeCudaBuild, describe_) ||
        !findIn(library, kAskConvolution, ask_)) {
        driver_.problem = message("liblowtide_cuda.so is of another version: {}", loaderReason());
    } else if (describe_().cudnn == 0) {
        driver_.problem = message(
            "LibTorch computes without cuDNN in this process: it was asked about a GPU before "
            "Lowtide was opened, or was built without it; open Lowtide before LibTorch is used");
    }
}

std::unique_ptr<Device> CudaLibrary::open(int index, const CudaSettings& settings) const {
    constexpr Phrase hint = phrase("use the device cpu, or fake to rehearse a GPU");
    if (!problem().empty()) {
        throw Error(ErrorKind::Device, message("no device cuda can be used: {}", problem()), hint);
    }
    if (index < 0 || index >= static_cast<int>(driver_.gpus.size())) {
        throw Error(
            ErrorKind::Device,
            message("there is no device cuda:{}; this machine has {} of them, counted from 0",
                    index,
                    driver_.gpus.size()),
            hint);
    }
    const CudaGpu& gpu = driver_.gpus[static_cast<size_t>(index)];
    if (!gpu.problem.empty()) {
        throw Error(ErrorKind::Device, gpu.problem, hint);
    }
    try {
        return std::unique_ptr<Device>(open_(gpu, settings));
    } catch (const c10::Error& error) {
        throw Error(ErrorKind::Device,
                    message("{} cannot be used: {}", gpu.name, error.what_without_backtrace()),
                    hint);
    }
}

CudaBuild CudaLibrary::build() const {
    return problem().empty() ? describe_() : CudaBuild{};
}

std::optional<ConvolutionPlan> CudaLibrary::askConvolution(const ConvolutionShape& shape) const {
    const auto index = static_cast<size_t>(shape.gpu);
    if (index >= driver_.gpus.size() || !driver_.gpus[index].problem.empty()) {
        return std::nullopt;
    }
    try {
        return ask_(driver_.gpus[index], shape);
    } catch (const c10::Error&) {
        return std::nullopt;
    }
}

}  // namespace lowtide::residency
