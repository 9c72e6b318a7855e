// Numbers of every encoding, beside what the libraries that define them decode.
#include "plugin/encodings/encodings.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace encodings_test {

using namespace lowtide;
using namespace lowtide::encodings;

namespace {

/// Of convrot in units of a row's largest number: the reference sums 256 products in f32.
constexpr double kRotatedTolerance = 1e-6;

struct Case {
    std::string name;  ///< in the golden
    std::string encoding;
    int64_t blockElements = 1;
    Bytes blockBytes = 1;
    int64_t columns = 512;
    size_t companions = 0;
};

const std::vector<Case> kCases = {
    {"q4_0", "q4_0", 32, 18, 1024},
    {"q4_1", "q4_1", 32, 20, 1024},
    {"q5_0", "q5_0", 32, 22, 1024},
    {"q5_1", "q5_1", 32, 24, 1024},
    {"q8_0", "q8_0", 32, 34, 1024},
    {"q2_k", "q2_k", 256, 84, 1024},
    {"q3_k", "q3_k", 256, 110, 1024},
    {"q4_k", "q4_k", 256, 144, 1024},
    {"q5_k", "q5_k", 256, 176, 1024},
    {"q6_k", "q6_k", 256, 210, 1024},
    {"f8_e4m3", "f8_e4m3", 1, 1, 512, 1},
    {"f8_e4m3_rows", "f8_e4m3", 1, 1, 512, 1},
    {"f8_e5m2", "f8_e5m2", 1, 1, 512, 1},
    {"f8_e5m2_rows", "f8_e5m2", 1, 1, 512, 1},
    {"int8", "int8", 1, 1, 512, 1},
    {"int8_rows", "int8", 1, 1, 512, 1},
    {"int8_convrot_16", "int8_convrot", 16, 16, 512, 1},
    {"int8_convrot_64", "int8_convrot", 64, 64, 512, 1},
    {"int8_convrot_256", "int8_convrot", 256, 256, 512, 1},
    {"mxfp8", "mxfp8", 32, 32, 512, 1},
    {"nvfp4", "nvfp4", 16, 8, 512, 2},
    {"bnb_int8", "bnb_int8", 1, 1, 512, 1},
    {"bnb_nf4", "bnb_nf4", 64, 32, 512, 1},
    {"bnb_nf4_nested", "bnb_nf4", 64, 32, 512, 3},
};

const testing::PythonGolden& golden() {
    static const testing::PythonGolden kGolden("tests/unit/encodings/make_encoding_goldens.py");
    return kGolden;
}

std::vector<std::byte> bytesOf(const at::Tensor& tensor) {
    const at::Tensor whole = tensor.contiguous();
    std::vector<std::byte> bytes(static_cast<size_t>(whole.nbytes()));
    std::memcpy(bytes.data(), whole.const_data_ptr(), bytes.size());
    return bytes;
}

std::vector<float> numbersOf(const at::Tensor& tensor) {
    const at::Tensor whole = tensor.contiguous();
    const float* first = whole.const_data_ptr<float>();
    return {first, first + whole.numel()};
}

/// A tensor of a case with the bytes of its file.
class StoredTensor {
public:
    explicit StoredTensor(const Case& test)
        : blocks(bytesOf(golden().tensor(test.name + ".blocks"))) {
        tensor = {.encoding = test.encoding,
                  .blockElements = test.blockElements,
                  .blockBytes = test.blockBytes,
                  .columns = test.columns};
        for (size_t i = 0; i < test.companions; ++i) {
            const at::Tensor values = golden().tensor(test.name + "." + std::to_string(i));
            tensor.companions.push_back(
                {.key = std::to_string(i),
                 .type = values.element_size() == 1 ? DType::U8 : DType::F32,
                 .elementCount = values.numel()});
            companions.push_back(bytesOf(values));
        }
        if (golden().has(test.name + ".offset")) {
            tensor.addedScale = golden().tensor(test.name + ".offset").item<float>();
        }
    }

    [[nodiscard]] int64_t count() const {
        return static_cast<int64_t>(blocks.size()) / tensor.blockBytes * tensor.blockElements;
    }

    /// Calls work(stored) with what a reader would give it for `part`, and nothing beyond.
    template <typename Work>
    auto with(Part part, const Work& work) const {
        std::vector<std::vector<std::byte>> copies;
        std::vector<std::span<const std::byte>> needed;
        for (size_t i = 0; i < companions.size(); ++i) {
            const ByteRange range = companionRange(tensor, i, part);
            const auto first = companions[i].begin() + range.begin;
            copies.emplace_back(first, first + range.count);
        }
        needed.assign(copies.begin(), copies.end());
        const Bytes begin = part.first / tensor.blockElements * tensor.blockBytes;
        const Bytes bytes = part.count / tensor.blockElements * tensor.blockBytes;
        const std::vector<std::byte> own(blocks.begin() + begin, blocks.begin() + begin + bytes);
        return work(StoredPart{
            .tensor = &tensor, .part = part, .blocks = own.data(), .companions = needed});
    }

    [[nodiscard]] std::vector<float> decoded(Part part) const {
        return with(part, [&](const StoredPart& stored) {
            std::vector<float> numbers(static_cast<size_t>(part.count));
            encodingOf(tensor).decode(stored, numbers.data());
            return numbers;
        });
    }

