#include "plugin/files/safetensors.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/files/safetensors_bytes.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace safetensors_read_test {

using namespace lowtide;
using namespace lowtide::files;
using lowtide::testing::errorOf;
using lowtide::testing::lengthPrefix;
using lowtide::testing::safetensorsBytes;

namespace {

const std::string kTensor = R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
const std::string kMore = R"("a":)" + kTensor + "}";

std::string tensor(const char* dtype, const char* shape, const char* offsets) {
    return std::string(R"({"a":{"dtype":)") + dtype + R"(,"shape":)" + shape +
           R"(,"data_offsets":)" + offsets + "}}";
}

std::string two(const char* shape, const char* offsets) {
    return std::string(R"({"a":{"dtype":"F32","shape":)") + shape + R"(,"data_offsets":)" +
           offsets + R"(},"b":)" + kTensor + "}";
}

}  // namespace

class SafetensorsReadTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    SafetensorsHeader headerOf(const std::string& bytes) const {
        const QString path = folder_.filePath("m.safetensors");
        QFile file(path);
        file.remove();  // truncating it instead makes ext4 flush each one
        const bool written = file.open(QIODevice::WriteOnly) &&
                             file.write(bytes.data(), static_cast<qint64>(bytes.size())) ==
                                 static_cast<qint64>(bytes.size());
        LOWTIDE_ASSERT(written);
        file.close();
        return readSafetensorsHeader(InputFile(path.toStdString()));
    }

    static void accepted(const char* name, const std::string& header, int dataBytes) {
        QTest::newRow(name) << QByteArray::fromStdString(
                                   safetensorsBytes(header, static_cast<size_t>(dataBytes)))
                            << QString() << QString();
    }

    static void refused(const char* name,
                        const std::string& header,
                        int dataBytes,
                        const char* text) {
        refusedBytes(
            name, safetensorsBytes(header, static_cast<size_t>(dataBytes)), "corrupt_file", text);
    }

    static void unsupported(const char* name, const char* dtype, const char* shape) {
        refusedBytes(name,
                     safetensorsBytes(tensor(dtype, shape, "[0,8]"), 8),
                     "unsupported",
                     "tensor \"a\" has the element type");
    }

    static void refusedBytes(const char* name,
                             const std::string& bytes,
                             const char* code,
                             const char* text) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString(code) << QString(text);
    }

private Q_SLOTS:

    void givesTensorsAndMetadata() {
        const std::string header =
            R"({"__metadata__":{"format":"pt","é":"\u00fc"},"b.weight":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]},)"
            R"("a":{"shape":[],"data_offsets":[0,4],"dtype":"F32"}} )";
        const SafetensorsHeader read = headerOf(safetensorsBytes(header, 16));
        const Bytes start = 8 + static_cast<Bytes>(header.size());
        QCOMPARE(read.tensors.size(), size_t{2});
        const TensorInfo& weight = read.tensors.at("b.weight");
        QCOMPARE(weight.type, DType::BF16);
        QCOMPARE(weight.shape, (Shape{2, 3}));
        QCOMPARE(weight.offset, start + 4);
        QCOMPARE(weight.bytes, Bytes{12});
        QCOMPARE(read.tensors.at("a").shape, Shape{});
        QCOMPARE(read.tensors.at("a").offset, start);
        QCOMPARE(read.metadata.at("format"), std::string("pt"));
        QCOMPARE(read.metadata.at("é"), std::string("ü"));
    }

    /// The verdicts are those of the Python package safetensors 0.8.0, but for the rows named
    /// "stricter".
    void decidesLikeTheReference_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("code");  // empty: accepted
        QTest::addColumn<QString>("text");
        acceptedRows();
        frameRows();
        jsonRows();
        tensorRows();
        coverageRows();
        metadataRows();
    }

    void decidesLikeTheReference() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, code);
        QFETCH(QString, text);
        const auto error = errorOf([&] { (void)headerOf(bytes.toStdString()); });
        if (code.isEmpty()) {
            QVERIFY2(!error, error ? error->what() : "");
            return;
        }
        QVERIFY(error);
        const std::string_view got = codeOf(error->kind());
        QCOMPARE(QString::fromUtf8(got.data(), static_cast<qsizetype>(got.size())), code);
        const QString message = QString::fromStdString(error->message().str());
        QVERIFY2(message.contains("\"m.safetensors\""), qPrintable(message));
        QVERIFY2(message.contains(text), qPrintable(message));
        QVERIFY2(!message.contains(folder_.path()), qPrintable(message));
    }

    void everyCutOfAValidFileIsRefused() {
        const std::string whole = safetensorsBytes(two("[4]", "[8,24]"), 24);
        QVERIFY(!errorOf([&] { (void)headerOf(whole); }));
        for (size_t size = 0; size < whole.size(); ++size) {
            const auto error = errorOf([&] { (void)headerOf(whole.substr(0, size)); });
            QVERIFY2(error && error->kind() == ErrorKind::Corrupt,
                     qPrintable(QString::number(size)));
        }
    }

