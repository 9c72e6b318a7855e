#include "plugin/residency/device/fake/fake_device.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/residency/copy_queue.hpp"
#include "plugin/residency/device/fake/fake_memory.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <list>
#include <mutex>
#include <random>
#include <thread>

namespace lowtide::residency {

/// The targets of copies that were enqueued and have neither run nor been skipped. Thread-safe.
class CopiesInFlight {
public:
    /// One copy under way, from its enqueuing to the end of its job.
    class Entry {
    public:
        Entry(CopiesInFlight& copies, const std::byte* target, Bytes bytes);
        ~Entry();
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

        /// Whether no earlier copy to these bytes is under way: only then may the enqueuing thread
        /// write to them.
        [[nodiscard]] bool isAlone() const noexcept { return isAlone_; }

    private:
        CopiesInFlight& copies_;
        std::list<std::pair<const std::byte*, const std::byte*>>::iterator entry_;
        bool isAlone_;
    };

private:
    std::mutex mutex_;
    std::list<std::pair<const std::byte*, const std::byte*>> targets_;
};

/// Makes ATen know the device type "fake" (PrivateUse1): its name, guard, allocator and hooks; once
/// per process. c10::Error when another library has taken the type.
void registerFakeBackend();

CopiesInFlight::Entry::Entry(CopiesInFlight& copies, const std::byte* target, Bytes bytes)
    : copies_(copies) {
    const std::byte* end = target + bytes;
    const std::lock_guard lock(copies_.mutex_);
    isAlone_ =
        std::none_of(copies_.targets_.begin(), copies_.targets_.end(), [&](const auto& other) {
            return other.first < end && target < other.second;
        });
    entry_ = copies_.targets_.insert(copies_.targets_.end(), {target, end});
}

CopiesInFlight::Entry::~Entry() {
    const std::lock_guard lock(copies_.mutex_);
    copies_.targets_.erase(entry_);
}

namespace {

thread_local c10::DeviceIndex currentGpu = 0;

/// Each GPU has one stream.
class FakeGuard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return kFakeTorchType; }

    c10::Device exchangeDevice(c10::Device device) const override {
        const c10::Device before = getDevice();
        setDevice(device);
        return before;
    }

    c10::Device getDevice() const override { return {kFakeTorchType, currentGpu}; }

    void setDevice(c10::Device device) const override { uncheckedSetDevice(device); }

    void uncheckedSetDevice(c10::Device device) const noexcept override {
        currentGpu = device.has_index() ? device.index() : currentGpu;
    }

    c10::Stream getStream(c10::Device device) const override { return onlyStream(device); }

    c10::Stream getDefaultStream(c10::Device device) const override { return onlyStream(device); }

    c10::Stream exchangeStream(c10::Stream stream) const override {
        return onlyStream(stream.device());
    }

    c10::DeviceIndex deviceCount() const noexcept override { return kFakeGpus; }

private:
    c10::Stream onlyStream(c10::Device device) const {
        return c10::Stream(c10::Stream::DEFAULT, device.has_index() ? device : getDevice());
    }
};

/// Of the thread's current GPU.
class CurrentMemory final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override { return fakeMemory(currentGpu).allocate(bytes); }

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

    c10::DeviceIndex deviceCount() const override { return kFakeGpus; }

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

namespace {

class FakeArena final : public Arena {
public:
    FakeArena(FakeMemory& memory, c10::DataPtr data, Bytes size)
        : memory_(memory), data_(std::move(data)), size_(size) {
        memory_.hazards().watch(rangeOf(FakeArena::data(), size_));
    }

    ~FakeArena() override { memory_.hazards().unwatch(rangeOf(FakeArena::data(), size_)); }

    [[nodiscard]] std::byte* data() const override { return static_cast<std::byte*>(data_.get()); }

    [[nodiscard]] Bytes size() const override { return size_; }

private:
    FakeMemory& memory_;
    c10::DataPtr data_;
    Bytes size_;
};

/// What the hazard checker must know of an event in addition to the moment itself.
class FakeEvent final : public QueueEvent {
public:
    explicit FakeEvent(const Clock& when) : clock(when) {}

    const Clock clock;
};

const FakeEvent& fakeEvent(const EventRef& event) {
    return static_cast<const FakeEvent&>(*event);
}

class FakeGpu final : public FakeDevice, private DeviceExtras {
public:
    explicit FakeGpu(const FakeSettings& settings)
        : settings_(settings),
          memory_(fakeMemory(static_cast<c10::DeviceIndex>(settings.index))),
          random_(settings.seed) {
        memory_.setSize(settings.capacity, settings.spill);
        memory_.setFailing(settings.failing);
        memory_.setLostAt(settings.lostAt);
        memory_.hazards().forgetFaults();
    }

    [[nodiscard]] memory::DeviceInfo info() const override {
        const Bytes capacity = memory_.capacity();
        const Bytes free = std::max<Bytes>(0, capacity - allocated());
        return {memory_.id(), "fake", "rehearsal of a GPU in host memory", capacity, free};
    }

    [[nodiscard]] memory::DeviceTraits traits() const override {
        return {.usesWeightsInPlace = false,
                .capacity = memory_.capacity(),
                .isRehearsal = true,
                .pinnable = settings_.pinnable};
    }

    [[nodiscard]] c10::Device torchDevice() const override { return memory_.torchDevice(); }

    [[nodiscard]] std::unique_ptr<Arena> allocate(Bytes bytes) override {
        memory_.noteCall();
        c10::DataPtr data = memory_.tryAllocate(bytes, memory::AllocationKind::Arena);
        if (!data) {
            throw Error(
                ErrorKind::OutOfMemory,
                message("{}: {} for weights do not fit next to the {} in use of {}",
                        memory_.id(),
                        formatBytes(bytes),
                        formatBytes(allocated()),
                        formatBytes(memory_.capacity())),
                message("choose a memory policy that holds less, or a larger GPU (fake:SIZE)"))
                .withBytesAsked(bytes);
        }
        return std::make_unique<FakeArena>(
            memory_, std::move(data), alignUp(bytes, memory::kSlotAlignment));
    }

