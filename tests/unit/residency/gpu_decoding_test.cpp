// What a GPU's kernels decode, unit by unit on the host: the bits of the host's decoders.
#include "plugin/residency/decoding/decode_by_aten.hpp"
#include "plugin/residency/decoding/gpu_units.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/encodings/anything.hpp"
#include "tests/unit/residency/lying_tensor.hpp"

#include <ATen/ops/empty.h>

#include <QtTest/QtTest>

namespace gpu_decoding_test {

using namespace lowtide;
using namespace lowtide::residency;
using testing::StoredCase;
using testing::StoredTensor;

namespace {

/// As decodeRotatedKernel.
void rotate(const StoredOnGpu& stored, float* target) {
    std::vector<int32_t> sums(static_cast<size_t>(stored.count));
    for (int64_t i = 0; i < stored.count; ++i) {
        sums[static_cast<size_t>(i)] = static_cast<int8_t>(stored.byteAt(i));
    }
    for (int step = 1; step < stored.blockElements; step *= 4) {
        for (int64_t i = 0; i < stored.count / 4; ++i) {
            Rotated::rotate(sums.data(), static_cast<int>(i), step);
        }
    }
    for (int64_t i = 0; i < stored.count; ++i) {
        target[i] = Rotated::scaled(stored, i, sums[static_cast<size_t>(i)]);
    }
}

/// As decodeKernel: a unit writes what it has space for.
template <typename Unit>
void decodeUnits(const StoredOnGpu& stored, float* target) {
    for (int64_t unit = 0; unit * Unit::kElements < stored.count; ++unit) {
        float numbers[Unit::kElements] = {};
        Unit::decode(stored, unit, numbers);
        const int64_t left = stored.count - unit * Unit::kElements;
        std::copy_n(
            numbers, std::min<int64_t>(left, Unit::kElements), target + unit * Unit::kElements);
    }
}

QString differenceOf(const StoredTensor& tensor) {
    for (const encodings::Part part : testing::partsOf(tensor)) {
        const testing::HeldTensor held(c10::kCPU, tensor, part);
        at::Tensor numbers = at::empty({part.count}, at::kFloat);
        auto* target = numbers.mutable_data_ptr<float>();
        const StoredOnGpu stored = onGpu(held.held());
        const auto decode = [&](const auto& way) {
            decodeUnits<typename std::decay_t<decltype(way)>::Unit>(stored, target);
        };
        if (!withGpuDecoder(tensor.tensor.encoding, decode)) {
            rotate(stored, target);
        }
        const QString difference = testing::differenceOf(numbers, tensor.decoded(part));
        if (!difference.isEmpty()) {
            return QString("from %1: %2").arg(part.first).arg(difference);
        }
    }
    return {};
}

}  // namespace

class GpuDecodingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void givesTheBitsOfTheDecoder_data() {
        QTest::addColumn<QString>("name");
        for (const StoredCase& each : testing::storedCases()) {
            QTest::newRow(each.name.c_str()) << QString::fromStdString(each.name);
        }
    }

    void givesTheBitsOfTheDecoder() {
        QFETCH(QString, name);
        const StoredCase& stored = testing::storedCase(name.toStdString());
        QVERIFY(hasGpuDecoder(StoredTensor(stored).tensor));
        QCOMPARE(differenceOf(StoredTensor(stored)), QString());
        StoredTensor anything = testing::withAnything(stored);
        QCOMPARE(differenceOf(anything), QString());
        for (const DType type : {DType::F16, DType::BF16}) {
            StoredTensor narrow(stored);
            const bool hasRowScales = narrow.companions.size() == 1 &&
                                      stored.encoding != "bnb_nf4" &&
                                      narrow.tensor.companions[0].type == DType::F32;
            if (hasRowScales) {
                testing::narrowScales(narrow, 0, type);
                QCOMPARE(differenceOf(narrow), QString());
            }
        }
    }

    /// Every encoding has a way on GPUs, except for block sizes that threads cannot divide among
    /// them.
    void leavesToAtenWhatItCannotDivide() {
        for (const encodings::Encoding& encoding : encodings::encodings()) {
            const std::string name(encoding.name);
            QVERIFY2(hasGpuDecoder({.encoding = name, .blockElements = 256}), name.c_str());
        }
        QVERIFY(!hasGpuDecoder({.encoding = "bnb_nf4", .blockElements = 16}));
        QVERIFY(!hasGpuDecoder({.encoding = "int8_convrot", .blockElements = 4096}));
        QVERIFY(!hasGpuDecoder({.encoding = "q9_0", .blockElements = 32}));
    }
};

LOWTIDE_TEST(GpuDecodingTest)

}  // namespace gpu_decoding_test

#include "gpu_decoding_test.moc"