private:
    static void acceptedRows() {
        accepted("one tensor", "{" + kMore, 8);
        accepted("no tensor", "{}", 0);
        accepted("metadata only", R"({"__metadata__":{"a":"b"}})", 0);
        accepted("null metadata", R"({"__metadata__":null,)" + kMore, 8);
        accepted("spaces behind the header", "{" + kMore + "   ", 8);
        accepted("line breaks behind the header", "{" + kMore + "\n\t", 8);
        accepted("unknown member",
                 R"({"a":{"x":[[1]],"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                 8);
        accepted("scalar", tensor("\"F32\"", "[]", "[0,4]"), 4);
        accepted("zero-size tensor alone", tensor("\"F32\"", "[0]", "[0,0]"), 0);
        accepted("zero-size tensor in front", two("[0,4]", "[0,0]"), 8);
        accepted("zero-size tensor behind", two("[0,4]", "[8,8]"), 8);
        accepted("file order is not name order", two("[2]", "[8,16]"), 16);
        accepted("odd start of a tensor",
                 R"({"a":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]},)"
                 R"("b":{"dtype":"F32","shape":[1],"data_offsets":[3,7]}})",
                 7);
        accepted("empty name", R"({"":)" + kTensor + "}", 8);
        accepted("name with NUL", R"({"a\u0000b":)" + kTensor + "}", 8);
    }

    static void frameRows() {
        const std::string valid = "{" + kMore;
        const char* corrupt = "corrupt_file";
        refusedBytes("empty file", "", corrupt, "is 0 bytes long");
        refusedBytes("seven bytes", std::string(7, '\0'), corrupt, "is 7 bytes long");
        refusedBytes("header of length 0", lengthPrefix(0), corrupt, "begin with \"{\"");
        refusedBytes("header longer than the file",
                     lengthPrefix(1000) + valid + "12345678",
                     corrupt,
                     "its header alone takes 1000");
        refusedBytes(
            "header one byte too long", lengthPrefix(3) + "{}", corrupt, "it has 10 bytes");
        refusedBytes(
            "over 100 MB", lengthPrefix(100'000'001) + "{}", corrupt, "100000001 bytes, at most");
        refusedBytes("length 2^63", lengthPrefix(1ull << 63) + "{}", corrupt, "at most 100000000");
        refusedBytes("length 2^64 - 1", lengthPrefix(~0ull) + "{}", corrupt, "at most 100000000");
        refused("NUL behind the header", valid + std::string(2, '\0'), 8, "NUL");
        refused("byte order mark", "\xEF\xBB\xBF" + valid, 8, "begin with \"{\"");
        refused("stricter: space before the header", " " + valid, 8, "begin with \"{\"");
    }

    static void jsonRows() {
        const std::string valid = "{" + kMore;
        refused("no JSON", "hello", 0, "begin with \"{\"");
        refused("list", "[]", 0, "begin with \"{\"");
        refused("cut", valid.substr(0, valid.size() - 3), 8, "not valid JSON");
        refused("trailing comma", valid.substr(0, valid.size() - 1) + ",}", 8, "not valid JSON");
        refused("comment", "{/* x */" + kMore, 8, "not valid JSON");
        refused("two objects", valid + "{}", 8, "not valid JSON");
        refused("NaN", tensor("\"F32\"", "[NaN]", "[0,8]"), 8, "not valid JSON");
        refused("not UTF-8", "{\"\xFF\":" + kTensor + "}", 8, "not valid JSON");
        refused("lone surrogate", R"({"\ud800":)" + kTensor + "}", 8, "not valid JSON");
        refused("deep",
                "{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}",
                0,
                "nested deeper");
        refused("deep and open", "{\"a\":" + std::string(1'000'000, '['), 0, "nested deeper");
        refused("stricter: name twice", R"({"a":)" + kTensor + "," + kMore, 8, "\"a\" twice");
        refused("member twice",
                R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                8,
                "twice");
        refused("stricter: name of 5000 bytes",
                "{\"" + std::string(5000, 'n') + "\":" + kTensor + "}",
                8,
                "5000 bytes");
    }

    static void tensorRows() {
        refused("tensor is a number", R"({"a":1})", 0, "tensor \"a\"");
        refused("stricter: tensor is a list", R"({"a":["F32",[2],[0,8]]})", 8, "tensor \"a\"");
        refused(
            "no dtype", R"({"a":{"shape":[2],"data_offsets":[0,8]}})", 8, "\"dtype\" is missing");
        refused("no shape", R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", 8, "\"shape\"");
        refused("no offsets", R"({"a":{"dtype":"F32","shape":[2]}})", 8, "\"data_offsets\"");
        refused("null shape", tensor("\"F32\"", "null", "[0,8]"), 8, "\"shape\"");
        refused("dtype is a number", tensor("1", "[2]", "[0,8]"), 8, "\"dtype\"");
        unsupported("unknown dtype", "\"F31\"", "[2]");
        unsupported("dtype in small letters", "\"f32\"", "[2]");
        unsupported("stricter: U16", "\"U16\"", "[4]");
        unsupported("stricter: F4", "\"F4\"", "[16]");
        refused(
            "fraction in the shape", tensor("\"F32\"", "[2.0]", "[0,8]"), 8, "\"shape\" holds 2.0");
        refused("exponent in the shape", tensor("\"F32\"", "[2e0]", "[0,8]"), 8, "\"shape\" holds");
        refused("negative shape", tensor("\"F32\"", "[-2]", "[0,8]"), 8, "\"shape\" holds -2");
        refused("list in the shape", tensor("\"F32\"", "[[2]]", "[0,8]"), 8, "\"shape\" holds [2]");
        refused("text in the shape", tensor("\"F32\"", "[\"2\"]", "[0,8]"), 8, "\"shape\" holds");
        refused(
            "true in the shape", tensor("\"F32\"", "[true]", "[0,4]"), 4, "\"shape\" holds true");
        refused("size of 2^64",
                tensor("\"F32\"", "[18446744073709551616]", "[0,8]"),
                8,
                "\"shape\" holds");
        refused("stricter: size of 2^63 x 0",
                tensor("\"F32\"", "[0,9223372036854775808]", "[0,0]"),
                0,
                "\"shape\"");
        refused("elements overflow",
                tensor("\"F32\"", "[8589934592,8589934592]", "[0,8]"),
                8,
                "more than 2^63");
        refused("elements wrap to 0",
                tensor("\"F32\"", "[4294967296,4294967296]", "[0,0]"),
                0,
                "more than 2^63");
        refused("bytes overflow",
                tensor("\"F32\"", "[4611686018427387904]", "[0,8]"),
                8,
                "more than 2^63");
        refused("too few bytes",
                tensor("\"F32\"", "[3]", "[0,8]"),
                8,
                "F32 [3] takes 12 bytes, the file gives it 8");
        refused("too many bytes", tensor("\"F32\"", "[1]", "[0,8]"), 8, "takes 4 bytes");
    }

    static void coverageRows() {
        refused("one offset", tensor("\"F32\"", "[2]", "[0]"), 8, "[begin, end]");
        refused("three offsets", tensor("\"F32\"", "[2]", "[0,8,8]"), 8, "[begin, end]");
        refused("offsets reversed", tensor("\"F32\"", "[2]", "[8,0]"), 8, "[begin, end]");
        refused(
            "negative offset", tensor("\"F32\"", "[2]", "[-8,0]"), 8, "\"data_offsets\" holds -8");
        refused("minus zero", tensor("\"F32\"", "[2]", "[-0,8]"), 8, "\"data_offsets\" holds");
        refused("fraction", tensor("\"F32\"", "[2]", "[0.0,8.0]"), 8, "\"data_offsets\" holds");
        refused("behind the end", tensor("\"F32\"", "[4]", "[0,16]"), 8, "ends at byte 16");
        refused("largest offsets",
                tensor("\"F32\"", "[2]", "[9223372036854775799,9223372036854775807]"),
                8,
                "ends at");
        refused("wrapping offsets",
                tensor("\"F32\"", "[2]", "[18446744073709551608,18446744073709551615]"),
                8,
                "holds");
        refused("hole in front", tensor("\"F32\"", "[2]", "[8,16]"), 16, "leaves 8 unused bytes");
        refused("hole between", two("[2]", "[16,24]"), 24, "tensor \"a\": leaves 8 unused bytes");
        refused("overlap", two("[2]", "[4,12]"), 12, "tensor \"a\": overlaps");
        refused("the same bytes twice", two("[2]", "[0,8]"), 8, "overlaps");
        refused("zero-size tensor inside another", two("[0]", "[4,4]"), 8, "overlaps");
        refused("bytes behind the last tensor", "{" + kMore, 9, "1 bytes behind");
        refused("bytes behind no tensor", "{}", 1, "1 bytes behind");
        refused("data cut", "{" + kMore, 7, "ends at byte 8");
    }

    static void metadataRows() {
        refused(
            "number in metadata", R"({"__metadata__":{"k":1},)" + kMore, 8, "\"k\" must be a text");
        refused("object in metadata",
                R"({"__metadata__":{"k":{}},)" + kMore,
                8,
                "\"k\" must be a text");
        refused("null in metadata",
                R"({"__metadata__":{"k":null},)" + kMore,
                8,
                "\"k\" must be a text");
        refused("metadata is a list", R"({"__metadata__":[],)" + kMore, 8, "__metadata__");
        refused("metadata is a text", R"({"__metadata__":"x",)" + kMore, 8, "__metadata__");
        refused(
            "a tensor of that name", R"({"__metadata__":)" + kTensor + "}", 8, "must be a text");
        refused("metadata twice", R"({"__metadata__":{},"__metadata__":{},)" + kMore, 8, "twice");
        refused("stricter: metadata key twice",
                R"({"__metadata__":{"k":"1","k":"2"},)" + kMore,
                8,
                "twice");
    }
};

LOWTIDE_TEST(SafetensorsReadTest)

}  // namespace safetensors_read_test

#include "safetensors_read_test.moc"
