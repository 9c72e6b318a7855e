#include "tests/unit/residency/test_devices.hpp"

#include "tests/fixtures/folders.hpp"

namespace lowtide::testing {

namespace {

using residency::Device;
using residency::EventRef;

const std::string kLibraryFolder = buildPath("lib").toStdString();

/// Hands every call on, but the waits that it forgets.
class ForgetfulDevice final : public Device, private residency::DeviceExtras {
public:
    ForgetfulDevice(std::unique_ptr<Device> device, Forgotten forgotten)
        : device_(std::move(device)), forgotten_(forgotten) {}

    memory::DeviceInfo info() const override { return device_->info(); }

    memory::DeviceTraits traits() const override { return device_->traits(); }

    c10::Device torchDevice() const override { return device_->torchDevice(); }

    std::unique_ptr<residency::Arena> allocate(Bytes bytes) override {
        return device_->allocate(bytes);
    }

    std::unique_ptr<residency::Arena> allocateStaging(Bytes bytes) override {
        return device_->allocateStaging(bytes);
    }

    at::Tensor view(std::byte* data, at::IntArrayRef sizes, at::ScalarType type) override {
        return device_->view(data, sizes, type);
    }

    void copyIn(std::byte* target,
                Bytes bytes,
                residency::ByteSource source,
                std::string label) override {
        device_->copyIn(target, bytes, std::move(source), std::move(label));
    }

    void discard(std::byte* target, Bytes bytes, std::string label) override {
        device_->extras().discard(target, bytes, std::move(label));
    }

    memory::CopyTimes copyTimes() const override { return device_->copyTimes(); }

    EventRef markCopy() override { return device_->markCopy(); }

    EventRef markCompute() override { return device_->markCompute(); }

    void copyWaits(const EventRef& event) override {
        if (!forgotten_.copyWaits) {
            device_->copyWaits(event);
        }
    }

    void computeWaits(const EventRef& event) override {
        if (!forgotten_.computeWaits) {
            device_->computeWaits(event);
        }
    }

    void hostWaits(const EventRef& event) override { device_->hostWaits(event); }

    void finishCompute() override { device_->finishCompute(); }

    std::string failure() const noexcept override { return device_->failure(); }

    void drain() noexcept override { device_->drain(); }

    Bytes allocated() const override { return device_->allocated(); }

    Bytes peakAllocated() const override { return device_->peakAllocated(); }

    void resetPeak() override { device_->resetPeak(); }

    void cap(Bytes bytes) override { device_->cap(bytes); }

    residency::AllocatorState allocatorState() const override {
        residency::AllocatorState state = device_->allocatorState();
        state.outOfMemory += forgotten_.failures ? *forgotten_.failures : 0;
        return state;
    }

    residency::DeviceExtras& extras() override { return *this; }

    void returnCached() override { device_->extras().returnCached(); }

    void dropWorkspaces() override {
        if (forgotten_.workspace) {
            forgotten_.workspace->reset();
        }
    }

    std::optional<memory::RehearsalCounts> rehearsal() const override {
        return device_->extras().rehearsal();
    }

    std::vector<std::string> hazards() const override { return device_->extras().hazards(); }

private:
    std::unique_ptr<Device> device_;
    Forgotten forgotten_;
};

}  // namespace

TestDevices::TestDevices(residency::FakeSettings settings, Forgotten forgotten)
    : settings_(settings),
      forgotten_(forgotten),
      built_(residency::makeDeviceSource(kLibraryFolder)) {}

std::unique_ptr<residency::Device> TestDevices::open(const memory::DeviceSpec& spec) {
    if (spec.kind != "fake") {
        return built_->open(spec);
    }
    residency::FakeSettings settings = settings_;
    settings.index = spec.index;
    settings.capacity = spec.capacity.value_or(settings.capacity);
    settings.lostAt = spec.lostAt.value_or(settings.lostAt);
    return std::make_unique<ForgetfulDevice>(openFake(settings), forgotten_);
}

std::unique_ptr<residency::FakeDevice> openFake(const residency::FakeSettings& settings) {
    return residency::openFakeDevice(kLibraryFolder, settings);
}

}  // namespace lowtide::testing