    [[nodiscard]] std::unique_ptr<Arena> allocateStaging(Bytes bytes) override {
        memory_.noteCall();
        if (!memory_.admit(memory::AllocationKind::Staging)) {
            throw Error(ErrorKind::OutOfMemory,
                        message("{}: {} of host memory for weights on their way could not be had",
                                memory_.id(),
                                formatBytes(bytes)),
                        message("end other programs"))
                .withBytesAsked(bytes);
        }
        return Device::allocateStaging(bytes);
    }

    [[nodiscard]] at::Tensor view(std::byte* data,
                                  at::IntArrayRef sizes,
                                  at::ScalarType type) override {
        const auto options = at::TensorOptions(type).device(torchDevice());
        return at::for_blob(data, sizes)
            .options(options)
            .target_device(torchDevice())
            .make_tensor();
    }

    void copyIn(std::byte* target, Bytes bytes, ByteSource source, std::string label) override {
        memory_.noteCall();
        noteCopy(target, bytes, "copy of " + label);
        // Also destroyed with a job that is skipped.
        auto entry = std::make_shared<const CopiesInFlight::Entry>(inFlight_, target, bytes);
        if (entry->isAlone()) {
            poison(target, bytes);
        }
        const uint64_t seed = random_();
        queue_.copy([this, target, bytes, seed, entry, source = std::move(source)] {
            std::mt19937_64 random(seed);
            bool isWanted = true;
            for (Bytes done = 0; isWanted && done < bytes; done += settings_.copyPiece) {
                dawdle(random);
                isWanted = source(target + done, done, std::min(settings_.copyPiece, bytes - done));
            }
        });
    }

    void discard(std::byte* target, Bytes bytes, std::string label) override {
        memory_.noteCall();
        noteCopy(target, bytes, "eviction of " + label);
        auto entry = std::make_shared<const CopiesInFlight::Entry>(inFlight_, target, bytes);
        queue_.enqueue([target, bytes, entry] { poison(target, bytes); });
    }

    [[nodiscard]] EventRef markCopy() override {
        memory_.noteCall();
        auto event = std::make_shared<FakeEvent>(memory_.hazards().clockOf(Agent::Copy));
        queue_.mark(event);
        return event;
    }

    [[nodiscard]] EventRef markCompute() override {
        memory_.noteCall();
        auto event = std::make_shared<FakeEvent>(memory_.hazards().clockOf(Agent::Compute));
        event->complete(nullptr);
        return event;
    }

    void copyWaits(const EventRef& event) override {
        memory_.noteCall();
        memory_.hazards().wait(Agent::Copy, fakeEvent(event).clock);
        queue_.waitFor(std::static_pointer_cast<const QueueEvent>(event));
    }

    void computeWaits(const EventRef& event) override {
        memory_.noteCall();
        queue_.await(fakeEvent(event));
        memory_.hazards().wait(Agent::Compute, fakeEvent(event).clock);
    }

    void hostWaits(const EventRef& event) override {
        memory_.noteCall();
        queue_.await(fakeEvent(event));
        memory_.hazards().wait(Agent::Host, fakeEvent(event).clock);
    }

    void finishCompute() override { memory_.noteCall(); }

    [[nodiscard]] std::string failure() const noexcept override { return memory_.loss(); }

    void drain() noexcept override {
        queue_.drain();
        HazardChecker& hazards = memory_.hazards();
        hazards.wait(Agent::Host, hazards.clockOf(Agent::Copy));
    }

    [[nodiscard]] memory::CopyTimes copyTimes() const override {
        memory_.noteCall();
        return queue_.times();
    }

    [[nodiscard]] Bytes allocated() const override { return memory_.allocated(); }

    [[nodiscard]] Bytes peakAllocated() const override { return memory_.peak(); }

    void resetPeak() override { memory_.resetPeak(); }

    void cap(Bytes bytes) override {
        memory_.noteCall();
        memory_.setLimit(bytes);
    }

    [[nodiscard]] AllocatorState allocatorState() const override {
        return {.outOfMemory = memory_.failures()};
    }

    [[nodiscard]] DeviceExtras& extras() override { return *this; }

    [[nodiscard]] std::optional<memory::RehearsalCounts> rehearsal() const override {
        return memory_.rehearsal();
    }

    [[nodiscard]] std::vector<std::string> hazards() const override {
        return memory_.hazards().faults();
    }

    [[nodiscard]] FakeCounters counters() const override { return memory_.counters(); }

private:
    void noteCopy(const std::byte* data, Bytes bytes, const std::string& what) const {
        memory_.touch(rangeOf(data, bytes));
        memory_.hazards().begin(Agent::Copy);
        memory_.hazards().access(Agent::Copy, rangeOf(data, bytes), Access::Write, what);
    }

    void dawdle(std::mt19937_64& random) const {
        const double part = std::uniform_real_distribution<double>(0.0, 1.0)(random);
        std::this_thread::sleep_for(std::chrono::duration<double>(part * settings_.longestDelay));
    }

    const FakeSettings settings_;
    FakeMemory& memory_;
    std::mt19937_64 random_;
    CopiesInFlight inFlight_;
    CopyQueue queue_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) FakeDevice* lowtideOpenFakeDevice(
    const FakeSettings& settings) {
    registerFakeBackend();
    return std::make_unique<FakeGpu>(settings).release();
}

}  // namespace lowtide::residency
