#include "plugin/residency/device/device_source.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/device_kind.hpp"
#include "plugin/residency/device/cpu/cpu_device.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "plugin/residency/device/loaded_library.hpp"

#include <c10/util/Exception.h>

#include <filesystem>

namespace lowtide::residency {

namespace {

constexpr const char* kFakeLibrary = "liblowtide_fake.so";

/// The library's one entry point. The library remains open until the process ends: ATen holds
/// pointers into it.
OpenFakeDevice* fakeEntryPoint(const std::string& libraryFolder) {
    const std::filesystem::path path = std::filesystem::path(libraryFolder) / kFakeLibrary;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    OpenFakeDevice* entryPoint = nullptr;
    if (!library || !findIn(library, kOpenFakeDevice, entryPoint)) {
        throw Error(
            ErrorKind::Device,
            message(
                "the fake device's library {} cannot be opened: {}", kFakeLibrary, loaderReason()),
            message("keep it next to the program's own libraries, or use the device cpu"));
    }
    return entryPoint;
}

class BuiltDevices final : public DeviceSource {
public:
    BuiltDevices(std::string libraryFolder, std::shared_ptr<const CudaLibrary> cuda)
        : libraryFolder_(std::move(libraryFolder)), cuda_(std::move(cuda)) {}

    std::unique_ptr<Device> open(const memory::DeviceSpec& spec) override {
        if (spec.kind == "cpu") {
            return openCpuDevice();
        }
        if (spec.kind == "fake") {
            const FakeSettings standard;
            return openFakeDevice(libraryFolder_,
                                  {.index = spec.index,
                                   .capacity = spec.capacity.value_or(standard.capacity),
                                   .spill = spec.spill.value_or(standard.spill),
                                   .failing = spec.failAt.value_or(standard.failing),
                                   .lostAt = spec.lostAt.value_or(standard.lostAt)});
        }
        if (spec.kind == "cuda" && cuda_) {
            return cuda_->open(spec.index);
        }
        throw Error(ErrorKind::InvalidInput,
                    message("there is no device \"{}\"", spec.kind),
                    message("use {}", memory::deviceForms()));
    }

    std::vector<memory::DeviceInfo> available() override {
        const HostMemory memory = hostMemory();
        std::vector<memory::DeviceInfo> found = {
            {"cpu", "cpu", processorName(), memory.total, memory.available}};
        if (std::filesystem::exists(std::filesystem::path(libraryFolder_) / kFakeLibrary)) {
            const Bytes capacity = FakeSettings().capacity;
            found.push_back(
                {"fake", "fake", "rehearsal of a GPU in host memory", capacity, capacity});
        }
        for (const CudaGpu& gpu : cuda_ ? cuda_->driver().gpus : std::vector<CudaGpu>()) {
            if (gpu.problem.empty()) {
                found.push_back({gpu.id(), "cuda", gpu.name, gpu.capacity, gpu.capacity});
            }
        }
        return found;
    }

private:
    std::string libraryFolder_;
    std::shared_ptr<const CudaLibrary> cuda_;
};

}  // namespace

std::unique_ptr<DeviceSource> makeDeviceSource(std::string libraryFolder,
                                               std::shared_ptr<const CudaLibrary> cuda) {
    return std::make_unique<BuiltDevices>(std::move(libraryFolder), std::move(cuda));
}

std::unique_ptr<FakeDevice> openFakeDevice(const std::string& libraryFolder,
                                           const FakeSettings& settings) {
    OpenFakeDevice* open = fakeEntryPoint(libraryFolder);
    try {
        return std::unique_ptr<FakeDevice>(open(settings));
    } catch (const c10::Error& error) {
        throw Error(ErrorKind::Device,
                    message("the fake device cannot be used: {}", error.what_without_backtrace()),
                    message("use the device cpu"));
    }
}

}  // namespace lowtide::residency
