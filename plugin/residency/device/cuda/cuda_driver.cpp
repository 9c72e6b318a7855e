#include "plugin/residency/device/cuda/cuda_driver.hpp"

#include "plugin/memory/card.hpp"
#include "plugin/residency/device/loaded_library.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace lowtide::residency {

namespace {

// The driver API's own numbers (CUDA Driver API reference, cuda.h).
constexpr int kSuccess = 0;
constexpr int kNoDevice = 100;
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;

/// The functions that are asked; each answers with a code, 0 for success.
struct DriverCalls {
    int (*init)(unsigned flags) = nullptr;
    int (*driverVersion)(int* version) = nullptr;
    int (*deviceCount)(int* count) = nullptr;
    int (*device)(int* device, int index) = nullptr;
    int (*deviceName)(char* name, int length, int device) = nullptr;
    int (*totalMemory)(size_t* bytes, int device) = nullptr;
    int (*attribute)(int* value, int attribute, int device) = nullptr;
    int (*errorText)(int code, const char** text) = nullptr;
};

/// The name of the first function that is missing; empty: all are there.
std::string missingIn(void* library, DriverCalls& calls) {
    std::string missing;
    const auto want = [&](const char* name, auto& function) {
        if (!findIn(library, name, function) && missing.empty()) {
            missing = name;
        }
    };
    want("cuInit", calls.init);
    want("cuDriverGetVersion", calls.driverVersion);
    want("cuDeviceGetCount", calls.deviceCount);
    want("cuDeviceGet", calls.device);
    want("cuDeviceGetName", calls.deviceName);
    want("cuDeviceTotalMem_v2", calls.totalMemory);
    want("cuDeviceGetAttribute", calls.attribute);
    want("cuGetErrorString", calls.errorText);
    return missing;
}

std::string errorText(const DriverCalls& calls, int code) {
    const char* text = nullptr;
    const bool isKnown = calls.errorText(code, &text) == kSuccess && text;
    return isKnown ? text : "error " + std::to_string(code);
}

/// The first call that fails ends it with its code.
int readGpu(const DriverCalls& calls, CudaGpu& gpu) {
    int device = 0;
    size_t bytes = 0;
    int major = 0;
    int minor = 0;
    std::array<char, 256> name{};
    int code = calls.device(&device, gpu.index);
    code = code != kSuccess ? code : calls.deviceName(name.data(), name.size() - 1, device);
    code = code != kSuccess ? code : calls.totalMemory(&bytes, device);
    code = code != kSuccess ? code : calls.attribute(&major, kCapabilityMajor, device);
    code = code != kSuccess ? code : calls.attribute(&minor, kCapabilityMinor, device);
    gpu.name = name.data();
    gpu.capacity = static_cast<Bytes>(bytes);
    gpu.capability = 10 * major + minor;
    return code;
}

void readCards(const DriverCalls& calls, const CudaNeeds& needs, CudaDriver& driver) {
    int count = 0;
    int code = calls.deviceCount(&count);
    for (int index = 0; code == kSuccess && index < count; ++index) {
        CudaGpu gpu{.index = index};
        code = readGpu(calls, gpu);
        gpu.problem = capabilityProblem(gpu.name, gpu.capability, needs);
        driver.gpus.push_back(gpu);
    }
    const bool isOfUse = std::any_of(driver.gpus.begin(),
                                     driver.gpus.end(),
                                     [](const CudaGpu& gpu) { return gpu.problem.empty(); });
    if (code != kSuccess) {
        driver.gpus.clear();
        driver.problem =
            message("the NVIDIA driver cannot describe its GPUs: {}", errorText(calls, code));
    } else if (driver.gpus.empty()) {
        driver.problem = message("the NVIDIA driver finds no GPU");
    } else if (!isOfUse) {
        driver.problem = driver.gpus.front().problem;
        driver.gpus.clear();
    }
}

}  // namespace

CudaDriver askCudaDriver(const CudaNeeds& needs, const std::string& library) {
    // Never closed: LibTorch's CUDA part uses the same one.
    void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!opened) {
        return {.problem = message("there is no NVIDIA driver ({} cannot be loaded)", library)};
    }
    DriverCalls calls;
    if (const std::string missing = missingIn(opened, calls); !missing.empty()) {
        return {.problem = message(
                    "{} is no NVIDIA driver that is known: it has no {}", library, missing)};
    }
    CudaDriver driver;
    if (calls.driverVersion(&driver.version) != kSuccess) {
        driver.version = 0;
    }
    if (const int code = calls.init(0); code != kSuccess) {
        driver.problem = code == kNoDevice ? message("the NVIDIA driver finds no GPU")
                                           : message("the NVIDIA driver does not start: {}",
                                                     errorText(calls, code));
    } else if (driver.version < needs.version) {
        driver.problem =
            message("the NVIDIA driver runs CUDA {}, LibTorch needs {}; install a newer driver",
                    cudaVersionText(driver.version),
                    cudaVersionText(needs.version));
    } else {
        readCards(calls, needs, driver);
    }
    return driver;
}

Message capabilityProblem(const std::string& name, int capability, const CudaNeeds& needs) {
    return capability >= needs.capability
               ? Message()
               : message("{} has compute capability {}, LibTorch needs {}",
                         name,
                         memory::capabilityText(capability),
                         memory::capabilityText(needs.capability));
}

std::string cudaVersionText(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace lowtide::residency
