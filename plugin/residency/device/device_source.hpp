#pragma once

#include "plugin/residency/device/cuda/cuda_library.hpp"
#include "plugin/residency/device/fake/fake_device.hpp"
#include "plugin/residency/residency.hpp"

#include <memory>
#include <string>

namespace lowtide::residency {

/// The devices of this build: "cpu" is built in, "fake" is a library that is looked for in
/// `libraryFolder` and opened on request. Opening "fake" again with a size makes it a GPU of that
/// size. "cuda" comes from `cuda`; nullptr: there is none.
[[nodiscard]] std::unique_ptr<DeviceSource> makeDeviceSource(
    std::string libraryFolder, std::shared_ptr<const CudaLibrary> cuda = nullptr);

/// The fake device with every setting. Error{Device} when its library cannot be opened, with the
/// loader's reason.
[[nodiscard]] std::unique_ptr<FakeDevice> openFakeDevice(const std::string& libraryFolder,
                                                         const FakeSettings& settings);

}  // namespace lowtide::residency
