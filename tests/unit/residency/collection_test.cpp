#include "plugin/residency/collection.hpp"
#include "plugin/residency/device/cpu/cpu_device.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <cstring>
#include <memory>

namespace collection_test {

using namespace lowtide;
using namespace lowtide::residency;

namespace {

/// Small enough that the C allocator takes it from the heap.
constexpr size_t kBlock = 64 * 1024;
constexpr size_t kBlocks = 1600;  // 100 MiB
constexpr Bytes kAll = static_cast<Bytes>(kBlock * kBlocks);

/// A heap with 100 MiB of free blocks below one that is in use, which therefore remain resident.
class FragmentedHeap {
public:
    FragmentedHeap() {
        std::vector<std::unique_ptr<char[]>> blocks;
        for (size_t i = 0; i < kBlocks; ++i) {
            blocks.push_back(std::make_unique<char[]>(kBlock));
            std::memset(blocks.back().get(), 1, kBlock);
        }
        above_ = std::make_unique<char[]>(kBlock);
        std::memset(above_.get(), 1, kBlock);
    }

private:
    std::unique_ptr<char[]> above_;
};

}  // namespace

/// What a collection gives back, and what is known before it.
class CollectionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        // A process has parts that only the first collection finds.
        collector_.collectOn(*cpu_);
    }

    /// Limits are looked at once in a while.
    void init() { QTest::qWait(10); }

    void theResidentSetFalls_whenTheHeapIsFragmented() {
        const Bytes before = processMemory().resident;
        const FragmentedHeap heap;
        const Bytes fragmented = processMemory().resident;
        QVERIFY2(fragmented - before > kAll * 9 / 10, "the heap gave its blocks back by itself");

        const Bytes given = collector_.collectOn(*cpu_);

        const Bytes after = processMemory().resident;
        QVERIFY2(after - before < kAll / 10, qPrintable(QString::number(after - before)));
        QVERIFY2(given > kAll * 9 / 10, qPrintable(QString::number(given)));
    }

    void knowsBefore_whatACollectionCanGiveBack() {
        const Bytes nothing = collector_.stateOf(*cpu_).hostCollectable;
        QVERIFY2(nothing < kMiB, qPrintable(QString::number(nothing)));
        const FragmentedHeap heap;

        const Bytes much = collector_.stateOf(*cpu_).hostCollectable;

        QVERIFY2(much > kAll * 9 / 10, qPrintable(QString::number(much)));
        collector_.collectOn(*cpu_);
        const Bytes left = collector_.stateOf(*cpu_).hostCollectable;
        QVERIFY2(left < kMiB, qPrintable(QString::number(left)));
    }

    /// Blocks with a map of their own go back by themselves; nothing is left to collect.
    void largeTensorsAreNothingToCollect() {
        { const at::Tensor large = at::ones({64, 1024, 1024}, at::kByte); }

        const Bytes left = collector_.stateOf(*cpu_).hostCollectable;
        QVERIFY2(left < kMiB, qPrintable(QString::number(left)));
    }

    /// Its pages went by themselves; those of the heap are still there.
    void aLargeTensorThatWentHidesNothing() {
        at::Tensor large = at::ones({64, 1024, 1024}, at::kByte);
        collector_.collectOn(*cpu_);
        large.reset();
        const FragmentedHeap heap;

        const Bytes much = collector_.stateOf(*cpu_).hostCollectable;

        QVERIFY2(much > kAll * 9 / 10, qPrintable(QString::number(much)));
    }

    void blocksInUseAreNothingToCollect() {
        const FragmentedHeap heap;
        collector_.collectOn(*cpu_);
        std::vector<std::unique_ptr<char[]>> used;
        for (size_t i = 0; i < kBlocks / 4; ++i) {
            used.push_back(std::make_unique<char[]>(kBlock));
            std::memset(used.back().get(), 1, kBlock);
        }

        const Bytes left = collector_.stateOf(*cpu_).hostCollectable;

        QVERIFY2(left < kAll / 20, qPrintable(QString::number(left)));
    }

    void privatePagesRemainBelowALimit_whenBlocksAreFree() {
        const Bytes before = processMemory().residentPrivate;
        const FragmentedHeap heap;

        collector_.keepBelow(before + kAll / 2);

        const Bytes after = processMemory().residentPrivate;
        QVERIFY2(after - before < kAll / 10, qPrintable(QString::number(after - before)));
    }

    void freeBlocksRemainForTheNextTensor_belowTheLimit() {
        const Bytes before = processMemory().residentPrivate;
        const FragmentedHeap heap;

        constexpr Bytes kFarBelow =
            256 * kMiB;  // an operator may add a part of it before the next look
        collector_.keepBelow(before + kAll * 2 + kFarBelow);

        const Bytes after = processMemory().residentPrivate;
        QVERIFY2(after - before > kAll * 9 / 10, qPrintable(QString::number(after - before)));
    }

    void theHostIsOneMemory() {
        const memory::MemoryState state = collector_.stateOf(*cpu_);

        QVERIFY(state.deviceIsHost);
        QCOMPARE(state.deviceUsed, state.hostUsed);
        QCOMPARE(state.deviceCapacity, state.hostTotal);
        QVERIFY(state.hostUsed > 10 * kMiB && state.hostUsed < state.hostTotal);
    }

    void countsRefusedAllocations() {
        const int64_t before = collector_.stateOf(*cpu_).outOfMemory;
        cpu_->cap(cpu_->allocated() + kMiB);

        QVERIFY_EXCEPTION_THROWN(static_cast<void>(cpu_->allocate(2 * kMiB)), std::exception);

        cpu_->cap(-1);
        QCOMPARE(collector_.stateOf(*cpu_).outOfMemory, before + 1);
    }

private:
    std::unique_ptr<Device> cpu_ = openCpuDevice();
    Collector collector_;
};

LOWTIDE_TEST(CollectionTest)

}  // namespace collection_test

#include "collection_test.moc"
