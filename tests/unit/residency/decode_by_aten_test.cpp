// Compares quantised weights decoded by ATen's operators with the host's decoders: bits, memory,
// paces.
#include "plugin/residency/decoding/decode_by_aten.hpp"
#include "plugin/residency/device/device_source.hpp"
#include "plugin/tensor/dry_run_meter.hpp"
#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/encodings/anything.hpp"
#include "tests/unit/residency/lying_tensor.hpp"

#include <ATen/ATen.h>

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>
#include <map>

namespace decode_by_aten_test {

using namespace lowtide;
using encodings::Part;
using residency::decodeByAten;
using residency::StoredTensors;
using testing::differenceOf;
using testing::differenceOn;
using testing::lyingOn;
using testing::partsOf;
using testing::StoredCase;
using testing::storedCases;
using testing::StoredTensor;

namespace {

constexpr Bytes kNumberBytes = sizeof(float);
constexpr Bytes kTableBytes = 4096;  ///< ways.hpp: small tables
constexpr Bytes kCompanionFraction = 8;
constexpr Bytes kHostScalars = 32;  ///< what kernels of the CPU hold in addition to tensors
constexpr double kExpectedNs = 10;  ///< an element, on the CPU

/// What ways.hpp states: bytes an element in addition to the numbers.
const std::map<std::string, Bytes> kStatedBytes = {
    {"q4_0", 1},
    {"q4_1", 1},
    {"q5_0", 1},
    {"q5_1", 1},
    {"q8_0", 1},
    {"q2_k", 1},
    {"q3_k", 1},
    {"q4_k", 1},
    {"q5_k", 1},
    {"q6_k", 1},
    {"f8_e4m3", 0},
    {"f8_e5m2", 0},
    {"int8", 0},
    {"bnb_int8", 0},
    {"mxfp8", 0},
    {"nvfp4", 1},
    {"int8_convrot", 5},
    {"bnb_nf4", 4},
};

/// The most bytes at once that decoding takes, the numbers among them.
Bytes peakOf(const StoredTensors& stored) {
    const tensor::DryRunMeter meter(memory::StageDevice{});
    (void)decodeByAten(stored);
    return meter.peak();
}

/// Of one element, when `work` decodes `count` of them.
template <typename Work>
double nsOf(int64_t count, const Work& work) {
    constexpr int kRounds = 5;
    work();
    const testing::CpuTimer timer;
    for (int i = 0; i < kRounds; ++i) {
        work();
    }
    return timer.milliseconds() * 1e6 / static_cast<double>(kRounds * count);
}

}  // namespace

class DecodeByAtenTest : public QObject {
    Q_OBJECT

    static void addCases() {
        QTest::addColumn<QString>("name");
        for (const StoredCase& each : storedCases()) {
            QTest::newRow(each.name.c_str()) << QString::fromStdString(each.name);
        }
    }

    static const StoredCase& fetchedCase() {
        QFETCH(QString, name);
        return testing::storedCase(name.toStdString());
    }

private Q_SLOTS:

    void everyEncodingHasAWay() {
        for (const encodings::Encoding& each : encodings::encodings()) {
            const auto test =
                std::find_if(storedCases().begin(), storedCases().end(), [&](const auto& one) {
                    return one.encoding == each.name;
                });
            QVERIFY2(test != storedCases().end(), each.name.data());
            const StoredTensor stored(*test);
            const StoredTensors lying = lyingOn(at::kCPU, stored, {0, stored.count()});

            const auto refused = testing::errorOf([&] { (void)decodeByAten(lying); });

            QVERIFY2(!refused, refused ? refused->what() : "");
        }
    }

    void givesTheBitsOfTheDecoder_data() { addCases(); }

    void givesTheBitsOfTheDecoder() {
        const StoredCase& test = fetchedCase();
        QCOMPARE(differenceOn(at::kCPU, StoredTensor(test)), QString());

        const StoredTensor anything = testing::withAnything(test);
        QCOMPARE(anything.fault(), std::optional<std::string>());
        QCOMPARE(differenceOn(at::kCPU, anything), QString());
    }

    /// The fake device refuses what a GPU would: host tensors mixed with its own.
    void givesThemOnOtherDevices_data() { addCases(); }

    void givesThemOnOtherDevices() {
        const auto source = residency::makeDeviceSource(testing::buildPath("lib").toStdString());
        const auto device = source->open({.kind = "fake"});

        QCOMPARE(differenceOn(device->torchDevice(), testing::withAnything(fetchedCase())),
                 QString());
    }

