#include "plugin/base/error.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/test_devices.hpp"

#include <ATen/ATen.h>

#include <QTest>

#include <cstring>
#include <functional>
#include <map>

namespace fake_device_test {

using namespace lowtide;
using residency::FakeDevice;
using testing::openFake;

namespace {

at::TensorOptions onFake(const FakeDevice& device) {
    return at::TensorOptions(at::kFloat).device(device.torchDevice());
}

residency::ByteSource ones() {
    return [](std::byte* target, Bytes, Bytes count) {
        const float one = 1.0F;
        for (Bytes at = 0; at < count; at += 4) {
            std::memcpy(target + at, &one, sizeof(one));
        }
        return true;
    };
}

/// "x is not ordered after y" among the faults, by its parts.
bool hasFault(FakeDevice& device, const char* what, const char* after) {
    for (const std::string& fault : device.extras().hazards()) {
        const QString text = QString::fromStdString(fault);
        if (text.contains(what) && text.contains(after)) {
            return true;
        }
    }
    return false;
}

/// An arena of one weight [64], whose copy is enqueued.
struct Arriving {
    explicit Arriving(FakeDevice& device)
        : arena(device.allocate(256)), weight(device.view(arena->data(), {64}, at::kFloat)) {
        device.copyIn(arena->data(), 256, ones(), "weight");
        ready = device.markCopy();
    }

    std::unique_ptr<residency::Arena> arena;
    at::Tensor weight;
    residency::EventRef ready;
};

}  // namespace

class FakeDeviceTest : public QObject {
    Q_OBJECT

    int64_t failuresBefore_ = 0;

private Q_SLOTS:

    void init() { failuresBefore_ = openFake()->allocatorState().outOfMemory; }

    void isCalledFake() {
        const auto device = openFake();
        const at::Tensor tensor = at::zeros({3}, onFake(*device));
        QCOMPARE(tensor.device().str(), "fake:0");
        QCOMPARE(device->info().id, "fake");
        QVERIFY(!device->traits().usesWeightsInPlace);
    }

    void roundsAndCountsMemory() {
        const auto device = openFake();
        const Bytes before = device->allocated();
        {
            const at::Tensor one = at::empty({1}, onFake(*device));
            const auto arena = device->allocate(513);
            QCOMPARE(device->allocated() - before, 512 + 1024);
            QCOMPARE(reinterpret_cast<uintptr_t>(arena->data()) % 512, 0u);
        }
        QCOMPARE(device->allocated(), before);
        QCOMPARE(device->peakAllocated() - before, 1536);
    }

