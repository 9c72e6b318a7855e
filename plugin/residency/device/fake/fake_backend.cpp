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

thread_local c10::DeviceIndex currentCard = 0;

/// Each card has one stream.
class FakeGuard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return kFakeTorchType; }

    c10::Device exchangeDevice(c10::Device device) const override {
        const c10::Device before = getDevice();
        setDevice(device);
        return before;
    }

    c10::Device getDevice() const override { return {kFakeTorchType, currentCard}; }

    void setDevice(c10::Device device) const override { uncheckedSetDevice(device); }

    void uncheckedSetDevice(c10::Device device) const noexcept override {
        currentCard = device.has_index() ? device.index() : currentCard;
    }

    c10::Stream getStream(c10::Device device) const override { return onlyStream(device); }

    c10::Stream getDefaultStream(c10::Device device) const override { return onlyStream(device); }

    c10::Stream exchangeStream(c10::Stream stream) const override {
        return onlyStream(stream.device());
    }

    c10::DeviceIndex deviceCount() const noexcept override { return kFakeCards; }

private:
    c10::Stream onlyStream(c10::Device device) const {
        return c10::Stream(c10::Stream::DEFAULT, device.has_index() ? device : getDevice());
    }
};

/// Of the thread's current card.
class CurrentMemory final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override { return fakeMemory(currentCard).allocate(bytes); }

    c10::DeleterFnPtr raw_deleter() const override { return nullptr; }

    void copy_data(void* target, const void* source, size_t bytes) const override {
        default_copy_data(target, source, bytes);
    }
};

class FakeHooks final : public at::PrivateUse1HooksInterface {
public:
    bool isBuilt() const override { return true; }

    bool isAvailable() const override { return true; }

    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }

    c10::DeviceIndex deviceCount() const override { return kFakeCards; }

    const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override { return generator_; }

    at::Generator getNewGenerator(c10::DeviceIndex) const override {
        return at::detail::createCPUGenerator(0);
    }

    bool isPinnedPtr(const void*) const override { return false; }

    at::Allocator* getPinnedMemoryAllocator() const override {
        return c10::GetAllocator(c10::kCPU);
    }

    void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
        c10::DataPtr data = fakeMemoryOf(storage.device()).allocate(bytes);
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
        static const c10::impl::DeviceGuardImplRegistrar registrar(kFakeTorchType, &guard);
        // For good, as the hooks.
        c10::SetAllocator(kFakeTorchType, std::make_unique<CurrentMemory>().release());
        // ATen keeps the hooks for good and may ask them after our statics are gone.
        at::RegisterPrivateUse1HooksInterface(std::make_unique<FakeHooks>().release());
        return true;
    }();
    static_cast<void>(isRegistered);
}

}  // namespace lowtide::residency
