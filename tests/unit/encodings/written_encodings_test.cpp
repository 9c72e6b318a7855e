// Compares what is written in an encoding with the bytes of the library that defines it.
#include "plugin/encodings/encodings.hpp"
#include "plugin/encodings/scaled_elements.hpp"
#include "plugin/encodings/small_floats.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <c10/util/Half.h>

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace written_encodings_test {

using namespace lowtide;
using namespace lowtide::encodings;

namespace {

struct WrittenCase {
    const char* name;  ///< in the golden
    const char* encoding;
    int64_t blockElements = 1;
    Bytes blockBytes = 1;
    bool hasScales = false;
};

constexpr WrittenCase kQ80{"q8_0", "q8_0", 32, 34};
constexpr WrittenCase kQ4K{"q4_k", "q4_k", 256, 144};
constexpr WrittenCase kWrittenCases[] = {kQ80,
                                         {"f8_e4m3", "f8_e4m3", 1, 1, true},
                                         {"int8", "int8", 1, 1, true},
                                         {"int8_rows", "int8", 1, 1, true}};

const testing::PythonGolden& writtenGolden() {
    static const testing::PythonGolden kGolden("tests/unit/encodings/make_written_goldens.py");
    return kGolden;
}

template <class Number>
std::vector<Number> valuesOf(const std::string& key) {
    const at::Tensor values = writtenGolden().tensor(key).contiguous();
    const auto* first = static_cast<const Number*>(values.const_data_ptr());
    return {first, first + values.numel()};
}

/// Numbers that are written in an encoding.
class WrittenTensor {
public:
    WrittenTensor(const WrittenCase& test, std::vector<float> numbers)
        : WrittenTensor(test, std::move(numbers), 512, {}) {}

    WrittenTensor(const WrittenCase& test,
                  std::vector<float> numbers,
                  int64_t columns,
                  std::vector<float> scales)
        : numbers_(std::move(numbers)), scales_(std::move(scales)) {
        tensor_ = {.encoding = test.encoding,
                   .blockElements = test.blockElements,
                   .blockBytes = test.blockBytes,
                   .columns = columns};
        if (test.hasScales) {
            tensor_.companions.push_back(
                {.key = "scale", .elementCount = static_cast<int64_t>(scales_.size())});
        }
    }

    [[nodiscard]] int64_t count() const { return static_cast<int64_t>(numbers_.size()); }

    /// Of whole blocks, with the scales that they need and no others.
    [[nodiscard]] std::vector<std::byte> blocksOf(Part part) const {
        std::vector<std::byte> blocks(static_cast<size_t>(bytesOf(part.count)));
        with(part, nullptr, [&](const StoredPart& stored) {
            encodingOf(tensor_).encode(stored, numbers_.data() + part.first, blocks.data());
        });
        return blocks;
    }

    [[nodiscard]] std::vector<std::byte> blocks() const { return blocksOf({0, count()}); }

    [[nodiscard]] std::vector<float> decoded() const {
        const std::vector<std::byte> all = blocks();
        std::vector<float> back(numbers_.size());
        with(Part{0, count()}, all.data(), [&](const StoredPart& stored) {
            encodingOf(tensor_).decode(stored, back.data());
        });
        return back;
    }

    [[nodiscard]] Bytes bytesOf(int64_t elements) const {
        return elements / tensor_.blockElements * tensor_.blockBytes;
    }

    [[nodiscard]] int64_t block() const { return tensor_.blockElements; }

private:
    template <class Work>
    void with(Part part, const std::byte* blocks, const Work& work) const {
        std::vector<std::byte> scales;
        std::vector<std::span<const std::byte>> companions;
        if (!tensor_.companions.empty()) {
            const ByteRange range = companionRange(tensor_, 0, part);
            const auto all = std::as_bytes(std::span(scales_));
            scales.assign(all.begin() + range.begin, all.begin() + range.begin + range.count);
            companions.emplace_back(scales);
        }
        work(StoredPart{
            .tensor = &tensor_, .part = part, .blocks = blocks, .companions = companions});
    }

    std::vector<float> numbers_;
    std::vector<float> scales_;
    memory::Encoded tensor_;
};

WrittenTensor writtenCase(const WrittenCase& test) {
    const std::string name = test.name;
    return {test,
            valuesOf<float>(name + ".numbers"),
            512,
            test.hasScales ? valuesOf<float>(name + ".scales") : std::vector<float>()};
}

double squaredError(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        sum += std::pow(double(a[i]) - double(b[i]), 2);
    }
    return sum;
}

}  // namespace

class WrittenEncodingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void writesTheBytesOfItsLibrary_data() { testing::addEach(kWrittenCases, &WrittenCase::name); }

    void writesTheBytesOfItsLibrary() {
        QFETCH(int, index);
        const WrittenCase& test = kWrittenCases[index];

        const std::vector<std::byte> blocks = writtenCase(test).blocks();

        const auto expected = valuesOf<std::byte>(std::string(test.name) + ".blocks");
        const auto differs =
            std::mismatch(blocks.begin(), blocks.end(), expected.begin(), expected.end());
        QVERIFY2(blocks == expected, qPrintable(QString::number(differs.first - blocks.begin())));
    }

    /// A part is written as it is in the whole.
    void partsAreThoseOfTheWhole_data() { writesTheBytesOfItsLibrary_data(); }

    void partsAreThoseOfTheWhole() {
        QFETCH(int, index);
        const WrittenTensor tensor = writtenCase(kWrittenCases[index]);
        const std::vector<std::byte> whole = tensor.blocks();

        for (const Part part : {Part{0, tensor.block()},
                                Part{3 * 512 - 32, 64},
                                Part{5 * 512, 1024},
                                Part{tensor.count() - 32, 32}}) {
            const auto first = whole.begin() + tensor.bytesOf(part.first);
            QCOMPARE(tensor.blocksOf(part),
                     std::vector<std::byte>(first, first + tensor.bytesOf(part.count)));
        }
    }

    /// Scale and minimum of a range are the first of many that are tried.
    void q4KIsNearerThanItsRange() {
        const WrittenTensor tensor(kQ4K, valuesOf<float>("q4_k.numbers"));
        const std::vector<float> numbers = valuesOf<float>("q4_k.numbers");

        const double ours = squaredError(numbers, tensor.decoded());
        const double plain = squaredError(numbers, valuesOf<float>("q4_k.plain"));

        const double squares = squaredError(numbers, std::vector<float>(numbers.size()));
        qInfo("relative error %.5f, of the range %.5f",
              std::sqrt(ours / squares),
              std::sqrt(plain / squares));
        QVERIFY(ours < 0.85 * plain);
    }

    /// Numbers that its levels hold come back, also where a run has one sign, or one value.
    void q4KKeepsWhatItHolds() {
        std::vector<float> numbers(1024);
        for (size_t i = 0; i < 256; ++i) {
            numbers[i] = static_cast<float>(i % 16) - 7;         // all sixteen levels
            numbers[256 + i] = static_cast<float>(i % 15) + 1;   // no minimum below 0
            numbers[512 + i] = -static_cast<float>(i / 32 + 1);  // each run one value
        }

        const std::vector<float> back = WrittenTensor(kQ4K, numbers).decoded();

        for (size_t i = 0; i < numbers.size(); ++i) {
            const bool isNear = std::fabs(back[i] - numbers[i]) <= (i < 512 ? 0.02F : 0.07F);
            QVERIFY2(isNear, qPrintable(QString("%1: %2").arg(i).arg(back[i])));
        }
        QVERIFY(std::all_of(back.begin() + 768, back.end(), [](float each) { return each == 0; }));
    }

    void zerosAndTheLargestAreWritten() {
        std::vector<float> numbers(512, 0.0F);
        QCOMPARE(WrittenTensor(kQ80, numbers).decoded(), numbers);
        numbers[40] = 127 * 65504.0F;
        QCOMPARE(WrittenTensor(kQ80, numbers).decoded()[40], numbers[40]);
        QVERIFY(scaleFor(0, 127) > 0);
    }

    /// Every magnitude of a half, and what lies between two of them.
    void halvesAreThoseOfTheLibrary() {
        for (uint32_t bits = 0; bits < 0x48000000; bits += 0xFFFF) {
            const auto number = std::bit_cast<float>(bits);
            QCOMPARE(halfBits(-number), c10::Half(-number).x);
        }
        for (uint32_t half = 0; half < 0x7C00; ++half) {
            const float number = halfFromBits(static_cast<uint16_t>(half));
            const float between = (number + halfFromBits(static_cast<uint16_t>(half + 1))) / 2;
            QCOMPARE(halfBits(number), static_cast<uint16_t>(half));
            QCOMPARE(halfBits(between), c10::Half(between).x);
        }
        QCOMPARE(halfBits(std::bit_cast<float>(0x7FC00000U)), uint16_t{0x7E00});
    }
};

LOWTIDE_TEST(WrittenEncodingsTest)

}  // namespace written_encodings_test

#include "written_encodings_test.moc"
