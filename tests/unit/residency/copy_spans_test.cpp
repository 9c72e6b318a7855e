// The group is what travels: its storages cross in one copy, in pieces of any size.
#include "plugin/residency/pinned_copies.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

#include <vector>

namespace copy_spans_test {

using namespace lowtide;
using residency::ByteSource;
using residency::CopySpan;
using residency::StorageTransfer;
using residency::TypeChange;

namespace {

constexpr TypeChange kToF32{.from = DType::F16, .to = DType::F32};
constexpr std::byte kUnwritten{0xEE};

/// Storages of these bytes on the device, one behind the other as a layout has them.
memory::Group groupOf(const std::vector<Bytes>& sizes) {
    memory::Group group;
    for (const Bytes size : sizes) {
        group.storages.push_back(static_cast<memory::StorageId>(group.storages.size()));
        group.offsets.push_back(group.bytes);
        group.bytes += alignUp(size, memory::kSlotAlignment);
    }
    return group;
}

/// Byte `i` of a storage is its number + i.
std::byte byteOf(size_t storage, Bytes i) {
    return static_cast<std::byte>(static_cast<Bytes>(storage) * 31 + i);
}

std::vector<ByteSource> numberedSources(const CopySpan& span) {
    std::vector<ByteSource> sources;
    for (const CopySpan::Part& part : span.parts) {
        sources.push_back([part](std::byte* target, Bytes offset, Bytes count) {
            for (Bytes i = 0; i < count; ++i) {
                target[i] = byteOf(part.storage, offset + i);
            }
            return true;
        });
    }
    return sources;
}

}  // namespace

class CopySpansTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aGroupIsTransferredInOneCopy() {
        const memory::Group group = groupOf({1000, 512, 24});
        const std::vector<Bytes> sizes = {1000, 512, 24};
        const auto spans = residency::copySpans(
            group, [&](memory::StorageId id) { return StorageTransfer{.bytes = sizes[id]}; });
        QCOMPARE(spans.size(), size_t{1});
        QCOMPARE(spans[0].target, Bytes{0});
        QCOMPARE(spans[0].bytes, Bytes{1536 + 24});
        QCOMPARE(spans[0].parts[1].offset, Bytes{1024});
        QCOMPARE(spans[0].parts[2].offset, Bytes{1536});
    }

    /// Half the bytes cross, so that what is widened lies where the layout has it.
    void aWidenedGroupIsTransferredInOneCopyToo() {
        const memory::Group group = groupOf({1000, 2048});
        const auto spans = residency::copySpans(group, [&](memory::StorageId id) {
            return StorageTransfer{.bytes = id == 0 ? 500 : 1024, .widened = kToF32};
        });
        QCOMPARE(spans.size(), size_t{1});
        QCOMPARE(spans[0].parts[1].offset, Bytes{512});
        QCOMPARE(spans[0].bytes, Bytes{512 + 1024});
    }

    void whatIsWidenedIsTransferredByItself() {
        const memory::Group group = groupOf({512, 512, 1024, 512});
        const auto spans = residency::copySpans(group, [&](memory::StorageId id) {
            return id == 1 || id == 2
                       ? StorageTransfer{.bytes = id == 1 ? 256 : 512, .widened = kToF32}
                       : StorageTransfer{.bytes = 512};
        });
        QCOMPARE(spans.size(), size_t{3});
        QCOMPARE(spans[1].target, Bytes{512});
        QCOMPARE(spans[1].bytes, Bytes{256 + 512});
        QVERIFY(spans[1].widened == kToF32 && !spans[0].widened && !spans[2].widened);
        QCOMPARE(spans[2].target, Bytes{2048});
        QCOMPARE(spans[2].parts[0].storage, memory::StorageId{3});
    }

    void piecesOfAnySizeAreTheWhole_data() {
        QTest::addColumn<qint64>("piece");
        for (const qint64 piece : {1, 7, 512, 1000, 1 << 20}) {
            QTest::addRow("%lld", piece) << piece;
        }
    }

    void piecesOfAnySizeAreTheWhole() {
        QFETCH(qint64, piece);
        const std::vector<Bytes> sizes = {1000, 512, 24, 3000};
        const auto spans = residency::copySpans(groupOf(sizes), [&](memory::StorageId id) {
            return StorageTransfer{.bytes = sizes[id]};
        });
        const CopySpan& span = spans.at(0);
        const ByteSource source = residency::joinedSource(span, numberedSources(span));
        std::vector<std::byte> bytes(static_cast<size_t>(span.bytes), kUnwritten);
        for (Bytes done = 0; done < span.bytes; done += piece) {
            QVERIFY(source(bytes.data() + done, done, std::min<Bytes>(piece, span.bytes - done)));
        }
        std::vector<std::byte> expected(bytes.size(), kUnwritten);
        for (const CopySpan::Part& part : span.parts) {
            for (Bytes i = 0; i < part.bytes; ++i) {
                expected[static_cast<size_t>(part.offset + i)] = byteOf(part.storage, i);
            }
        }
        QVERIFY(bytes == expected);
    }

    void whatIsGivenUpEndsTheCopy() {
        const CopySpan span{.parts = {{0, 0, 8}, {1, 8, 8}}, .bytes = 16};
        int asked = 0;
        const ByteSource source =
            residency::joinedSource(span,
                                    {[](std::byte*, Bytes, Bytes) { return false; },
                                     [&](std::byte*, Bytes, Bytes) { return ++asked > 0; }});
        std::byte bytes[16];
        QVERIFY(!source(bytes, 0, 16));
        QCOMPARE(asked, 0);
    }
};

LOWTIDE_TEST(CopySpansTest)

}  // namespace copy_spans_test

#include "copy_spans_test.moc"
