#include "plugin/base/error.hpp"
#include "plugin/residency/device/cpu/cpu_device.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

#include <cstring>
#include <malloc.h>
#include <thread>

namespace cpu_device_test {

using namespace lowtide;
using residency::Device;

class CpuDeviceTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Device> device_;

private Q_SLOTS:

    void initTestCase() {
        device_ = residency::openCpuDevice();
        device_->attachThread();
    }

    void init() {
        device_->cap(-1);
        device_->resetPeak();
    }

    void countsTensorsOfTheAttachedThread() {
        const Bytes before = device_->allocated();
        {
            const at::Tensor tensor = at::empty({1000, 1000});
            QCOMPARE(device_->allocated() - before, 4'000'000);
            const at::Tensor other = at::empty({10}, at::kHalf);
            QCOMPARE(device_->allocated() - before, 4'000'020);
        }
        QCOMPARE(device_->allocated(), before);
        QCOMPARE(device_->peakAllocated() - before, 4'000'020);
    }

    void leavesOtherThreadsAlone() {
        const Bytes before = device_->allocated();
        std::thread([] { const at::Tensor tensor = at::empty({1000}); }).join();
        QCOMPARE(device_->allocated(), before);
        QCOMPARE(device_->peakAllocated(), before);
    }

    void countsArenasAndAlignsThem() {
        const Bytes before = device_->allocated();
        {
            const auto arena = device_->allocate(1000);
            QCOMPARE(reinterpret_cast<uintptr_t>(arena->data()) % 512, 0u);
            QCOMPARE(arena->size(), 1024);
            QCOMPARE(device_->allocated() - before, 1024);
        }
        QCOMPARE(device_->allocated(), before);
    }

    void refusesATensorBeyondTheCapWithoutLosingMemory() {
        const Bytes before = device_->allocated();
        device_->cap(before + 8 * kMiB);
        const at::Tensor fits = at::empty({kMiB});
        const size_t heapBefore = mallinfo2().uordblks + mallinfo2().hblkhd;
        for (int i = 0; i < 20; ++i) {
            QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, at::empty({2 * kMiB}));
        }
        const size_t heapAfter = mallinfo2().uordblks + mallinfo2().hblkhd;
        QVERIFY2(heapAfter < heapBefore + kMiB, "a refused tensor leaked");
        QCOMPARE(device_->allocated() - before, 4 * kMiB);

        device_->cap(-1);
        const at::Tensor again = at::empty({2 * kMiB});
        QCOMPARE(device_->allocated() - before, 12 * kMiB);
    }

    void refusesAnArenaBeyondTheCap() {
        device_->cap(device_->allocated() + kMiB);
        try {
            const auto arena = device_->allocate(2 * kMiB);
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
            QCOMPARE(error.bytesAsked(), 2 * kMiB);
        }
    }

    void copiesBehindEventsOfTheQueue() {
        const auto arena = device_->allocate(1024);
        device_->copyIn(
            arena->data(),
            1024,
            [](std::byte* target, Bytes, Bytes count) {
                std::memset(target, 7, static_cast<size_t>(count));
                return true;
            },
            "x");
        device_->computeWaits(device_->markCopy());
        const at::Tensor view = device_->view(arena->data(), {1024}, at::kByte);
        QVERIFY(at::equal(view, at::full({1024}, 7, at::kByte)));
        QCOMPARE(view.data_ptr(), static_cast<void*>(arena->data()));
    }

    void givesAFailedCopyToTheWaiter() {
        const auto arena = device_->allocate(512);
        device_->copyIn(
            arena->data(),
            512,
            [](std::byte*, Bytes, Bytes) -> bool {
                throw Error(ErrorKind::Corrupt, Message("broken"));
            },
            "x");
        QVERIFY_THROWS_EXCEPTION(Error, device_->computeWaits(device_->markCopy()));
        device_->drain();
        device_->computeWaits(device_->markCopy());
    }

    void describesWhatItIs() {
        QCOMPARE(device_->info().id, "cpu");
        QVERIFY(device_->info().capacity > 256 * kMiB);
        QVERIFY(device_->info().free <= device_->info().capacity);
        QVERIFY(device_->traits().usesWeightsInPlace);
    }
};

LOWTIDE_TEST(CpuDeviceTest)

}  // namespace cpu_device_test

#include "cpu_device_test.moc"
