#include "plugin/files/gguf.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/files/gguf_bytes.hpp"

#include <QtTest/QtTest>

#include <bit>

namespace gguf_read_test {

using namespace lowtide;
using namespace lowtide::files;
using namespace lowtide::testing;

namespace {

GgufHeader read(const std::string& bytes) {
    return readGgufHeader(MemoryBytes(std::as_bytes(std::span(bytes)), "a.gguf"));
}

/// A key of each type, named like it.
std::vector<std::string> keyOfEachType() {
    return {
        ggufEntry("u8", 0, "\xFF"),
        ggufEntry("i8", 1, "\xFF"),
        ggufEntry("u16", 2, "\xFF\xFF"),
        ggufEntry("i16", 3, "\xFE\xFF"),
        ggufEntry("u32", 4, "\xFF\xFF\xFF\xFF"),
        ggufEntry("i32", 5, "\xFD\xFF\xFF\xFF"),
        ggufEntry("f32", 6, littleEndian(std::bit_cast<uint32_t>(0.5f), 4)),
        ggufEntry("bool", 7, "\1"),
        ggufEntry("string", 8, ggufText("a\xFFtext")),
        ggufEntry("array", 9, ggufArray(8, 2, ggufText("x") + ggufText(""))),
        ggufEntry("u64", 10, littleEndian(~0ull, 8)),
        ggufEntry("i64", 11, littleEndian(~0ull - 3, 8)),
        ggufEntry("f64", 12, littleEndian(std::bit_cast<uint64_t>(0.1), 8)),
    };
}

/// A file of 10 GiB of which only the header exists, and how many bytes of it were read.
class HollowFile final : public ReadableBytes {
public:
    explicit HollowFile(std::string header) : header_(std::move(header)) {}

    std::string name() const override { return "hollow.gguf"; }

    Bytes size() const override { return 10 * kGiB; }

    void read(std::span<std::byte> target, Bytes offset) const override {
        readBytes_ += static_cast<Bytes>(target.size());
        for (size_t i = 0; i < target.size(); ++i) {
            const size_t at = static_cast<size_t>(offset) + i;
            target[i] = static_cast<std::byte>(at < header_.size() ? header_[at] : '\0');
        }
    }

    Bytes readBytes() const { return readBytes_; }

private:
    std::string header_;
    mutable Bytes readBytes_ = 0;
};

}  // namespace

class GgufReadTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void givesTensorsAsRanges_data() {
        QTest::addColumn<uint>("version");
        QTest::newRow("version 2") << 2u;
        QTest::newRow("version 3") << 3u;
    }

    void givesTensorsAsRanges() {
        QFETCH(uint, version);
        const std::string bytes =
            ggufBytes({.tensors = {ggufTensor({.name = "later", .offset = 96}),
                                   ggufTensor({.name = "w", .sizes = {64, 2}, .type = 2})},
                       .dataBytes = 96 + 16,
                       .version = version});
        const GgufHeader header = read(bytes);
        QCOMPARE(header.version, static_cast<int>(version));
        QCOMPARE(header.alignment, Bytes{32});
        QCOMPARE(header.tensors.size(), size_t{2});
        const auto start = static_cast<Bytes>(bytes.size()) - (96 + 16);
        QCOMPARE(header.tensors[0].name, std::string("later"));
        QCOMPARE(header.tensors[0].offset, start + 96);
        QCOMPARE(header.tensors[0].bytes, Bytes{16});
        QCOMPARE(header.tensors[1].type, GgmlType::Q4_0);
        QCOMPARE(header.tensors[1].shape, (Shape{2, 64}));
        QCOMPARE(header.tensors[1].offset, start);
        QCOMPARE(header.tensors[1].bytes, Bytes{4 * 18});
    }

    void aTensorWithoutSizesIsAScalar() {
        const GgufHeader header =
            read(ggufBytes({.tensors = {ggufTensor({.sizes = {}})}, .dataBytes = 4}));
        QCOMPARE(header.tensors[0].shape, Shape{});
        QCOMPARE(header.tensors[0].bytes, Bytes{4});
    }

    void alignsAsTheFileStates() {
        const std::string bytes = ggufBytes({.entries = {ggufAlignment(1024)}, .alignment = 1024});
        const GgufHeader header = read(bytes);
        QCOMPARE(header.alignment, Bytes{1024});
        QCOMPARE(header.tensors[0].offset, Bytes{1024});
    }

    /// Without tensors the padding may be missing.
    void readsAFileOfKeysAlone() {
        const GgufHeader header = read(ggufStart({}, 0, 1) + ggufEntry("k", 4, littleEndian(7, 4)));
        QCOMPARE(header.metadata.integer("k"), std::optional<int64_t>(7));
        QVERIFY(header.tensors.empty());
    }

