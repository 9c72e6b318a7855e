#include "plugin/files/safetensors.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/files/safetensors_bytes.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace safetensors_write_test {

using namespace lowtide;
using namespace lowtide::files;
using lowtide::testing::errorOf;
using lowtide::testing::lengthPrefix;

class SafetensorsWriteTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string path_ = folder_.filePath("w.safetensors").toStdString();

    static TensorBytes tensor(DType type, Shape shape, std::string_view bytes) {
        return {.type = type, .shape = std::move(shape), .bytes = std::as_bytes(std::span(bytes))};
    }

    std::string written(const std::map<std::string, TensorBytes>& tensors,
                        const std::map<std::string, std::string>& metadata = {}) const {
        writeSafetensors(path_, tensors, metadata);
        return InputFile(path_).readAll(kMiB);
    }

private Q_SLOTS:

    /// Byte for byte as the format's documentation has it.
    void writesSortedAndPadded() {
        const std::string bytes = written(
            {{"b", tensor(DType::U8, {3}, "xyz")}, {"a", tensor(DType::I16, {1, 2}, "1234")}},
            {{"z", "1"}, {"k", "v"}});
        const std::string json = R"({"__metadata__":{"k":"v","z":"1"},)"
                                 R"("a":{"data_offsets":[0,4],"dtype":"I16","shape":[1,2]},)"
                                 R"("b":{"data_offsets":[4,7],"dtype":"U8","shape":[3]}})";
        const size_t padded = (json.size() + 7) / 8 * 8;
        QVERIFY(padded != json.size());
        QCOMPARE(bytes,
                 lengthPrefix(padded) + json + std::string(padded - json.size(), ' ') + "1234xyz");
    }

    void dataBeginsAtAMultipleOfEight() {
        for (size_t length = 1; length <= 9; ++length) {
            const std::string bytes =
                written({{std::string(length, 'n'), tensor(DType::U8, {1}, "x")}});
            QCOMPARE((bytes.size() - 1) % 8, size_t{0});
        }
    }

    void theSameInputGivesTheSameBytes() {
        const std::map<std::string, TensorBytes> tensors = {{"a", tensor(DType::F32, {1}, "1234")}};
        const std::string first = written(tensors, {{"k", "v"}});
        QTest::qSleep(20);
        QCOMPARE(written(tensors, {{"k", "v"}}), first);
    }

    void readsBackWhatWasWritten() {
        const std::string data = "12345678";
        (void)written({{"x.weight", tensor(DType::F32, {2}, data)},
                       {"empty", tensor(DType::F16, {0, 7}, "")},
                       {"scalar \xE2\x82\xAC \"quoted\"\n", tensor(DType::I64, {}, data)}},
                      {{"format", "pt"}});
        const InputFile file(path_);
        const SafetensorsHeader header = readSafetensorsHeader(file);
        QCOMPARE(header.tensors.size(), size_t{3});
        QCOMPARE(header.metadata.at("format"), std::string("pt"));
        QCOMPARE(header.tensors.at("empty").shape, (Shape{0, 7}));
        const TensorInfo& scalar = header.tensors.at("scalar \xE2\x82\xAC \"quoted\"\n");
        QCOMPARE(scalar.type, DType::I64);
        std::string back(8, '\0');
        file.read(std::as_writable_bytes(std::span(back)), scalar.offset);
        QCOMPARE(back, data);
    }

    void writesAFileWithoutTensors() { QCOMPARE(written({}), lengthPrefix(8) + "{}      "); }

    void refusesWhatCannotBeRead_data() {
        const testing::Rows<QByteArray, QByteArray, QByteArray> row("name", "key", "text");
        row("the name of the metadata", "__metadata__", "k", "v");
        row("name not UTF-8", "\xFF", "k", "v");
        row("key not UTF-8", "a", "\xFF", "v");
        row("text not UTF-8", "a", "k", "\xFF");
    }

    void refusesWhatCannotBeRead() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, text);
        const auto error = errorOf([&] {
            writeSafetensors(path_,
                             {{name.toStdString(), tensor(DType::U8, {1}, "x")}},
                             {{key.toStdString(), text.toStdString()}});
        });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
    }

    void refusesBytesThatDoNotFitTheShape() {
        const auto error = errorOf([&] {
            (void)written({{"a", tensor(DType::F32, {2}, "1234")}});
        });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Internal);
    }

    /// Bytes that count from 1, by pieces of whole elements, in the order that was given.
    void writesPiecesInTheirOrder() {
        std::vector<Bytes> sizes;
        const auto fill = [&](std::span<std::byte> piece, Bytes offset) {
            sizes.push_back(static_cast<Bytes>(piece.size()));
            for (std::byte& byte : piece) {
                byte = static_cast<std::byte>(++offset);
            }
        };
        const std::vector<TensorSource> tensors = {
            {.name = "z", .type = DType::I16, .shape = {kReadPiece / 2 + 1}, .fill = fill},
            {.name = "empty", .type = DType::F32, .shape = {0}, .fill = fill},
            {.name = "a", .type = DType::U8, .shape = {3}, .fill = fill}};

        writeSafetensors(path_, tensors, {{"k", "v"}}, {});

        QCOMPARE(sizes, (std::vector<Bytes>{kReadPiece, 2, 3}));
        const InputFile file(path_);
        const SafetensorsHeader header = readSafetensorsHeader(file);
        QCOMPARE(header.metadata.at("k"), std::string("v"));
        const Bytes begin = header.tensors.at("z").offset;
        QCOMPARE(header.tensors.at("a").offset, begin + kReadPiece + 2);
        std::string end(5, '\0');
        file.read(std::as_writable_bytes(std::span(end)), begin + kReadPiece);
        QCOMPARE(end, std::string("\1\2\1\2\3"));
    }

    void refusesANameTwice() {
        const std::vector<TensorSource> tensors = {{.name = "a", .shape = {}, .fill = {}},
                                                   {.name = "a", .shape = {}, .fill = {}}};
        const auto error = errorOf([&] { writeSafetensors(path_, tensors, {}, {}); });
        QVERIFY(error);
        QCOMPARE(error->message().str(),
                 std::string("a safetensors file cannot hold the tensor \"a\" twice"));
    }

    void cancelsBetweenPieces_andBehindTheLast() {
        for (const Bytes last : {Bytes{0}, kReadPiece}) {
            StopSource stop;
            const std::vector<TensorSource> tensors = {
                {.name = "a",
                 .type = DType::U8,
                 .shape = {2 * kReadPiece},
                 .fill = [&](std::span<std::byte>, Bytes offset) {
                     QVERIFY(offset <= last);
                     if (offset == last) {
                         stop.cancel(CancelMode::Now);
                     }
                 }}};
            const std::string path = folder_.filePath("cancelled").toStdString();
            const auto error = errorOf([&] { writeSafetensors(path, tensors, {}, stop.token()); });
            QVERIFY(error && error->kind() == ErrorKind::Cancelled);
            QVERIFY(!QFile::exists(folder_.filePath("cancelled")));
        }
    }

    void nothingIsLeftBehindByAnError() {
        QVERIFY(errorOf([&] { (void)written({{"a", tensor(DType::F32, {2}, "1234")}}); }));
        const QStringList left = QDir(folder_.path()).entryList(QDir::Files | QDir::Hidden);
        QCOMPARE(left.filter(".tmp"), QStringList{});
    }
};

LOWTIDE_TEST(SafetensorsWriteTest)

}  // namespace safetensors_write_test

#include "safetensors_write_test.moc"
