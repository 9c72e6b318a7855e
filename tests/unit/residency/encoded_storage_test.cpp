// Storages that lie encoded in their files, read in pieces that blocks do not fit.
#include "plugin/base/error.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "plugin/residency/host_weight_store.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/synthetic_model.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cstring>
#include <fstream>
#include <random>

namespace encoded_storage_test {

using namespace lowtide;
using residency::HostWeightStore;
using residency::Upload;

namespace {

constexpr int64_t kRows = 40;
constexpr int64_t kColumns = 96;
constexpr int64_t kCount = kRows * kColumns;
constexpr Bytes kHeader = 7;  ///< so that nothing is aligned

/// int8 with a scale for each row: scales first, then the numbers.
struct EncodedFile {
    explicit EncodedFile(const std::string& path) {
        std::mt19937 random(24);
        std::string bytes(static_cast<size_t>(kHeader), ' ');
        for (int64_t row = 0; row < kRows; ++row) {
            scales.push_back(0.01F * static_cast<float>(row + 1));
        }
        bytes.append(reinterpret_cast<const char*>(scales.data()), scales.size() * sizeof(float));
        for (int64_t i = 0; i < kCount; ++i) {
            numbers.push_back(static_cast<int8_t>(random()));
        }
        bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size());
        files::writeFileAtomically(path, bytes);
        tree.id = "encoded";
        tree.role = "denoiser";
        tree.files = {testing::fileOf(path)};
        tree.storages = {
            {.key = "weight",
             .fileOffset = kHeader + kRows * 4,
             .elementCount = kCount,
             .encoded = memory::Encoded{
                 .encoding = "int8",
                 .columns = kColumns,
                 .companions = {{.key = "scale", .fileOffset = kHeader, .elementCount = kRows}}}}};
    }

    [[nodiscard]] float value(int64_t index) const {
        return static_cast<float>(numbers[static_cast<size_t>(index)]) *
               scales[static_cast<size_t>(index / kColumns)];
    }

    std::vector<float> scales;
    std::vector<int8_t> numbers;
    memory::ComponentTree tree;
};

}  // namespace

class EncodedStorageTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string pathOf(const char* name) const { return folder_.filePath(name).toStdString(); }

