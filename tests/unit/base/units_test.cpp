#include "plugin/base/units.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace units_test {

using namespace lowtide;

class UnitsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsSizes_data() {
        const testing::Rows<QString, qint64> row("text", "bytes");
        row("plain", "4096", 4096);
        row("zero", "0", 0);
        row("B", "12B", 12);
        row("k", "64k", 65536);
        row("KiB", "1 KiB", 1024);
        row("M", "512M", 536870912);
        row("MiB", "512 MiB", 536870912);
        row("GB is 2^30", "1GB", 1073741824);
        row("fraction", "1.5G", 1610612736);
        row("T", "2T", 2199023255552);
        row("spaces around", "  8GiB \n", 8589934592);
        row("any case", "8gIb", 8589934592);
    }

    void readsSizes() {
        QFETCH(QString, text);
        QFETCH(qint64, bytes);
        QCOMPARE(parseBytes(text.toStdString()), std::optional<Bytes>(bytes));
    }

    void refusesWhatIsNoSize_data() {
        QTest::addColumn<QString>("text");
        const QStringList texts = {"",
                                   " ",
                                   "-1",
                                   "GiB",
                                   "8 G i B",
                                   "8X",
                                   "0x10",
                                   "nan",
                                   "inf",
                                   "1e300",
                                   "1,5G",
                                   "9000000T",
                                   "8GiBx",
                                   "1 2"};
        for (const QString& text : texts) {
            QTest::newRow(qPrintable("'" + text + "'")) << text;
        }
    }

    void refusesWhatIsNoSize() {
        QFETCH(QString, text);
        QCOMPARE(parseBytes(text.toStdString()), std::nullopt);
    }

    void formatsForReaders_data() {
        const testing::Rows<qint64, QString> row("bytes", "text");
        row("zero", 0, "0 B");
        row("bytes", 1023, "1023 B");
        row("KiB", 1024, "1.0 KiB");
        row("MiB", qint64{64 * kMiB}, "64.0 MiB");
        row("GiB", qint64{kGiB + kGiB / 2}, "1.5 GiB");
        row("largest", qint64{INT64_MAX}, "8388608.0 TiB");
        row("difference", qint64{-2 * kMiB}, "-2.0 MiB");
        row("just below a unit", qint64{kMiB - 1}, "1.0 MiB");
    }

    void formatsForReaders() {
        QFETCH(qint64, bytes);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(formatBytes(bytes)), text);
    }

    void alignsUp() {
        QCOMPARE(alignUp(0, 512), Bytes{0});
        QCOMPARE(alignUp(1, 512), Bytes{512});
        QCOMPARE(alignUp(512, 512), Bytes{512});
        QCOMPARE(alignUp(513, 512), Bytes{1024});
    }

    void knowsNameSizeAndKindOfATensorsType_data() {
        const testing::Rows<int, QString, int, bool> add("type", "name", "bytes", "floating");
        const auto row = [&](DType type, const char* name, int bytes, bool floating) {
            add(name, static_cast<int>(type), name, bytes, floating);
        };
        // Names and sizes of the safetensors format.
        row(DType::F64, "F64", 8, true);
        row(DType::F32, "F32", 4, true);
        row(DType::F16, "F16", 2, true);
        row(DType::BF16, "BF16", 2, true);
        row(DType::F8E4M3, "F8_E4M3", 1, true);
        row(DType::F8E5M2, "F8_E5M2", 1, true);
        row(DType::F8E8M0, "F8_E8M0", 1, false);
        row(DType::I64, "I64", 8, false);
        row(DType::I32, "I32", 4, false);
        row(DType::I16, "I16", 2, false);
        row(DType::I8, "I8", 1, false);
        row(DType::U8, "U8", 1, false);
        row(DType::Bool, "BOOL", 1, false);
    }

    void knowsNameSizeAndKindOfATensorsType() {
        QFETCH(int, type);
        QFETCH(QString, name);
        QFETCH(int, bytes);
        QFETCH(bool, floating);
        const auto dtype = static_cast<DType>(type);
        QCOMPARE(
            QString::fromUtf8(nameOf(dtype).data(), static_cast<qsizetype>(nameOf(dtype).size())),
            name);
        QCOMPARE(sizeOf(dtype), Bytes{bytes});
        QCOMPARE(isFloating(dtype), floating);
        QCOMPARE(dtypeFromName(name.toStdString()), std::optional(dtype));
    }

    void otherNamesAreNoType() {
        QCOMPARE(dtypeFromName("f32"), std::nullopt);
        QCOMPARE(dtypeFromName("U16"), std::nullopt);
        QCOMPARE(dtypeFromName(""), std::nullopt);
    }

    void countsElements() {
        QCOMPARE(elementCount(Shape{2, 4, 64, 64}), std::optional<int64_t>(32768));
        QCOMPARE(elementCount(Shape{}), std::optional<int64_t>(1));
        QCOMPARE(elementCount(Shape{3, 0, 5}), std::optional<int64_t>(0));
    }

    void aCountThatOverflowsIsNone() {
        const int64_t half = int64_t{1} << 32;
        QCOMPARE(elementCount(Shape{half, half}), std::nullopt);
        QCOMPARE(elementCount(Shape{INT64_MAX, 2}), std::nullopt);
        QCOMPARE(elementCount(Shape{INT64_MAX, 1}), std::optional<int64_t>(INT64_MAX));
    }

    void aNegativeSizeHasNoCount() {
        QCOMPARE(elementCount(Shape{-1}), std::nullopt);
        QCOMPARE(elementCount(Shape{-2, -3}), std::nullopt);
    }

    void aShapeReadsAsAList() {
        QCOMPARE(toText(Shape{2, 4, 64}), std::string("[2, 4, 64]"));
        QCOMPARE(toText(Shape{}), std::string("[]"));
    }
};

LOWTIDE_TEST(UnitsTest)

}  // namespace units_test

#include "units_test.moc"
