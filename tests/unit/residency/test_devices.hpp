#pragma once

#include "plugin/residency/device/device_source.hpp"

#include <ATen/core/Tensor.h>

#include <memory>

namespace lowtide::testing {

/// Which orders between copies and compute a device forgets, and what else its test changes.
struct Forgotten {
    bool computeWaits = false;
    bool copyWaits = false;
    /// Added to the failed allocations that the device reports; nullptr: nothing.
    std::shared_ptr<const int64_t> failures = nullptr;
    /// What its libraries keep between operators until it is dropped.
    std::shared_ptr<at::Tensor> workspace = nullptr;
};

/// The built devices; the fake one with settings of the test, and forgetful where asked.
class TestDevices final : public residency::DeviceSource {
public:
    explicit TestDevices(residency::FakeSettings settings = {}, Forgotten forgotten = {});

    std::unique_ptr<residency::Device> open(const memory::DeviceSpec& spec) override;

    std::vector<memory::DeviceInfo> available() override { return built_->available(); }

private:
    residency::FakeSettings settings_;
    Forgotten forgotten_;
    std::unique_ptr<residency::DeviceSource> built_;
};

/// The fake device of this build.
[[nodiscard]] std::unique_ptr<residency::FakeDevice> openFake(
    const residency::FakeSettings& settings = {});

}  // namespace lowtide::testing
