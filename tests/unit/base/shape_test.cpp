#include "plugin/base/units.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace shape_test {

using namespace lowtide;

class ShapeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

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

    void aNegativeSizeIsNone() {
        QCOMPARE(elementCount(Shape{-1}), std::nullopt);
        QCOMPARE(elementCount(Shape{-2, -3}), std::nullopt);
    }

    void readsAsAList() {
        QCOMPARE(toText(Shape{2, 4, 64}), std::string("[2, 4, 64]"));
        QCOMPARE(toText(Shape{}), std::string("[]"));
    }
};

LOWTIDE_TEST(ShapeTest)

}  // namespace shape_test

#include "shape_test.moc"