    void readsScalesOfAnyType_data() {
        const testing::Rows<QString, int> row("name", "companion");
        for (const char* name : {"f8_e4m3", "int8_rows", "int8_convrot_64", "bnb_int8"}) {
            row(name, name, 0);
        }
        row("nvfp4", "nvfp4", 1);
    }

    void readsScalesOfAnyType() {
        QFETCH(int, companion);
        for (const DType type : {DType::F16, DType::BF16}) {
            StoredTensor stored = testing::withAnything(fetchedCase());
            testing::narrowScales(stored, static_cast<size_t>(companion), type);

            QCOMPARE(differenceOn(at::kCPU, stored), QString());
        }
    }

    /// The largest sums that a rotation can have.
    void rotatesExactly() {
        StoredTensor stored(testing::storedCase("int8_convrot_256"));
        stored.tensor.blockElements = stored.tensor.blockBytes = 4096;
        stored.tensor.columns = 4096;
        stored.companions[0].resize(stored.blocks.size() / 4096 * sizeof(float));
        stored.tensor.companions[0].elementCount = int64_t(stored.blocks.size() / 4096);
        std::fill_n(stored.blocks.begin(), 4096, std::byte{0x80});
        std::fill_n(stored.blocks.begin() + 4096, 4096, std::byte{0x7F});

        const Part part{0, stored.count()};
        const at::Tensor numbers = decodeByAten(lyingOn(at::kCPU, stored, part));
        QCOMPARE(differenceOf(numbers, stored.decoded(part)), QString());
    }

    void takesTheMemoryThatItStates_data() { addCases(); }

    void takesTheMemoryThatItStates() {
        const StoredCase& test = fetchedCase();
        const StoredTensor stored(test);
        const Bytes stated = kStatedBytes.at(test.encoding);
        for (const Part part : partsOf(stored)) {
            const StoredTensors lying = lyingOn(at::kCPU, stored, part);
            Bytes companions = 0;
            for (const at::Tensor& bytes : lying.companions) {
                companions += bytes.numel();
            }

            const Bytes extra = peakOf(lying) - part.count * kNumberBytes;

            QVERIFY(extra <= stated * part.count + kCompanionFraction * companions + kTableBytes);
            if (part.count == stored.count()) {
                qInfo("bytes an element in addition to the numbers: %.2f, %d stated",
                      static_cast<double>(extra) / static_cast<double>(part.count),
                      static_cast<int>(stated));
                QVERIFY(extra + part.count >= stated * part.count);  // the bound is not too loose
            }
        }
    }

    /// A dry run sees the numbers' shape and counts what they take.
    void decodesMetaTensorsInADryRun_data() { addCases(); }

    void decodesMetaTensorsInADryRun() {
        const StoredTensor stored(fetchedCase());
        for (const Part part : partsOf(stored)) {
            const StoredTensors lying = lyingOn(at::kMeta, stored, part);
            const at::Tensor numbers = decodeByAten(lying);
            QVERIFY(numbers.is_meta());
            QCOMPARE(numbers.scalar_type(), at::kFloat);
            QVERIFY(numbers.sizes() == at::IntArrayRef{part.count});
            const Bytes real = peakOf(lyingOn(at::kCPU, stored, part));
            QVERIFY(std::abs(peakOf(lying) - real) <= kHostScalars);
        }
    }

    void encodingsWithoutAWayAreNamed() {
        const memory::Encoded tensor{.encoding = "q9_k"};

        const auto refused = testing::errorOf([&] {
            (void)decodeByAten({.tensor = &tensor, .part = {0, 1}, .blocks = at::zeros(1)});
        });

        QVERIFY(refused.has_value());
        QCOMPARE(refused->kind(), ErrorKind::Unsupported);
        QCOMPARE(QString::fromStdString(refused->message().str()),
                 QString("the encoding \"q9_k\" is not decoded on devices"));
    }

    void keepsPace_data() { addCases(); }

    void keepsPace() {
        const StoredTensor stored(fetchedCase());
        const Part part{0, stored.count()};
        const StoredTensors lying = lyingOn(at::kCPU, stored, part);
        std::vector<float> numbers(static_cast<size_t>(part.count));

        const double byAten = nsOf(part.count, [&] { (void)decodeByAten(lying); });
        const double onHost = stored.with(part, [&](const encodings::StoredPart& lies) {
            const auto decode = encodings::encodingOf(stored.tensor).decode;
            return nsOf(part.count, [&] { decode(lies, numbers.data()); });
        });

        qInfo("ns an element: %.2f by ATen, %.2f by the host's decoder", byAten, onHost);
        QVERIFY(byAten < 10 * kExpectedNs);
    }
};

LOWTIDE_TEST(DecodeByAtenTest)

}  // namespace decode_by_aten_test

#include "decode_by_aten_test.moc"
