#include "plugin/residency/device/fake/fake_device.hpp"

#include "plugin/base/error.hpp"
#include "plugin/residency/copy_lane.hpp"
#include "plugin/residency/device/fake/copies_in_flight.hpp"
#include "plugin/residency/device/fake/fake_backend.hpp"
#include "plugin/residency/device/fake/fake_memory.hpp"

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

namespace lowtide::residency {

namespace {

class FakeArena final : public Arena {
public:
    FakeArena(c10::DataPtr data, Bytes size) : data_(std::move(data)), size_(size) {
        fakeMemory().hazards().watch(rangeOf(FakeArena::data(), size_));
    }

    ~FakeArena() override { fakeMemory().hazards().unwatch(rangeOf(FakeArena::data(), size_)); }

    [[nodiscard]] std::byte* data() const override { return static_cast<std::byte*>(data_.get()); }

    [[nodiscard]] Bytes size() const override { return size_; }

private:
    c10::DataPtr data_;
    Bytes size_;
};

/// What the hazard checker must know of an event beside the moment itself.
class FakeEvent final : public LaneEvent {
public:
    explicit FakeEvent(const Clock& when) : clock(when) {}

    const Clock clock;
};

const FakeEvent& fakeEvent(const EventRef& event) {
    return static_cast<const FakeEvent&>(*event);
}

class FakeCard final : public FakeDevice {
public:
    explicit FakeCard(const FakeSettings& settings) : settings_(settings), random_(settings.seed) {
        fakeMemory().setSize(settings.capacity, settings.spill);
        fakeMemory().setFailing(settings.failing);
        fakeMemory().setLostAt(settings.lostAt);
        fakeMemory().hazards().forgetFaults();
    }

    [[nodiscard]] memory::DeviceInfo info() const override {
        const Bytes capacity = fakeMemory().capacity();
        const Bytes free = std::max<Bytes>(0, capacity - allocated());
        return {"fake", "fake", "rehearsal of a card in host memory", capacity, free};
    }

    [[nodiscard]] memory::DeviceTraits traits() const override {
        return {.usesWeightsInPlace = false,
                .capacity = fakeMemory().capacity(),
                .isRehearsal = true,
                .pinnable = settings_.pinnable};
    }

    [[nodiscard]] c10::Device torchDevice() const override { return kFakeTorchDevice; }

    [[nodiscard]] std::unique_ptr<Arena> allocate(Bytes bytes) override {
        fakeMemory().noteCall();
        c10::DataPtr data = fakeMemory().tryAllocate(bytes, memory::AllocationKind::Arena);
        if (!data) {
            throw Error(ErrorKind::OutOfMemory,
                        "fake: " + formatBytes(bytes) + " for weights do not fit beside the " +
                            formatBytes(allocated()) + " in use of " +
                            formatBytes(fakeMemory().capacity()),
                        "choose a memory policy that holds less, or a larger card (fake:SIZE)")
                .withBytesAsked(bytes);
        }
        return std::make_unique<FakeArena>(std::move(data), alignUp(bytes, memory::kSlotAlignment));
    }

    [[nodiscard]] std::unique_ptr<Arena> allocateStaging(Bytes bytes) override {
        fakeMemory().noteCall();
        if (!fakeMemory().admit(memory::AllocationKind::Staging)) {
            throw Error(ErrorKind::OutOfMemory,
                        "fake: " + formatBytes(bytes) +
                            " of host memory for weights on their way could not be had",
                        "end other programs")
                .withBytesAsked(bytes);
        }
        return Device::allocateStaging(bytes);
    }

    [[nodiscard]] at::Tensor view(std::byte* data,
                                  at::IntArrayRef sizes,
                                  at::ScalarType type) override {
        const auto options = at::TensorOptions(type).device(kFakeTorchDevice);
        return at::for_blob(data, sizes)
            .options(options)
            .target_device(kFakeTorchDevice)
            .make_tensor();
    }

