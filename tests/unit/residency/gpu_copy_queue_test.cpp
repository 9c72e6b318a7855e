#include "plugin/base/error.hpp"
#include "plugin/residency/device/cuda/gpu_copy_queue.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/byte_source.hpp"
#include "tests/unit/residency/played_streams.hpp"

#include <QTest>

#include <atomic>
#include <cstring>
#include <random>

namespace gpu_copy_queue_test {

using namespace lowtide;
using residency::GpuCopyQueue;
using testing::PlayedSettings;
using testing::PlayedStreams;
using testing::sourceOf;

namespace {

constexpr Bytes kRingBuffer = 64 * 1024;

/// Bytes that differ from position to position.
std::vector<std::byte> pattern(Bytes count, int seed) {
    std::vector<std::byte> bytes(static_cast<size_t>(count));
    uint32_t state = static_cast<uint32_t>(seed) * 2654435761u + 1;
    for (std::byte& each : bytes) {
        state = state * 1664525u + 1013904223u;
        each = static_cast<std::byte>(state >> 24);
    }
    return bytes;
}

/// Holds work of a stream up until it is opened.
class Gate {
public:
    ~Gate() { open(); }

    void open() { isOpen_ = true; }

    [[nodiscard]] std::function<void()> work() {
        return [this] {
            while (!isOpen_) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        };
    }

private:
    std::atomic<bool> isOpen_{false};
};

struct TestQueue {
    explicit TestQueue(PlayedSettings settings = {})
        : streams(std::make_unique<PlayedStreams>(settings)),
          played(*streams),
          queue(std::move(streams)) {
        queue.lendStaging(staging);
    }

