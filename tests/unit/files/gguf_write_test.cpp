#include "plugin/files/gguf.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/files/gguf_bytes.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>

namespace gguf_write_test {

using namespace lowtide;
using namespace lowtide::files;
using namespace lowtide::testing;

namespace {

/// Bytes that count from 1.
void count(std::span<std::byte> piece, Bytes offset) {
    for (std::byte& byte : piece) {
        byte = static_cast<std::byte>(++offset);
    }
}

GgufSource counting(const char* name, GgmlType type, Shape shape) {
    return {.name = name, .type = type, .shape = std::move(shape), .fill = count};
}

GgufMetadata aligned(GgufValue value) {
    GgufMetadata metadata;
    metadata.set("general.alignment", std::move(value));
    return metadata;
}

GgufValue uint32(int64_t number) {
    return GgufValue::ofInteger(GgufValueType::Uint32, number);
}

/// One value of each type.
GgufMetadata valueOfEachType() {
    using enum GgufValueType;
    GgufMetadata metadata;
    metadata.set("u8", GgufValue::ofInteger(Uint8, 255));
    metadata.set("i8", GgufValue::ofInteger(Int8, -128));
    metadata.set("u16", GgufValue::ofInteger(Uint16, 65535));
    metadata.set("i16", GgufValue::ofInteger(Int16, -2));
    metadata.set("u32", uint32(4294967295));
    metadata.set("i32", GgufValue::ofInteger(Int32, -3));
    metadata.set("f32", GgufValue::ofNumber(Float32, 0.5));
    metadata.set("bool", GgufValue::ofBoolean(true));
    metadata.set("string", GgufValue::ofText("a\xFFtext"));
    metadata.set("u64", GgufValue::ofInteger(Uint64, INT64_MAX));
    metadata.set("i64", GgufValue::ofInteger(Int64, INT64_MIN));
    metadata.set("f64", GgufValue::ofNumber(Float64, 0.1));
    const std::vector<GgufValue> texts = {GgufValue::ofText("x"), GgufValue::ofText("")};
    metadata.set("array", GgufValue::ofArray(String, texts));
    const std::vector<GgufValue> arrays = {GgufValue::ofArray(String, texts),
                                           GgufValue::ofArray(Bool, {})};
    metadata.set("arrays", GgufValue::ofArray(Array, arrays));
    return metadata;
}

}  // namespace

class GgufWriteTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string path_ = folder_.filePath("w.gguf").toStdString();

    std::string written(const GgufMetadata& metadata,
                        const std::vector<GgufSource>& tensors) const {
        writeGguf(path_, metadata, tensors);
        return InputFile(path_).readAll(64 * kMiB);
    }