    void copyIn(std::byte* target, Bytes bytes, ByteSource source, std::string label) override {
        fakeMemory().noteCall();
        noteCopy(target, bytes, "copy of " + label);
        // Also destroyed with a job that is skipped.
        auto entry = std::make_shared<const CopiesInFlight::Entry>(inFlight_, target, bytes);
        if (entry->isAlone()) {
            poison(target, bytes);
        }
        const uint64_t seed = random_();
        lane_.copy([this, target, bytes, seed, entry, source = std::move(source)] {
            std::mt19937_64 random(seed);
            bool isWanted = true;
            for (Bytes done = 0; isWanted && done < bytes; done += settings_.copyPiece) {
                dawdle(random);
                isWanted = source(target + done, done, std::min(settings_.copyPiece, bytes - done));
            }
        });
    }

    void discard(std::byte* target, Bytes bytes, std::string label) override {
        fakeMemory().noteCall();
        noteCopy(target, bytes, "eviction of " + label);
        auto entry = std::make_shared<const CopiesInFlight::Entry>(inFlight_, target, bytes);
        lane_.enqueue([target, bytes, entry] { poison(target, bytes); });
    }

    [[nodiscard]] EventRef markCopy() override {
        fakeMemory().noteCall();
        auto event = std::make_shared<FakeEvent>(fakeMemory().hazards().clockOf(Agent::Copy));
        lane_.mark(event);
        return event;
    }

    [[nodiscard]] EventRef markCompute() override {
        fakeMemory().noteCall();
        auto event = std::make_shared<FakeEvent>(fakeMemory().hazards().clockOf(Agent::Compute));
        event->complete(nullptr);
        return event;
    }

    void copyWaits(const EventRef& event) override {
        fakeMemory().noteCall();
        fakeMemory().hazards().wait(Agent::Copy, fakeEvent(event).clock);
        lane_.waitFor(std::static_pointer_cast<const LaneEvent>(event));
    }

    void computeWaits(const EventRef& event) override {
        fakeMemory().noteCall();
        lane_.await(fakeEvent(event));
        fakeMemory().hazards().wait(Agent::Compute, fakeEvent(event).clock);
    }

    void hostWaits(const EventRef& event) override {
        fakeMemory().noteCall();
        lane_.await(fakeEvent(event));
        fakeMemory().hazards().wait(Agent::Host, fakeEvent(event).clock);
    }

    void finishCompute() override { fakeMemory().noteCall(); }

    [[nodiscard]] std::string failure() const noexcept override { return fakeMemory().loss(); }

    void drain() noexcept override {
        lane_.drain();
        HazardChecker& hazards = fakeMemory().hazards();
        hazards.wait(Agent::Host, hazards.clockOf(Agent::Copy));
    }

    [[nodiscard]] memory::LaneTimes laneTimes() const override {
        fakeMemory().noteCall();
        return lane_.times();
    }

    [[nodiscard]] Bytes allocated() const override { return fakeMemory().allocated(); }

    [[nodiscard]] Bytes peakAllocated() const override { return fakeMemory().peak(); }

    void resetPeak() override { fakeMemory().resetPeak(); }

    void cap(Bytes bytes) override {
        fakeMemory().noteCall();
        fakeMemory().setLimit(bytes);
    }

    [[nodiscard]] AllocatorState allocatorState() const override {
        return {.outOfMemory = fakeMemory().failures()};
    }

    [[nodiscard]] std::optional<memory::RehearsalCounts> rehearsal() const override {
        return fakeMemory().rehearsal();
    }

    [[nodiscard]] std::vector<std::string> hazards() const override {
        return fakeMemory().hazards().faults();
    }

    [[nodiscard]] FakeCounters counters() const override { return fakeMemory().counters(); }

private:
    static void noteCopy(const std::byte* data, Bytes bytes, const std::string& what) {
        fakeMemory().touch(rangeOf(data, bytes));
        fakeMemory().hazards().begin(Agent::Copy);
        fakeMemory().hazards().access(Agent::Copy, rangeOf(data, bytes), Access::Write, what);
    }

    void dawdle(std::mt19937_64& random) const {
        const double part = std::uniform_real_distribution<double>(0.0, 1.0)(random);
        std::this_thread::sleep_for(std::chrono::duration<double>(part * settings_.longestDelay));
    }

    const FakeSettings settings_;
    std::mt19937_64 random_;
    CopiesInFlight inFlight_;
    CopyLane lane_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) FakeDevice* lowtideOpenFakeDevice(
    const FakeSettings& settings) {
    registerFakeBackend();
    return std::make_unique<FakeCard>(settings).release();
}

}  // namespace lowtide::residency