private Q_SLOTS:

    void isDecodedInAnyPieces_data() {
        const testing::Rows<int, int> row("piece", "scratch");
        row("at once", int(kCount), int(HostWeightStore::kScratchBytes));
        row("pieces across rows", 77, int(HostWeightStore::kScratchBytes));
        row("small scratch", int(kCount), 256);
    }

    void isDecodedInAnyPieces() {
        QFETCH(int, piece);
        QFETCH(int, scratch);
        const EncodedFile file(pathOf("pieces"));
        HostWeightStore store;
        store.open(file.tree);
        std::vector<std::byte> buffer(static_cast<size_t>(scratch));
        const auto source =
            store.source(file.tree, 0, DType::F32, buffer, std::make_shared<Upload>(), {});
        std::vector<float> seen(kCount);

        for (int64_t first = 0; first < kCount; first += piece) {
            const int64_t count = std::min<int64_t>(piece, kCount - first);
            QVERIFY(source(reinterpret_cast<std::byte*>(&seen[static_cast<size_t>(first)]),
                           first * 4,
                           count * 4));
        }

        for (int64_t i = 0; i < kCount; ++i) {
            QCOMPARE(seen[static_cast<size_t>(i)], file.value(i));
        }
    }

    /// Rows of a table alone, as another type, rounded once.
    void rowsComeAsAnotherType() {
        const EncodedFile file(pathOf("rows"));
        HostWeightStore store;
        store.open(file.tree);
        std::vector<uint16_t> seen(kColumns);

        store.readElements(file.tree,
                           0,
                           DType::F16,
                           31 * kColumns,
                           kColumns,
                           reinterpret_cast<std::byte*>(seen.data()),
                           {});

        for (int64_t i = 0; i < kColumns; ++i) {
            const float value = file.value(31 * kColumns + i);
            uint16_t half = 0;
            residency::convertElements(reinterpret_cast<std::byte*>(&half),
                                       DType::F16,
                                       reinterpret_cast<const std::byte*>(&value),
                                       DType::F32,
                                       1);
            QCOMPARE(seen[static_cast<size_t>(i)], half);
        }
    }

    /// A part of a tensor, as cuts of fused layers are, has the scales of its own rows.
    void aPartHasItsOwnScales() {
        EncodedFile file(pathOf("part"));
        memory::Storage& storage = file.tree.storages.front();
        storage.encoded->firstElement = 20 * kColumns;
        storage.fileOffset += 20 * kColumns;
        storage.elementCount = 5 * kColumns;
        HostWeightStore store;
        store.open(file.tree);
        std::vector<float> seen(5 * kColumns);

        store.readElements(file.tree,
                           0,
                           DType::F32,
                           0,
                           5 * kColumns,
                           reinterpret_cast<std::byte*>(seen.data()),
                           {});

        for (int64_t i = 0; i < 5 * kColumns; ++i) {
            QCOMPARE(seen[static_cast<size_t>(i)], file.value(20 * kColumns + i));
        }
    }

    void isNeverMapped_andCountsWhatItReads() {
        const EncodedFile file(pathOf("mapped"));
        HostWeightStore store;
        store.open(file.tree);

        QCOMPARE(store.mapped(file.tree, 0), nullptr);
        QCOMPARE(file.tree.fileBytes(), kCount + kRows * 4);
        QVERIFY(file.tree.isConverted(0));
    }

    /// A device that holds it as the file does has the numbers, then the scales, in any pieces.
    void remainsAsItIs_data() {
        QTest::addColumn<int>("piece");
        for (const int piece : {int(kCount + kRows * 4), 77, 4096}) {
            QTest::addRow("%d bytes", piece) << piece;
        }
    }

    void remainsAsItIs() {
        QFETCH(int, piece);
        EncodedFile file(pathOf("held"));
        memory::Storage& storage = file.tree.storages.front();
        storage.isKeptEncoded = true;
        QCOMPARE(storage.heldOffset(0), kCount);
        const Bytes bytes = file.tree.deviceBytes(0);
        QCOMPARE(bytes, kCount + kRows * 4);
        QVERIFY(!file.tree.isConverted(0));
        HostWeightStore store;
        store.open(file.tree);
        const auto source =
            store.source(file.tree, 0, DType::F32, {}, std::make_shared<Upload>(), {});
        std::vector<std::byte> seen(static_cast<size_t>(bytes), std::byte{1});

        for (Bytes first = 0; first < bytes; first += piece) {
            QVERIFY(source(
                &seen[static_cast<size_t>(first)], first, std::min<Bytes>(piece, bytes - first)));
        }

        QVERIFY(std::memcmp(seen.data(), file.numbers.data(), kCount) == 0);
        QVERIFY(std::memcmp(seen.data() + kCount, file.scales.data(), kRows * 4) == 0);
    }

    /// Also where a block lies in two pieces.
    void aBlockThatIsNoneIsRefusedWhileItArrives_data() {
        const testing::Rows<int, int> row("block", "piece");
        row("within a piece", 1, 200);
        row("across two", 5, 200);
        row("the last", 9, 340);
        row("a byte at a time", 3, 1);
    }

    void aBlockThatIsNoneIsRefusedWhileItArrives() {
        QFETCH(int, block);
        QFETCH(int, piece);
        constexpr int kBlocks = 10;
        constexpr int kBlockBytes = 34;
        std::string bytes(kBlocks * kBlockBytes, '\0');
        const auto open = [&](const std::string& path) {
            files::writeFileAtomically(path, bytes);
            memory::ComponentTree tree;
            tree.id = path;
            tree.role = "denoiser";
            tree.files = {testing::fileOf(path)};
            tree.storages = {{.key = "weight",
                              .elementCount = kBlocks * 32,
                              .encoded = memory::Encoded{.encoding = "q8_0",
                                                         .blockElements = 32,
                                                         .blockBytes = kBlockBytes,
                                                         .columns = 32},
                              .isKeptEncoded = true}};
            return tree;
        };
        const auto readAll = [&](const memory::ComponentTree& tree) {
            HostWeightStore store;
            store.open(tree);
            const auto source =
                store.source(tree, 0, DType::F32, {}, std::make_shared<Upload>(), {});
            std::string seen(bytes.size(), '?');
            for (size_t first = 0; first < bytes.size(); first += static_cast<size_t>(piece)) {
                source(reinterpret_cast<std::byte*>(&seen[first]),
                       static_cast<Bytes>(first),
                       static_cast<Bytes>(std::min(bytes.size() - first, size_t(piece))));
            }
            return seen;
        };
        QCOMPARE(readAll(open(pathOf("valid.gguf"))), bytes);
        bytes[static_cast<size_t>(block * kBlockBytes + 1)] = '\x7c';  // infinity, in f16

        const auto refused = testing::errorOf([&] { readAll(open(pathOf("corrupt.gguf"))); });

        QVERIFY(refused.has_value());
        QCOMPARE(refused->kind(), ErrorKind::Corrupt);
        QVERIFY2(
            refused->message().str().starts_with("denoiser.weight, GGUF Q8_0 in \"corrupt.gguf\""),
            refused->message().str().c_str());
    }

    /// While its file is open: a run after a run does not read all of it to learn the same.
    void aMappedStorageIsCheckedOnce_andAgainWhenItsFileIsReopened() {
        const std::string path = pathOf("checked.safetensors");
        EncodedFile file(path);
        file.tree.storages.front().isKeptEncoded = true;
        HostWeightStore store;
        store.open(file.tree);
        store.requireMappedValid(file.tree, 0);
        const auto refused = [&] {
            return testing::errorOf([&] { store.requireMappedValid(file.tree, 0); });
        };
        {
            std::fstream there(path, std::ios::in | std::ios::out | std::ios::binary);
            there.seekp(kHeader);
            there.write("\xff\xff\xff\xff", 4);  // NaN, the scale of row 0
        }

        QVERIFY(!refused().has_value());
        QVERIFY(!store.isUnchanged(file.tree));
        file.tree.files = {testing::fileOf(path)};
        store.open(file.tree);

        QVERIFY(refused().has_value());
    }

    void aScaleThatIsNoneNamesKeyAndFile() {
        EncodedFile file(pathOf("zero.safetensors"));
        // The numbers in the place of the scales: some of them are negative.
        file.tree.storages.front().encoded->companions.front().fileOffset = kHeader + kRows * 4;
        HostWeightStore store;
        store.open(file.tree);
        std::vector<float> seen(kCount);

        const auto refused = testing::errorOf([&] {
            store.readElements(
                file.tree, 0, DType::F32, 0, kCount, reinterpret_cast<std::byte*>(seen.data()), {});
        });

        QVERIFY(refused.has_value());
        QCOMPARE(refused->kind(), ErrorKind::Corrupt);
        const QString message = QString::fromStdString(refused->message().str());
        QVERIFY2(
            message.startsWith("denoiser.weight, int8 in \"zero.safetensors\": the scale of row"),
            qPrintable(message));
    }
};

LOWTIDE_TEST(EncodedStorageTest)

}  // namespace encoded_storage_test

#include "encoded_storage_test.moc"