    std::vector<std::byte> staging = std::vector<std::byte>(kRingBuffer);
    std::unique_ptr<PlayedStreams> streams;
    PlayedStreams& played;
    GpuCopyQueue queue;
};

}  // namespace

/// The order of a GPU's copies, on streams that are played with delays.
class GpuCopyQueueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void bytesArriveThroughASmallRingBuffer_data() {
        const testing::Rows<int, int> row("copies", "bytes");
        row("one that is larger than the ring buffer", 1, 500'000);
        row("many small ones", 400, 1000);
        row("odd sizes", 60, 16'385);
    }

    void bytesArriveThroughASmallRingBuffer() {
        QFETCH(int, copies);
        QFETCH(int, bytes);
        TestQueue gpu({.longestDelay = 0.001});
        std::vector<std::vector<std::byte>> sources;
        std::vector<std::vector<std::byte>> targets;
        for (int i = 0; i < copies; ++i) {
            sources.push_back(pattern(bytes, i));
            targets.emplace_back(static_cast<size_t>(bytes));
        }
        for (size_t i = 0; i < sources.size(); ++i) {
            gpu.queue.copyIn({.target = targets[i].data(), .bytes = bytes}, sourceOf(sources[i]));
        }
        gpu.queue.hostWaits(gpu.queue.markCopy());
        QVERIFY(sources == targets);
    }

    /// The oldest bytes may lie behind the slot that is taken next, others in it.
    void bytesOfManySizesArrive() {
        TestQueue gpu({.longestDelay = 0.002});
        std::mt19937 random(11);
        std::vector<std::vector<std::byte>> sources;
        for (int i = 0; i < 300; ++i) {
            sources.push_back(pattern(1 + static_cast<Bytes>(random() % 16'000), i));
        }
        std::vector<std::vector<std::byte>> targets;
        for (const std::vector<std::byte>& source : sources) {
            targets.emplace_back(source.size());
        }
        for (size_t i = 0; i < sources.size(); ++i) {
            gpu.queue.copyIn(
                {.target = targets[i].data(), .bytes = static_cast<Bytes>(sources[i].size())},
                sourceOf(sources[i]));
        }
        gpu.queue.drain();
        QVERIFY(sources == targets);
    }

    /// The check above can fail: without the waits of the ring buffer pieces are written while they
    /// are copied.
    void aRingBufferThatDoesNotWaitGivesOtherBytes() {
        TestQueue gpu({.longestDelay = 0.001, .forgetsRingBufferWaits = true});
        const std::vector<std::byte> source = pattern(500'000, 1);
        std::vector<std::byte> target(source.size());
        gpu.queue.copyIn({.target = target.data(), .bytes = 500'000}, sourceOf(source));
        gpu.queue.drain();
        QVERIFY(source != target);
    }

    void computeWaitsForWhatItReads() {
        TestQueue gpu({.longestDelay = 0.01});
        const std::vector<std::byte> source = pattern(1000, 1);
        std::vector<std::byte> target(1000);
        bool isRight = false;
        gpu.queue.copyIn({.target = target.data(), .bytes = 1000}, sourceOf(source));
        gpu.queue.computeWaits(gpu.queue.markCopy());
        gpu.played.compute([&] { isRight = source == target; });
        gpu.queue.drain();
        QVERIFY(isRight);
    }

    void copiesWaitForTheLastUse() {
        TestQueue gpu;
        Gate gate;
        const std::vector<std::byte> source = pattern(1000, 1);
        std::vector<std::byte> target(1000);
        bool wasUntouched = false;
        gpu.played.compute([&, wait = gate.work()] {
            wait();
            wasUntouched = target == std::vector<std::byte>(1000);
        });
        gpu.queue.copyWaits(gpu.queue.markCompute());
        gpu.queue.copyIn({.target = target.data(), .bytes = 1000}, sourceOf(source));
        QTest::qSleep(20);
        gate.open();
        gpu.queue.drain();
        QVERIFY(wasUntouched);
        QVERIFY(source == target);
    }

    /// The host goes on while the GPU still copies.
    void waitingOfComputeHoldsNobodyUp() {
        TestQueue gpu;
        Gate gate;
        const std::vector<std::byte> source = pattern(1000, 1);
        std::vector<std::byte> target(1000);
        gpu.played.compute(gate.work());
        gpu.queue.copyWaits(gpu.queue.markCompute());
        gpu.queue.copyIn({.target = target.data(), .bytes = 1000}, sourceOf(source));
        const residency::EventRef ready = gpu.queue.markCopy();
        gpu.queue.computeWaits(ready);  // would never return if it waited for the bytes
        QVERIFY(source != target);
        gate.open();
        gpu.queue.hostWaits(ready);
        QVERIFY(source == target);
    }

    void pinnedBytesAreCopiedFromWhereTheyLie() {
        TestQueue gpu({.longestDelay = 0.001});
        std::vector<std::byte> pinned(200'000);
        const std::vector<std::byte> source = pattern(200'000, 3);
        std::vector<std::byte> target(200'000);
        int prepared = 0;
        for (int forward = 0; forward < 3; ++forward) {
            gpu.queue.copyInStaged({.target = target.data(), .bytes = 200'000}, pinned.data(), [&] {
                if (prepared++ == 0) {
                    pinned = source;
                }
                return true;
            });
        }
        gpu.queue.copyInStaged({.target = target.data(), .bytes = 200'000}, nullptr, [] {
            return false;  // no longer wanted
        });
        gpu.queue.drain();
        QCOMPARE(prepared, 3);
        QVERIFY(target == source);
    }

    void numbersGetTheirWiderTypeOnTheGpu_data() {
        const testing::Rows<int, int> row("from", "to");
        row("f16 to f32", int(DType::F16), int(DType::F32));
        row("bf16 to f32", int(DType::BF16), int(DType::F32));
        row("e4m3 to bf16", int(DType::F8E4M3), int(DType::BF16));
        row("e5m2 to f32", int(DType::F8E5M2), int(DType::F32));
    }

    void numbersGetTheirWiderTypeOnTheGpu() {
        QFETCH(int, from);
        QFETCH(int, to);
        const residency::TypeChange change{static_cast<DType>(from), static_cast<DType>(to)};
        constexpr int64_t kCount = 100'001;
        const Bytes narrow = kCount * sizeOf(change.from);
        const std::vector<std::byte> source = pattern(narrow, 5);
        std::vector<std::byte> expected(static_cast<size_t>(kCount * sizeOf(change.to)));
        residency::convertElements(expected.data(), change.to, source.data(), change.from, kCount);
        std::vector<std::byte> target(expected.size());
        TestQueue gpu({.longestDelay = 0.001});
        gpu.queue.copyIn({.target = target.data(), .bytes = narrow, .widened = change},
                         sourceOf(source));
        gpu.queue.drain();
        QVERIFY(target == expected);
    }

    void aFailureComesToWhoeverWaits() {
        TestQueue gpu;
        std::vector<std::byte> target(1000);
        gpu.queue.copyIn({.target = target.data(), .bytes = 1000},
                         [](std::byte*, Bytes, Bytes) -> bool {
                             throw Error(ErrorKind::Corrupt, Message("the file ends early"));
                         });
        const residency::EventRef ready = gpu.queue.markCopy();
        QVERIFY_EXCEPTION_THROWN(gpu.queue.computeWaits(ready), Error);
        QVERIFY_EXCEPTION_THROWN(gpu.queue.hostWaits(ready), Error);
        gpu.queue.drain();
        const std::vector<std::byte> source = pattern(1000, 1);
        gpu.queue.copyIn({.target = target.data(), .bytes = 1000}, sourceOf(source));
        gpu.queue.hostWaits(gpu.queue.markCopy());
        QVERIFY(source == target);
    }

    void copiesWithoutStagingAreABugThatIsReported() {
        TestQueue gpu;
        gpu.queue.lendStaging({});
        std::vector<std::byte> target(10);
        gpu.queue.copyIn({.target = target.data(), .bytes = 10},
                         [](std::byte*, Bytes, Bytes) { return true; });
        QVERIFY_EXCEPTION_THROWN(gpu.queue.hostWaits(gpu.queue.markCopy()), Error);
        gpu.queue.drain();
    }

    void whatIsSpoiledIsNoNumber() {
        TestQueue gpu;
        std::vector<float> numbers(100, 1.0F);
        gpu.queue.spoil(reinterpret_cast<std::byte*>(numbers.data()), 400);
        gpu.queue.drain();
        QVERIFY(
            std::all_of(numbers.begin(), numbers.end(), [](float each) { return each != each; }));
    }

    /// A node may stream for hours before its times are asked for.
    void pointsOfWhatIsOverAreGivenBack() {
        constexpr int kCopies = 10'000;
        constexpr int kOfGroup = 8;
        constexpr long kFew = 100;  ///< of the group under way, and of the ring buffer's parts
        TestQueue gpu;
        const std::vector<std::byte> source = pattern(256, 3);
        std::vector<std::byte> target(256);
        long most = 0;
        for (int copy = 0; copy < kCopies; copy += kOfGroup) {
            for (int i = 0; i < kOfGroup; ++i) {
                gpu.queue.copyIn({.target = target.data(), .bytes = 256}, sourceOf(source));
            }
            const residency::EventRef ready = gpu.queue.markCopy();
            gpu.queue.computeWaits(ready);
            gpu.queue.copyWaits(gpu.queue.markCompute());
            gpu.queue.hostWaits(ready);
            most = std::max(most, gpu.played.livingPoints());
        }
        qInfo("%ld points at once", most);
        QVERIFY2(most < kFew, qPrintable(QString::number(most)));
        gpu.queue.drain();
        QVERIFY(gpu.queue.times().copy > 0);
    }

    void timesStateWhoWorkedAndWhoWaited() {
        TestQueue gpu;
        Gate gate;
        const std::vector<std::byte> source = pattern(1000, 1);
        std::vector<std::byte> target(1000);
        gpu.queue.copyIn({.target = target.data(), .bytes = 1000},
                         [&](std::byte* bytes, Bytes offset, Bytes count) {
                             QTest::qSleep(30);  // a slow disk
                             return sourceOf(source)(bytes, offset, count);
                         });
        gpu.queue.computeWaits(gpu.queue.markCopy());
        gpu.queue.drain();
        const memory::CopyTimes times = gpu.queue.times();
        QVERIFY2(times.copy > 0.025 && times.copy < 5, qPrintable(QString::number(times.copy)));
        QVERIFY2(times.wait > 0.025 && times.wait < 5, qPrintable(QString::number(times.wait)));
        gpu.played.compute(gate.work());
        gpu.queue.copyWaits(gpu.queue.markCompute());
        gpu.queue.copyIn({.target = target.data(), .bytes = 1000}, sourceOf(source));
        gpu.queue.computeWaits(gpu.queue.markCopy());
        QCOMPARE(gpu.queue.times().copy, times.copy);  // it is not over
        gate.open();
        gpu.queue.drain();
        QVERIFY(gpu.queue.times().copy > times.copy);
    }
};

LOWTIDE_TEST(GpuCopyQueueTest)

}  // namespace gpu_copy_queue_test

#include "gpu_copy_queue_test.moc"
