// Compares the numbers of every encoding with what the libraries that define them decode.
#include "plugin/encodings/encodings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/encodings/stored_tensor.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace encodings_test {

using namespace lowtide;
using namespace lowtide::encodings;
using testing::encodingGolden;
using testing::storedCase;
using testing::StoredCase;
using testing::storedCases;
using testing::StoredTensor;

namespace {

/// Of convrot in units of a row's largest number: the reference sums 256 products in f32.
constexpr double kRotatedTolerance = 1e-6;

std::vector<float> numbersOf(const at::Tensor& tensor) {
    const at::Tensor whole = tensor.contiguous();
    const float* first = whole.const_data_ptr<float>();
    return {first, first + whole.numel()};
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void put(std::vector<std::byte>& bytes, size_t found, float number) {
    std::memcpy(bytes.data() + found, &number, sizeof(number));
}

}  // namespace

class EncodingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void decodesAsItsLibrary_data() { testing::addEach(storedCases(), &StoredCase::name); }

    void decodesAsItsLibrary() {
        QFETCH(int, index);
        const StoredCase& test = storedCases()[static_cast<size_t>(index)];
        const StoredTensor stored(test);

        QCOMPARE(stored.fault(), std::optional<std::string>());
        QVERIFY(
            sameBits(stored.decoded(), numbersOf(encodingGolden().tensor(test.name + ".numbers"))));
    }

    /// A part decodes to what it is in the whole: rows of tables, and what fits a reader's buffer.
    void partsAreThoseOfTheWhole_data() { decodesAsItsLibrary_data(); }

    void partsAreThoseOfTheWhole() {
        QFETCH(int, index);
        const StoredTensor stored(storedCases()[static_cast<size_t>(index)]);
        const std::vector<float> whole = stored.decoded();
        const int64_t block = stored.tensor.blockElements;
        const int64_t columns = stored.tensor.columns;

        for (const Part part : {Part{0, block},
                                Part{columns - block, 2 * block},
                                Part{3 * columns, 5 * columns},
                                Part{150 * columns + block, 3 * block},
                                Part{stored.count() - block, block}}) {
            const auto first = whole.begin() + part.first;
            QVERIFY(sameBits(stored.decoded(part), {first, first + part.count}));
        }
    }

    /// The exact sums, rounded once, are near to those of the reference.
    void rotationIsThatOfTheReference() {
        for (const char* name : {"int8_convrot_16", "int8_convrot_64", "int8_convrot_256"}) {
            const at::Tensor reference = encodingGolden().tensor(std::string(name) + ".reference");
            const std::vector<float> numbers = StoredTensor(storedCase(name)).decoded();
            const at::Tensor ours =
                at::from_blob(const_cast<float*>(numbers.data()), reference.sizes(), at::kFloat);
            const at::Tensor largest = reference.abs().amax(1, true);

            QVERIFY(((ours - reference).abs() / largest).max().item<double>() < kRotatedTolerance);
        }
    }

    void scalesThatAreNoneAreReported_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("companion");
        QTest::addColumn<int>("found");
        QTest::addColumn<float>("value");
        QTest::addColumn<QString>("fault");
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        constexpr float kInf = std::numeric_limits<float>::infinity();
        const auto row =
            [](const char* name, int companion, int found, float value, const char* fault) {
                QTest::addRow("%s %d %g", name, found, static_cast<double>(value))
                    << name << companion << found << value << fault;
            };
        row("f8_e4m3", 0, 0, 0, "the scale is 0.000000, where a positive number belongs");
        row("f8_e5m2", 0, 0, -1, "the scale is -1.000000, where a positive number belongs");
        row("int8_rows", 0, 7, kNan, "the scale of row 7 is nan, where a positive number belongs");
        row("int8_convrot_256",
            0,
            9,
            kInf,
            "the scale of row 9 is inf, where a positive number belongs");
        row("bnb_int8",
            0,
            199,
            -2,
            "the scale of row 199 is -2.000000, where a positive number belongs");
        row("nvfp4", 1, 0, kNan, "the scale of the tensor is nan, where a positive number belongs");
        row("nvfp4",
            1,
            0,
            0,
            "the scale of the tensor is 0.000000, where a positive number belongs");
        row("bnb_nf4", 0, 17, kNan, "the largest magnitude of block 17 is nan");
        row("bnb_nf4_nested", 1, 1, kInf, "the largest magnitude of block 256 is -inf");
    }

    void scalesThatAreNoneAreReported() {
        QFETCH(QString, name);
        QFETCH(int, companion);
        QFETCH(int, found);
        QFETCH(float, value);
        QFETCH(QString, fault);
        StoredTensor stored(storedCase(name.toStdString()));

        put(stored.companions[static_cast<size_t>(companion)],
            static_cast<size_t>(found) * sizeof(float),
            value);

        QCOMPARE(QString::fromStdString(stored.fault().value_or("")), fault);
    }

    /// Scales of a byte, of row 130 and block 5 among tiles of 128 rows and 4 blocks.
    void nanAmongScalesOfBlocksIsReported() {
        for (const char* name : {"nvfp4", "mxfp8"}) {
            StoredTensor stored(storedCase(name));
            const int64_t blocks = stored.tensor.columns / stored.tensor.blockElements;
            const int64_t found = (blocks / 4 + 1) * 512 + 2 * 16 + 1;

            stored.companions[0][static_cast<size_t>(found)] = std::byte{0xFF};

            QCOMPARE(stored.fault().value_or(""),
                     "the scale of block " + std::to_string(130 * blocks + 5) + " is nan");
        }
    }

    void nanInABlockIsReported() {
        for (const char* name : {"q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q5_k"}) {
            StoredTensor stored(storedCase(name));
            const auto found = static_cast<size_t>(11 * stored.tensor.blockBytes);

            stored.blocks[found + 1] = std::byte{0x7C};

            QCOMPARE(stored.fault().value_or(""), "the scale of block 11 is no finite number");
        }
        for (const auto& [name, found] : {std::pair("q2_k", 82), {"q3_k", 108}, {"q6_k", 208}}) {
            StoredTensor stored(storedCase(name));

            stored.blocks[static_cast<size_t>(found + 1)] = std::byte{0xFE};

            QCOMPARE(stored.fault().value_or(""), "the scale of block 0 is no finite number");
        }
    }

    void knowsItsNames() {
        QVERIFY(findEncoding("q4_k") != nullptr);
        QVERIFY(findEncoding("q9_k") == nullptr);
        for (const Encoding& each : encodings::encodings()) {
            QVERIFY(!each.label.empty());
            QVERIFY(std::any_of(
                storedCases().begin(), storedCases().end(), [&](const StoredCase& test) {
                    return test.encoding == each.name;
                }));
        }
    }
};

LOWTIDE_TEST(EncodingsTest)

}  // namespace encodings_test

#include "encodings_test.moc"
