#include "plugin/base/error.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace element_conversion_test {

using namespace lowtide;
using residency::convertElements;
using residency::scalarTypeOf;

namespace {

const DType kFloating[] = {
    DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2};
const DType kTargets[] = {DType::F32, DType::F16, DType::BF16};

/// Every bit pattern of a type of at most 16 bits; for wider ones patterns that fall on, next to
/// and between the numbers of the narrow types, and special values.
at::Tensor patterns(DType type) {
    if (sizeOf(type) == 1) {
        return at::arange(256, at::kInt).to(at::kByte).view(scalarTypeOf(type));
    }
    if (sizeOf(type) == 2) {
        return at::arange(65536, at::kInt).to(at::kUInt16).view(scalarTypeOf(type));
    }
    const at::Tensor halves = at::arange(65536, at::kInt).to(at::kUInt16).view(at::kHalf);
    const at::Tensor wide = halves.to(at::kDouble);
    const at::Tensor nudge =
        at::tensor({0.0, 1e-9, -1e-9, 2.44140625e-4, -2.44140625e-4, 4.8828125e-4});
    at::Tensor values = (wide.unsqueeze(1) * (nudge + 1.0)).flatten();
    const at::Tensor special = at::tensor(
        {1e-45, -1e-45, 1e38, 3.5e38, -3.5e38, 65519.99, 65520.0, 1e-8, 6e-8, 9e-41}, at::kDouble);
    return at::cat({values, special, special * 1e-3}).to(scalarTypeOf(type));
}

}  // namespace

class ElementConversionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void reportsWhatIsFinite_data() {
        QTest::addColumn<int>("type");
        for (const DType type : kFloating) {
            QTest::newRow(std::string(nameOf(type)).c_str()) << static_cast<int>(type);
        }
    }

    /// Every pattern by itself, at odd addresses, and one among many.
    void reportsWhatIsFinite() {
        QFETCH(int, type);
        const auto dtype = static_cast<DType>(type);
        const at::Tensor all =
            at::cat({patterns(dtype).to(at::kDouble),
                     at::tensor({HUGE_VAL, -HUGE_VAL, std::nan("")}, at::kDouble)});
        const at::Tensor values =
            sizeOf(dtype) <= 2 ? patterns(dtype) : all.to(scalarTypeOf(dtype));
        const at::Tensor truth = values.to(at::kDouble).isfinite();
        const auto size = static_cast<size_t>(sizeOf(dtype));
        std::vector<std::byte> odd(1 + size);
        const auto* bytes = static_cast<const std::byte*>(values.const_data_ptr());
        for (int64_t i = 0; i < values.numel(); ++i) {
            std::memcpy(&odd[1], bytes + static_cast<size_t>(i) * size, size);
            QCOMPARE(residency::areFinite(dtype, &odd[1], 1), truth[i].item<bool>());
        }
        const at::Tensor finite = values.masked_select(truth);
        const auto* good = static_cast<const std::byte*>(finite.const_data_ptr());
        QVERIFY(residency::areFinite(dtype, good, finite.numel()));
        QVERIFY(!residency::areFinite(dtype, bytes, values.numel()));
    }

    void wholeNumbersAreFinite() {
        const std::vector<std::byte> ones(64, std::byte{0xFF});
        for (const DType type : {DType::I64, DType::I32, DType::I16, DType::I8, DType::U8}) {
            QVERIFY(residency::areFinite(type, ones.data(), 8));
        }
    }

    void hasTheBitsOfAten_data() {
        const testing::Rows<int, int> row("from", "to");
        for (const DType from : kFloating) {
            for (const DType to : kTargets) {
                const std::string name =
                    std::string(nameOf(from)) + " to " + std::string(nameOf(to));
                row(name, static_cast<int>(from), static_cast<int>(to));
            }
        }
    }

    void hasTheBitsOfAten() {
        QFETCH(int, from);
        QFETCH(int, to);
        const auto fromType = static_cast<DType>(from);
        const auto toType = static_cast<DType>(to);
        const at::Tensor source = patterns(fromType).contiguous();
        const at::Tensor expected = source.to(scalarTypeOf(toType)).contiguous();
        at::Tensor actual = at::empty_like(expected);

        convertElements(static_cast<std::byte*>(actual.data_ptr()),
                        toType,
                        static_cast<const std::byte*>(source.const_data_ptr()),
                        fromType,
                        source.numel());

        const at::Tensor isNan = expected.to(at::kFloat).isnan();
        QVERIFY(at::equal(isNan, actual.to(at::kFloat).isnan()));
        const auto bits = sizeOf(toType) == 4 ? at::kInt : at::kShort;
        const at::Tensor differs =
            expected.view(bits).ne(actual.view(bits)).logical_and(isNan.logical_not());
        QCOMPARE(differs.sum().item<int64_t>(), 0);
    }

    void hasTheBitsOfAtenAtAnyLengthAndAddress_data() {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("skipped");
        QTest::addColumn<int>("count");
        for (const DType from : {DType::F16, DType::BF16}) {
            for (const int skipped : {0, 1, 3, 8}) {
                for (const int count : {0, 1, 7, 8, 9, 1003}) {
                    QTest::addRow("%s, %d from %d", nameOf(from).data(), count, skipped)
                        << static_cast<int>(from) << skipped << count;
                }
            }
        }
    }

    void hasTheBitsOfAtenAtAnyLengthAndAddress() {
        QFETCH(int, from);
        QFETCH(int, skipped);
        QFETCH(int, count);
        const auto fromType = static_cast<DType>(from);
        const at::Tensor source = at::linspace(-2, 2, 2048).to(scalarTypeOf(fromType));
        const at::Tensor expected = at::full({2048}, 7.0F);
        expected.narrow(0, skipped, count).copy_(source.narrow(0, 5, count));
        at::Tensor actual = at::full({2048}, 7.0F);

        convertElements(
            static_cast<std::byte*>(actual.data_ptr()) + skipped * sizeOf(DType::F32),
            DType::F32,
            static_cast<const std::byte*>(source.const_data_ptr()) + 5 * sizeOf(fromType),
            fromType,
            count);

        QVERIFY(at::equal(actual, expected));
    }

    /// Every pattern of the upper half, with lower halves at, next to and between what is rounded.
    void scaledF8HasTheBitsOfAten() {
        constexpr std::array<int64_t, 7> kLower = {0, 1, 0x7FFF, 0x8000, 0x8001, 0xC000, 0xFFFF};
        const at::Tensor upper =
            at::arange(0, 65536, at::kLong).sub(32768).mul(65536).view({-1, 1});
        const at::Tensor lower =
            at::tensor(at::ArrayRef<int64_t>(kLower.data(), kLower.size())).view({1, -1});
        const at::Tensor values = (upper + lower).to(at::kInt).view(at::kFloat).contiguous();
        at::Tensor actual = at::empty({values.numel()}, at::kByte);
        for (const float scale : {1.0F, 0.25F, 1024.0F}) {
            residency::scaleToF8(static_cast<std::byte*>(actual.data_ptr()),
                                 values.const_data_ptr<float>(),
                                 scale,
                                 values.numel());
            const at::Tensor expected =
                (values * (1 / scale)).to(at::kFloat8_e4m3fn).view(at::kByte).view({-1});
            QCOMPARE(actual.ne(expected).sum().item<int64_t>(), int64_t{0});
        }
    }

    void theLargestMagnitudeIsThatOfAnyLength() {
        const at::Tensor values = at::randn({1000});
        for (const int64_t count : {0, 1, 15, 16, 17, 33, 1000}) {
            const float expected =
                count == 0 ? 0.0F : values.narrow(0, 0, count).abs().max().item<float>();
            QCOMPARE(residency::largestMagnitude(values.const_data_ptr<float>(), count), expected);
        }
    }

    void refusesIntegersAsFloats() {
        QVERIFY(!residency::canConvert(DType::I64, DType::F32));
        QVERIFY(residency::canConvert(DType::I64, DType::I64));
        std::byte memory[8] = {};
        QVERIFY_THROWS_EXCEPTION(Error, convertElements(memory, DType::F32, memory, DType::I64, 1));
    }

    /// What a checkpoint that is stored as f8 costs the copy thread.
    void scalesFastEnough() {
        constexpr int64_t kRows = 1 << 10;
        constexpr int64_t kColumns = 1 << 12;
        const at::Tensor source = at::randn({kRows, kColumns});
        std::vector<std::byte> target(static_cast<size_t>(kRows * kColumns));
        QBENCHMARK {
            for (int64_t row = 0; row < kRows; ++row) {
                const float* values = source.const_data_ptr<float>() + row * kColumns;
                const float scale =
                    residency::scaleFor(residency::largestMagnitude(values, kColumns));
                residency::scaleToF8(target.data() + row * kColumns, values, scale, kColumns);
            }
        }
    }

    void convertsFastEnough() {
        constexpr int64_t kCount = 1 << 24;
        const at::Tensor source = at::randn({kCount}).to(at::kHalf);
        at::Tensor target = at::zeros({kCount});  // its pages are there
        QBENCHMARK {
            convertElements(static_cast<std::byte*>(target.data_ptr()),
                            DType::F32,
                            static_cast<const std::byte*>(source.const_data_ptr()),
                            DType::F16,
                            kCount);
        }
    }
};

LOWTIDE_TEST(ElementConversionTest)

}  // namespace element_conversion_test

#include "element_conversion_test.moc"
