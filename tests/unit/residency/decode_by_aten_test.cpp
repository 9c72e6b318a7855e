// Encoded tensors decoded with ATen's operators, as devices without a decoder of their own do.
#include "plugin/base/error.hpp"
#include "plugin/residency/decoding/decode_by_aten.hpp"
#include "plugin/tensor/walk_meter.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/encodings/stored_cases.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <cstring>
#include <set>
#include <stdexcept>

namespace decode_by_aten_test {

using namespace lowtide;
using encodings::Part;
using testing::StoredCase;
using testing::StoredTensor;

namespace {

/// Bytes an element that decode_by_aten.hpp allows.
constexpr int64_t kMostBytes = 20;

at::Tensor bytesTensor(const std::byte* bytes, size_t count) {
    at::Tensor values = at::empty({static_cast<int64_t>(count)}, at::kByte);
    std::memcpy(values.data_ptr(), bytes, count);
    return values;
}

/// A device keeps what it holds for the next lease.
void requireUnchanged(const residency::StoredTensors& tensors,
                      const encodings::StoredPart& stored) {
    const auto isSame = [](const at::Tensor& bytes, const std::byte* before) {
        return bytes.is_meta() ||
               std::memcmp(bytes.const_data_ptr(), before, static_cast<size_t>(bytes.numel())) == 0;
    };
    bool areSame = isSame(tensors.blocks, stored.blocks);
    for (size_t i = 0; i < tensors.companions.size(); ++i) {
        areSame = areSame && isSame(tensors.companions[i], stored.companions[i].data());
    }
    if (!areSame) {
        throw std::runtime_error("decoding wrote to the bytes that are held");
    }
}

at::Tensor byAten(const StoredTensor& stored, Part part, c10::Device device) {
    return stored.with(part, [&](const encodings::StoredPart& whole) {
        const Bytes bytes = part.count / stored.tensor.blockElements * stored.tensor.blockBytes;
        residency::StoredTensors tensors{
            .tensor = &stored.tensor,
            .part = part,
            .blocks = bytesTensor(whole.blocks, static_cast<size_t>(bytes)).to(device),
            .companions = {}};
        for (const auto& companion : whole.companions) {
            tensors.companions.push_back(
                bytesTensor(companion.data(), companion.size()).to(device));
        }
        const at::Tensor numbers = residency::decodeByAten(tensors);
        requireUnchanged(tensors, whole);
        return numbers;
    });
}

/// All of it, its first block, one in the middle, the last ones, and some across rows.
std::vector<Part> partsOf(const StoredTensor& stored) {
    const int64_t size = stored.tensor.blockElements;
    const int64_t blocks = stored.count() / size;
    const int64_t inRow = stored.tensor.columns / size;
    std::vector<Part> parts;
    for (const auto& [first, count] : {std::pair<int64_t, int64_t>(0, blocks),
                                       {0, 1},
                                       {blocks / 2 + 1, 1},
                                       {blocks - inRow / 2 - 1, inRow / 2 + 1},
                                       {inRow / 2, 2 * inRow}}) {
        parts.push_back({first * size, count * size});
    }
    return parts;
}

}  // namespace

class DecodeByAtenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void givesTheBitsOfTheEncoding_data() {
        QTest::addColumn<QString>("name");
        for (const StoredCase& test : testing::storedCases()) {
            QTest::newRow(test.name.c_str()) << QString::fromStdString(test.name);
        }
    }

    void givesTheBitsOfTheEncoding() {
        QFETCH(QString, name);
        const StoredTensor stored(testing::storedCase(name.toStdString()));
        for (const Part part : partsOf(stored)) {
            const std::vector<float> expected = stored.decoded(part);
            const at::Tensor seen = byAten(stored, part, at::kCPU).contiguous();
            QCOMPARE(seen.numel(), part.count);
            QVERIFY2(
                std::memcmp(
                    seen.const_data_ptr(), expected.data(), expected.size() * sizeof(float)) == 0,
                qPrintable(QString("from %1").arg(part.first)));
        }
    }

    void walksOverShapes_withinItsBytes_data() { givesTheBitsOfTheEncoding_data(); }

    void walksOverShapes_withinItsBytes() {
        QFETCH(QString, name);
        const StoredTensor stored(testing::storedCase(name.toStdString()));
        const Part all{0, stored.count()};
        tensor::WalkMeter meter(tensor::Imitated::Cpu);
        at::Tensor seen;
        Bytes before = 0;
        {
            const tensor::WalkMeter::Section section(meter);
            before = meter.allocated();
            seen = byAten(stored, all, at::kMeta);
            qInfo("%s: %.1f bytes an element",
                  qPrintable(name),
                  static_cast<double>(section.peak()) / static_cast<double>(all.count));
            // With the bytes that the test itself brings there.
            QVERIFY(section.peak() <= (kMostBytes + 2) * all.count);
        }
        QVERIFY(seen.is_meta());
        QCOMPARE(seen.sizes().vec(), std::vector<int64_t>{all.count});
        QVERIFY(meter.allocated() - before >= all.count * 4);
    }

    void everyEncodingHasItsWay() {
        std::set<std::string> tested;
        for (const StoredCase& test : testing::storedCases()) {
            tested.insert(test.encoding);
        }
        for (const encodings::Encoding& encoding : encodings::encodings()) {
            QVERIFY2(tested.contains(std::string(encoding.name)),
                     std::string(encoding.name).c_str());
        }
    }

    void anEncodingWithoutOneIsNamed() {
        const memory::Encoded unknown{.encoding = "q9_9"};
        const auto refused = testing::errorOf([&] {
            (void)residency::decodeByAten(
                {.tensor = &unknown, .part = {}, .blocks = {}, .companions = {}});
        });
        QVERIFY(refused.has_value());
        QCOMPARE(refused->kind(), ErrorKind::Unsupported);
        QVERIFY(refused->message().find("q9_9") != std::string::npos);
    }
};

LOWTIDE_TEST(DecodeByAtenTest)

}  // namespace decode_by_aten_test

#include "decode_by_aten_test.moc"
