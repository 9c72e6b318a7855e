#include "plugin/base/units.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace dtype_test {

using namespace lowtide;

class DTypeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void knowsNameSizeAndKind_data() {
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

    void knowsNameSizeAndKind() {
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

    void otherNamesAreNone() {
        QCOMPARE(dtypeFromName("f32"), std::nullopt);
        QCOMPARE(dtypeFromName("U16"), std::nullopt);
        QCOMPARE(dtypeFromName(""), std::nullopt);
    }
};

LOWTIDE_TEST(DTypeTest)

}  // namespace dtype_test

#include "dtype_test.moc"