    void refusesWhatDoesNotFit() {
        const auto device = openFake({.capacity = kMiB});
        const auto arena = device->allocate(kMiB / 2);
        try {
            const auto more = device->allocate(kMiB);
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
            QCOMPARE(error.bytesAsked(), kMiB);
        }
        QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, at::empty({kMiB}, onFake(*device)));
        const at::Tensor half = at::ones({100 * 1024}, onFake(*device));
        QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, half + half);
        QCOMPARE(device->allocated(), kMiB / 2 + 400 * 1024);
    }

    void spillsBeyondTheGpuWhenAllowed() {
        const auto device = openFake({.capacity = kMiB, .spill = kMiB});
        QCOMPARE(device->extras().rehearsal()->spilled, 0);
        const auto arena = device->allocate(3 * kMiB / 2);
        QCOMPARE(device->extras().rehearsal()->spilled, kMiB / 2);
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(device->allocate(kMiB)));
    }

    void failsTheAllocationThatIsNamed_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"arena", "staging", "wire", "activation"}) {
            QTest::newRow(kind) << kind;
        }
    }

    /// Each is made three times; of the named kind the second fails, alone and once.
    void failsTheAllocationThatIsNamed() {
        QFETCH(QString, kind);
        const auto spec = memory::parseDeviceSpec("fake:fail=" + kind.toStdString() + ":2");
        const auto device = openFake({.failing = *spec.failAt});
        const at::Tensor onHost = at::ones({4});
        at::Tensor onGpu = at::ones({4}, onFake(*device));  // the first activation
        const std::map<QString, std::function<void()>> make = {
            {"arena", [&] { static_cast<void>(device->allocate(100)); }},
            {"staging", [&] { static_cast<void>(device->allocateStaging(100)); }},
            {"wire", [&] { onGpu.copy_(onHost); }},
            {"activation", [&] { static_cast<void>(at::empty({4}, onGpu.options())); }}};
        const auto fails = [](const std::function<void()>& allocation) {
            try {
                allocation();
                return false;
            } catch (const Error& error) {
                return error.kind() == ErrorKind::OutOfMemory && error.bytesAsked() == 100;
            } catch (const c10::OutOfMemoryError&) {
                return true;
            }
        };
        for (const auto& [name, allocation] : make) {
            const int second = name == "activation" ? 0 : 1;
            for (int i = 0; i < 3; ++i) {
                QCOMPARE(fails(allocation), name == kind && i == second);
            }
        }
        const auto counts = device->extras().rehearsal()->allocations;
        QVERIFY((counts == std::array<int64_t, 4>{3, 3, 3, 4}));
        QCOMPARE(device->allocatorState().outOfMemory - failuresBefore_, 1);
    }

    void failsSeveralAllocationsInARow() {
        const auto spec = memory::parseDeviceSpec("fake:fail=staging:2-3");
        const auto device = openFake({.failing = *spec.failAt});
        for (const bool fails : {false, true, true, false}) {
            const auto allocate = [&] { static_cast<void>(device->allocateStaging(100)); };
            if (fails) {
                QVERIFY_THROWS_EXCEPTION(Error, allocate());
            } else {
                allocate();
            }
        }
    }

    void knowsWhichTensorsOutliveAStage() {
        const auto device = openFake();
        device->resetPeak();
        const at::Tensor first = at::ones({4}, onFake(*device));
        static_cast<void>(first + first);
        const at::Tensor third = first + first;
        device->resetPeak();
        QVERIFY((device->extras().rehearsal()->activationsOnWires == std::vector<int64_t>{1, 3}));
    }

    void countsWhatIsTouchedBeyondTheGpu() {
        const auto device = openFake({.capacity = kMiB, .spill = kMiB});
        const at::Tensor inside = at::ones({1000}, onFake(*device));
        const auto arena = device->allocate(kMiB);
        QCOMPARE(device->extras().rehearsal()->spilledTouched, 0);
        static_cast<void>(inside + inside);  // its result lies beyond
        const Bytes written = device->extras().rehearsal()->spilledTouched;
        device->copyIn(arena->data() + 100, 256, ones(), "weight");
        device->drain();
        QCOMPARE(device->extras().rehearsal()->spilledTouched, written + 256);
        const at::Tensor weight = device->view(arena->data() + 100, {64}, at::kFloat);
        static_cast<void>(weight.cpu());
        QCOMPARE(device->extras().rehearsal()->spilledTouched, written + 256 + 256);
    }

    void keepsTheCapBelowTheCapacity() {
        const auto device = openFake({.capacity = 4 * kMiB});
        device->cap(kMiB);
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(device->allocate(2 * kMiB)));
        device->cap(-1);
        static_cast<void>(device->allocate(2 * kMiB));
    }

    void poisonsFreshMemory() {
        const auto device = openFake();
        QVERIFY(at::empty({100}, onFake(*device)).cpu().isnan().all().item<bool>());
    }

    void poisonsBytesInFlight() {
        const auto device = openFake({.longestDelay = 0.2});
        Arriving arriving(*device);
        device->computeWaits(arriving.ready);
        QVERIFY(at::equal(arriving.weight.cpu(), at::ones({64})));
        device->copyIn(arriving.arena->data(), 256, ones(), "weight again");
        QVERIFY(arriving.weight.cpu().isnan().all().item<bool>());
        device->drain();
        QVERIFY(at::equal(arriving.weight.cpu(), at::ones({64})));
    }

    void findsAReadBeforeItsCopy() {
        const auto device = openFake();
        Arriving arriving(*device);
        const at::Tensor sum = arriving.weight + 1;
        QVERIFY(hasFault(*device, "aten::add", "is not ordered after copy of weight"));
        device->drain();
    }

    void isQuietWhenComputeWaits() {
        const auto device = openFake();
        Arriving arriving(*device);
        device->computeWaits(arriving.ready);
        const at::Tensor sum = arriving.weight + 1;
        QCOMPARE(device->extras().hazards().size(), 0u);
        device->drain();
    }

    void findsACopyOverWhatIsStillRead() {
        const auto device = openFake();
        Arriving arriving(*device);
        device->computeWaits(arriving.ready);
        const at::Tensor sum = arriving.weight.view({8, 8}).mm(arriving.weight.view({8, 8}));
        device->copyIn(arriving.arena->data(), 256, ones(), "next");
        QVERIFY(hasFault(*device, "copy of next may overtake", "aten::mm"));
        device->drain();
    }

    void letsACopyFollowItsReaders() {
        const auto device = openFake();
        Arriving arriving(*device);
        device->computeWaits(arriving.ready);
        const at::Tensor sum = arriving.weight + 1;
        device->copyWaits(device->markCompute());
        device->copyIn(arriving.arena->data(), 256, ones(), "next");
        QCOMPARE(device->extras().hazards().size(), 0u);
        device->drain();
    }

    void takesViewsForNoAccess() {
        const auto device = openFake();
        Arriving arriving(*device);
        const at::Tensor view =
            arriving.weight.view({8, 8}).t().narrow(0, 1, 3).unsqueeze(0).expand({2, 3, 8});
        QCOMPARE(view.dim(), 3);
        QCOMPARE(at::view_as_complex(arriving.weight.view({32, 2})).dim(), 1);
        QCOMPARE(device->extras().hazards().size(), 0u);
        device->drain();
    }

    void judgesTheSameWhateverTheDelays_data() {
        QTest::addColumn<double>("longestDelay");
        QTest::newRow("none") << 0.0;
        QTest::newRow("short") << 0.0005;
        QTest::newRow("long") << 0.02;
    }

    void judgesTheSameWhateverTheDelays() {
        QFETCH(double, longestDelay);
        const auto device = openFake({.seed = 3, .longestDelay = longestDelay});
        Arriving good(*device);
        Arriving bad(*device);
        device->computeWaits(good.ready);
        const at::Tensor first = good.weight + 1;
        QCOMPARE(device->extras().hazards().size(), 0u);
        const at::Tensor second = bad.weight + 1;
        QCOMPARE(device->extras().hazards().size(), 1u);
        device->drain();
    }

    void refusesToMixHostAndDevice() {
        const auto device = openFake();
        const at::Tensor matrix = at::ones({4, 4}, onFake(*device));
        QVERIFY_THROWS_EXCEPTION(c10::Error, matrix.mm(at::ones({4, 4})));
        QVERIFY_THROWS_EXCEPTION(c10::Error, at::linear(matrix, at::ones({4, 4})));
        const at::Tensor scaled = matrix * at::scalar_tensor(2.0);
        QVERIFY(at::equal(scaled.cpu(), at::full({4, 4}, 2.0)));
        const at::Tensor row = matrix.index({at::tensor({1, 2})});
        QCOMPARE(row.size(0), 2);
    }

    void givesAFailedCopyToTheWaiter() {
        const auto device = openFake();
        const auto arena = device->allocate(512);
        device->copyIn(
            arena->data(),
            512,
            [](std::byte*, Bytes, Bytes) -> bool {
                throw Error(ErrorKind::Corrupt, Message("broken"));
            },
            "x");
        QVERIFY_THROWS_EXCEPTION(Error, device->computeWaits(device->markCopy()));
        device->drain();
    }
};

LOWTIDE_TEST(FakeDeviceTest)

}  // namespace fake_device_test

#include "fake_device_test.moc"
