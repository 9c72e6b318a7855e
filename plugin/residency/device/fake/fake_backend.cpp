#include "plugin/residency/device/fake/fake_backend.hpp"

#include "plugin/residency/device/fake/fake_memory.hpp"
#include "plugin/residency/device/fake/fake_operators.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <algorithm>
#include <cstring>

namespace lowtide::residency {

namespace {

/// There is one card with one stream.
class FakeGuard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return kFakeTorchDevice.type(); }

    c10::Device exchangeDevice(c10::Device) const override { return kFakeTorchDevice; }

    c10::Device getDevice() const override { return kFakeTorchDevice; }

    void setDevice(c10::Device) const override {}

    void uncheckedSetDevice(c10::Device) const noexcept override {}

    c10::Stream getStream(c10::Device) const override { return onlyStream(); }

    c10::Stream getDefaultStream(c10::Device) const override { return onlyStream(); }

    c10::Stream exchangeStream(c10::Stream) const override { return onlyStream(); }

    c10::DeviceIndex deviceCount() const noexcept override { return 1; }

private:
    static c10::Stream onlyStream() { return c10::Stream(c10::Stream::DEFAULT, kFakeTorchDevice); }
};

class FakeHooks final : public at::PrivateUse1HooksInterface {
public:
    bool isBuilt() const override { return true; }

    bool isAvailable() const override { return true; }

    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }

    c10::DeviceIndex deviceCount() const override { return 1; }

    const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override { return generator_; }

    at::Generator getNewGenerator(c10::DeviceIndex) const override {
        return at::detail::createCPUGenerator(0);
    }

    bool isPinnedPtr(const void*) const override { return false; }

    at::Allocator* getPinnedMemoryAllocator() const override {
        return c10::GetAllocator(c10::kCPU);
    }

    void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
        c10::DataPtr data = fakeMemory().allocate(bytes);
        const size_t kept = std::min(bytes, storage.nbytes());
        if (kept > 0) {
            std::memcpy(data.get(), storage.data(), kept);
        }
        storage.set_data_ptr_noswap(std::move(data));
        storage.set_nbytes(bytes);
    }

private:
    at::Generator generator_ = at::detail::createCPUGenerator(0);
};

}  // namespace

void registerFakeBackend() {
    static const bool isRegistered = [] {
        c10::register_privateuse1_backend("fake");
        registerFakeOperators();
        static FakeGuard guard;
        static const c10::impl::DeviceGuardImplRegistrar registrar(kFakeTorchDevice.type(), &guard);
        c10::SetAllocator(kFakeTorchDevice.type(), &fakeMemory());
        // ATen keeps the hooks for good and may ask them after our statics are gone.
        at::RegisterPrivateUse1HooksInterface(std::make_unique<FakeHooks>().release());
        return true;
    }();
    static_cast<void>(isRegistered);
}

}  // namespace lowtide::residency