    [[nodiscard]] std::vector<float> decoded() const { return decoded({0, count()}); }

    [[nodiscard]] std::optional<std::string> fault() const {
        return with(Part{0, count()},
                    [&](const StoredPart& stored) { return encodingOf(tensor).fault(stored); });
    }

    memory::Encoded tensor;
    std::vector<std::byte> blocks;
    std::vector<std::vector<std::byte>> companions;
};

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

const Case& caseOf(const std::string& name) {
    return *std::find_if(
        kCases.begin(), kCases.end(), [&](const Case& test) { return test.name == name; });
}

void put(std::vector<std::byte>& bytes, size_t place, float number) {
    std::memcpy(bytes.data() + place, &number, sizeof(number));
}

}  // namespace

class EncodingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void decodesAsItsLibrary_data() {
        QTest::addColumn<int>("index");
        for (size_t i = 0; i < kCases.size(); ++i) {
            QTest::newRow(kCases[i].name.c_str()) << static_cast<int>(i);
        }
    }

    void decodesAsItsLibrary() {
        QFETCH(int, index);
        const Case& test = kCases[static_cast<size_t>(index)];
        const StoredTensor stored(test);

        QCOMPARE(stored.fault(), std::optional<std::string>());
        QVERIFY(sameBits(stored.decoded(), numbersOf(golden().tensor(test.name + ".numbers"))));
    }

    /// A part decodes to what it is in the whole: rows of tables, and what fits a reader's buffer.
    void partsAreThoseOfTheWhole_data() { decodesAsItsLibrary_data(); }

    void partsAreThoseOfTheWhole() {
        QFETCH(int, index);
        const StoredTensor stored(kCases[static_cast<size_t>(index)]);
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
            const at::Tensor reference = golden().tensor(std::string(name) + ".reference");
            const std::vector<float> numbers = StoredTensor(caseOf(name)).decoded();
            const at::Tensor ours =
                at::from_blob(const_cast<float*>(numbers.data()), reference.sizes(), at::kFloat);
            const at::Tensor largest = reference.abs().amax(1, true);

            QVERIFY(((ours - reference).abs() / largest).max().item<double>() < kRotatedTolerance);
        }
    }

    void scalesThatAreNoneAreTold_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("companion");
        QTest::addColumn<int>("place");
        QTest::addColumn<float>("value");
        QTest::addColumn<QString>("fault");
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        constexpr float kInf = std::numeric_limits<float>::infinity();
        const auto row =
            [](const char* name, int companion, int place, float value, const char* fault) {
                QTest::addRow("%s %d %g", name, place, static_cast<double>(value))
                    << name << companion << place << value << fault;
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

    void scalesThatAreNoneAreTold() {
        QFETCH(QString, name);
        QFETCH(int, companion);
        QFETCH(int, place);
        QFETCH(float, value);
        QFETCH(QString, fault);
        StoredTensor stored(caseOf(name.toStdString()));

        put(stored.companions[static_cast<size_t>(companion)],
            static_cast<size_t>(place) * sizeof(float),
            value);

        QCOMPARE(QString::fromStdString(stored.fault().value_or("")), fault);
    }

    /// Scales of a byte, of row 130 and block 5 among tiles of 128 rows and 4 blocks.
    void nanAmongScalesOfBlocksIsTold() {
        for (const char* name : {"nvfp4", "mxfp8"}) {
            StoredTensor stored(caseOf(name));
            const int64_t blocks = stored.tensor.columns / stored.tensor.blockElements;
            const int64_t place = (blocks / 4 + 1) * 512 + 2 * 16 + 1;

            stored.companions[0][static_cast<size_t>(place)] = std::byte{0xFF};

            QCOMPARE(stored.fault().value_or(""),
                     "the scale of block " + std::to_string(130 * blocks + 5) + " is nan");
        }
    }

    void nanInABlockIsTold() {
        for (const char* name : {"q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q5_k"}) {
            StoredTensor stored(caseOf(name));
            const auto place = static_cast<size_t>(11 * stored.tensor.blockBytes);

            stored.blocks[place + 1] = std::byte{0x7C};

            QCOMPARE(stored.fault().value_or(""), "the scale of block 11 is no finite number");
        }
        for (const auto& [name, place] : {std::pair("q2_k", 82), {"q3_k", 108}, {"q6_k", 208}}) {
            StoredTensor stored(caseOf(name));

            stored.blocks[static_cast<size_t>(place + 1)] = std::byte{0xFE};

            QCOMPARE(stored.fault().value_or(""), "the scale of block 0 is no finite number");
        }
    }

    void knowsItsNames() {
        QVERIFY(findEncoding("q4_k") != nullptr);
        QVERIFY(findEncoding("q9_k") == nullptr);
        for (const Encoding& each : encodings::encodings()) {
            QVERIFY(!each.label.empty());
            QVERIFY(std::any_of(kCases.begin(), kCases.end(), [&](const Case& test) {
                return test.encoding == each.name;
            }));
        }
    }
};

LOWTIDE_TEST(EncodingsTest)

}  // namespace encodings_test

#include "encodings_test.moc"