    void readsEachTypeOfValue() {
        const GgufMetadata metadata = read(ggufBytes({.entries = keyOfEachType()})).metadata;
        QCOMPARE(metadata.integer("u8"), std::optional<int64_t>(255));
        QCOMPARE(metadata.integer("i8"), std::optional<int64_t>(-1));
        QCOMPARE(metadata.integer("u16"), std::optional<int64_t>(65535));
        QCOMPARE(metadata.integer("i16"), std::optional<int64_t>(-2));
        QCOMPARE(metadata.integer("u32"), std::optional<int64_t>(4294967295));
        QCOMPARE(metadata.integer("i32"), std::optional<int64_t>(-3));
        QCOMPARE(metadata.integer("i64"), std::optional<int64_t>(-4));
        QCOMPARE(metadata.number("f32"), std::optional<double>(0.5));
        QCOMPARE(metadata.number("f64"), std::optional<double>(0.1));
        QCOMPARE(metadata.number("u64"), std::optional<double>(18446744073709551615.0));
        QCOMPARE(metadata.number("i8"), std::optional<double>(-1));
        QCOMPARE(metadata.boolean("bool"), std::optional<bool>(true));
        QCOMPARE(metadata.text("string"), std::optional<std::string>("a\xFFtext"));
        QCOMPARE(metadata.texts("array"),
                 std::optional<std::vector<std::string>>({std::string("x"), std::string()}));
    }

    void keysKeepTheirOrder() {
        const GgufMetadata metadata =
            read(ggufBytes({.entries = {ggufEntry("z", 0, "\1"), ggufEntry("a", 0, "\2")}}))
                .metadata;
        QCOMPARE(metadata.entries()[0].first, std::string("z"));
        QCOMPARE(metadata.entries()[1].first, std::string("a"));
    }

    void givesArraysOfArrays() {
        const std::string inner = ggufArray(1, 2, "\1\xFF") + ggufArray(7, 0, "");
        const GgufMetadata metadata =
            read(ggufBytes({.entries = {ggufEntry("k", 9, ggufArray(9, 2, inner))}})).metadata;
        const auto arrays = metadata.find("k")->elements();
        QCOMPARE(arrays->size(), size_t{2});
        QCOMPARE(arrays->at(0).elements()->at(1).integer(), std::optional<int64_t>(-1));
        QVERIFY(arrays->at(1).elements()->empty());
    }

    /// How diffusion models keep shapes of more than four sizes.
    void givesOriginalShapes() {
        const std::string sizes = littleEndian(320, 4) + littleEndian(4, 4) + littleEndian(3, 4);
        const GgufMetadata metadata =
            read(ggufBytes({.entries = {ggufEntry(
                                "comfy.gguf.orig_shape.t", 9, ggufArray(5, 3, sizes))}}))
                .metadata;
        QCOMPARE(metadata.integers("comfy.gguf.orig_shape.t"),
                 std::optional<std::vector<int64_t>>({320, 4, 3}));
        QVERIFY(!metadata.integers("comfy.gguf.orig_shape.u"));
    }

    void anotherTypeIsRefusedByName_data() {
        const testing::Rows<QString, QString> row("key", "text");
        row("text", "string", "integer below 2^63 is needed, not a value of type STRING");
        row("real", "f32", "not a value of type FLOAT32");
        row("array", "array", "not a value of type ARRAY");
        row("too large", "u64", "not a value of type UINT64");
    }

    void anotherTypeIsRefusedByName() {
        QFETCH(QString, key);
        QFETCH(QString, text);
        const GgufMetadata metadata = read(ggufBytes({.entries = keyOfEachType()})).metadata;
        const auto error = errorOf([&] { (void)metadata.integer(key.toStdString()); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
        const QString message = QString::fromStdString(error->message().str());
        QVERIFY2(message.contains("\"a.gguf\", key \"" + key + "\""), qPrintable(message));
        QVERIFY2(message.contains(text), qPrintable(message));
    }

    void anElementOfAnotherTypeIsRefused() {
        const GgufMetadata metadata = read(ggufBytes({.entries = keyOfEachType()})).metadata;
        QVERIFY(errorOf([&] { (void)metadata.integers("array"); }));
        QVERIFY(errorOf([&] { (void)metadata.texts("string"); }));
        QVERIFY(errorOf([&] { (void)metadata.number("bool"); }));
    }

    /// Texts and numbers on both sides of every boundary between pieces of 64 KiB.
    void readsHeadersOfManyPieces() {
        std::string elements;
        std::vector<std::string> expected;
        for (size_t i = 0; elements.size() < 300'000; ++i) {
            expected.push_back(std::string(i % 97, static_cast<char>('a' + i % 26)));
            elements += ggufText(expected.back());
        }
        const std::string bytes =
            ggufBytes({.entries = {ggufEntry("k", 9, ggufArray(8, expected.size(), elements)),
                                   ggufEntry("last", 4, littleEndian(7, 4))}});
        const GgufMetadata metadata = read(bytes).metadata;
        QVERIFY(metadata.texts("k") == expected);
        QCOMPARE(metadata.integer("last"), std::optional<int64_t>(7));
    }

    void readsNoWeights() {
        const GgufTensorEntry weight{.sizes = {1ull << 20, 2048}};
        const HollowFile file(ggufBytes({.tensors = {ggufTensor(weight)}, .dataBytes = 0}));
        QCOMPARE(readGgufHeader(file).tensors[0].bytes, 8 * kGiB);
        constexpr Bytes kLookedAtFirst = 256;  // for what stands instead of a file
        QVERIFY(file.readBytes() <= 64 * kKiB + kLookedAtFirst);
    }
};

LOWTIDE_TEST(GgufReadTest)

}  // namespace gguf_read_test

#include "gguf_read_test.moc"