    QStringList entries() const {
        return QDir(folder_.path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

    void requireRefused(const GgufMetadata& metadata,
                        const std::vector<GgufSource>& tensors,
                        const char* text) const {
        const auto error = errorOf([&] { (void)written(metadata, tensors); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
        QVERIFY2(error->message().str().find(text) != std::string::npos, error->what());
        QCOMPARE(entries(), QStringList());
    }

private Q_SLOTS:

    void init() { QFile::remove(QString::fromStdString(path_)); }

    /// Byte for byte as the format's text has it.
    void writesKeysTensorsAndPaddedData() {
        const std::string expected =
            ggufBytes({.entries = {ggufEntry("k", 4, littleEndian(7, 4))},
                       .tensors = {ggufTensor({.name = "b", .sizes = {64, 2}, .type = 2}),
                                   ggufTensor({.name = "a", .sizes = {3}, .offset = 96})},
                       .dataBytes = 0});
        GgufMetadata metadata;
        metadata.set("k", uint32(7));
        const std::string bytes = written(
            metadata, {counting("b", GgmlType::Q4_0, {2, 64}), counting("a", GgmlType::F32, {3})});
        QCOMPARE(bytes.substr(0, expected.size()), expected);
        std::string data(72, '\0');
        count(std::as_writable_bytes(std::span(data)), 0);
        data.resize(96);
        data += data.substr(0, 12) + std::string(20, '\0');
        QCOMPARE(bytes.substr(expected.size()), data);
    }

    void readsBackWhatWasWritten() {
        const GgufMetadata metadata = valueOfEachType();
        (void)written(metadata,
                      {counting("x \xE2\x82\xAC", GgmlType::Q6_K, {3, 2, 512}),
                       counting("scalar", GgmlType::F16, {}),
                       counting("four", GgmlType::I8, {2, 3, 4, 5})});
        const InputFile file(path_);
        const GgufHeader header = readGgufHeader(file);
        QCOMPARE(header.version, 3);
        QCOMPARE(header.metadata.entries().size(), metadata.entries().size());
        for (size_t i = 0; i < metadata.entries().size(); ++i) {
            const auto& [key, value] = header.metadata.entries()[i];
            QCOMPARE(key, metadata.entries()[i].first);
            QCOMPARE(value.type(), metadata.entries()[i].second.type());
            QCOMPARE(value.bytes(), metadata.entries()[i].second.bytes());
        }
        QCOMPARE(header.metadata.integer("i64"), std::optional<int64_t>(INT64_MIN));
        QCOMPARE(header.metadata.find("arrays")->elements()->at(0).elements()->at(0).text(),
                 std::optional<std::string>("x"));
        QCOMPARE(header.tensors[0].shape, (Shape{3, 2, 512}));
        QCOMPARE(header.tensors[1].shape, Shape{});
        QCOMPARE(header.tensors[2].shape, (Shape{2, 3, 4, 5}));
        std::string back(120, '\0');
        file.read(std::as_writable_bytes(std::span(back)), header.tensors[2].offset);
        QCOMPARE(back[119], static_cast<char>(120));
    }

    void alignsAsTheKeyStates() {
        (void)written(aligned(uint32(4096)),
                      {counting("a", GgmlType::I8, {1}), counting("b", GgmlType::I8, {1})});
        const GgufHeader header = readGgufHeader(InputFile(path_));
        QCOMPARE(header.tensors[0].offset, Bytes{4096});
        QCOMPARE(header.tensors[1].offset, Bytes{8192});
    }

    /// A quantiser can fill each piece by itself.
    void piecesAreWholeBlocks() {
        std::vector<std::pair<Bytes, Bytes>> pieces;
        GgufSource tensor = counting("a", GgmlType::Q8_0, {600'000, 32});
        tensor.fill = [&](std::span<std::byte> piece, Bytes offset) {
            pieces.emplace_back(offset, piece.size());
            count(piece, offset);
        };
        const std::string bytes = written({}, {tensor});
        const Bytes whole = 600'000 * 34;
        const Bytes first = kReadPiece / 34 * 34;
        QCOMPARE(pieces,
                 (std::vector<std::pair<Bytes, Bytes>>{{0, first}, {first, whole - first}}));
        const auto last = readGgufHeader(InputFile(path_)).tensors[0].offset + whole - 1;
        QCOMPARE(bytes[static_cast<size_t>(last)], static_cast<char>(whole));
    }

    void aKeyThatIsSetAgainIsReplaced() {
        GgufMetadata metadata = aligned(uint32(64));
        metadata.set("general.alignment", uint32(128));
        (void)written(metadata, {});
        QCOMPARE(readGgufHeader(InputFile(path_)).alignment, Bytes{128});
    }

    void refusesNames() {
        requireRefused(
            {}, {counting("\xFF", GgmlType::I8, {1})}, "tensor name \"?\": it is not UTF-8");
        GgufMetadata metadata;
        metadata.set(std::string(65536, 'k'), uint32(1));
        requireRefused(metadata, {}, "it is 65536 bytes long, at most 65535");
    }

    void refusesATensorTwice() {
        const GgufSource tensor = counting("a", GgmlType::I8, {1});
        requireRefused({}, {tensor, tensor}, "the tensor \"a\": it is there twice");
    }

    void refusesShapes_data() {
        const testing::Rows<QList<qint64>, QString> add("sizes", "text");
        add("six sizes", {1, 1, 1, 1, 1, 32}, "it has 6 sizes");
        add("zero", {0, 32}, "it has the shape [0, 32]");
        add("negative", {-1, 32}, "it has the shape [-1, 32]");
        add("no block", {32, 31}, "it has rows of 31 elements");
        add("no row", {}, "it has rows of 1 elements");
        add("overflow", {INT64_MAX, 32}, "takes more than 2^63 - 1");
    }

    void refusesShapes() {
        QFETCH(QList<qint64>, sizes);
        QFETCH(QString, text);
        requireRefused({},
                       {counting("a", GgmlType::Q8_0, Shape(sizes.begin(), sizes.end()))},
                       qPrintable(text));
    }

    void refusesTensorsThatOverflowTogether() {
        const Shape shape = {1ll << 62};
        requireRefused({},
                       {counting("a", GgmlType::I8, shape), counting("b", GgmlType::I8, shape)},
                       "the tensor \"b\": it ends behind byte 2^63 - 1");
    }

    void refusesAlignments() {
        requireRefused(aligned(uint32(24)), {}, "a power of two from 8 on");
        requireRefused(
            aligned(GgufValue::ofInteger(GgufValueType::Uint64, 32)), {}, "must be a UINT32");
    }

    void aNumberMustFitItsType() {
        for (const auto& [type, number] : {std::pair{GgufValueType::Uint8, 256},
                                           {GgufValueType::Uint32, -1},
                                           {GgufValueType::Int8, 128},
                                           {GgufValueType::Float32, 1}}) {
            const auto error = errorOf([&] { (void)GgufValue::ofInteger(type, number); });
            QVERIFY(error && error->kind() == ErrorKind::Internal);
        }
    }

    void leavesNothingWhereASourceFails() {
        GgufSource tensor = counting("a", GgmlType::I8, {1});
        tensor.fill = [](std::span<std::byte>, Bytes) {
            throw Error(ErrorKind::Device, Message("the source is gone"));
        };
        const auto error = errorOf([&] { (void)written({}, {tensor}); });
        QVERIFY(error && error->kind() == ErrorKind::Device);
        QCOMPARE(entries(), QStringList());
    }

    void stopsBetweenPieces() {
        StopSource source;
        int pieces = 0;
        GgufSource tensor = counting("a", GgmlType::I8, {3 * kReadPiece});
        tensor.fill = [&](std::span<std::byte>, Bytes) {
            ++pieces;
            source.cancel(CancelMode::Now);
        };
        const auto error =
            errorOf([&] { writeGguf(path_, {}, std::span(&tensor, 1), source.token()); });
        QVERIFY(error && error->kind() == ErrorKind::Cancelled);
        QCOMPARE(pieces, 1);
        QCOMPARE(entries(), QStringList());
    }
};

LOWTIDE_TEST(GgufWriteTest)

}  // namespace gguf_write_test

#include "gguf_write_test.moc"
