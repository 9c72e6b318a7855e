// What the heap of a program does with big blocks.
#include "tests/fixtures/test_program.hpp"
#include "ui/loader/os.hpp"

#include <QtTest/QtTest>

#include <malloc.h>
#include <vector>

namespace big_blocks_test {

using namespace lowtide;

namespace {

constexpr size_t kBig = 40 << 20;
constexpr size_t kSmall = 8 << 20;

/// Bytes that the heap maps from the system for one block alone.
size_t mappedFor(size_t bytes) {
    const size_t before = mallinfo2().hblkhd;
    const std::vector<char> block(bytes);
    return mallinfo2().hblkhd - before;
}

}  // namespace

class BigBlocksTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void keptOnesAreOfTheHeap() {
        loader::keepBigBlocks();

        QCOMPARE(mappedFor(kBig), size_t(0));
        QVERIFY(mallinfo2().keepcost >= kBig);
    }

    /// Also after runs without a budget, which left free blocks in the heap.
    void returnedOnesAreMappedAlone() {
        loader::keepBigBlocks();
        static_cast<void>(mappedFor(kBig));

        loader::returnBigBlocks();

        QVERIFY(mallinfo2().keepcost < kBig);
        QVERIFY(mappedFor(kBig) >= kBig);
        QCOMPARE(mappedFor(kSmall), size_t(0));
    }

    void canBeKeptAgain() {
        loader::returnBigBlocks();
        loader::keepBigBlocks();

        QCOMPARE(mappedFor(kBig), size_t(0));
    }
};

LOWTIDE_TEST(BigBlocksTest)

}  // namespace big_blocks_test

#include "big_blocks_test.moc"
