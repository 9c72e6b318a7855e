// Quantised weights decoded on a real GPU: the bits of the host's decoders, and the GPU is not
// waited for.
#include "plugin/residency/scalar_type.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/gpu/gpu.hpp"
#include "tests/unit/encodings/anything.hpp"
#include "tests/unit/residency/lying_tensor.hpp"

#include <ATen/ATen.h>

#include <chrono>
#include <functional>

namespace cuda_decoding_test {

using namespace lowtide;
using testing::StoredCase;
using testing::StoredTensor;

namespace {

/// ATen's operators go over the numbers several times; a shared GPU may take ten times as long.
constexpr double kMostCopies = 10 * 40;

/// Rows of it over and over, so that a GPU has work.
StoredTensor manyTimes(StoredTensor stored) {
    constexpr int kTimes = 256;
    const auto repeat = [](std::vector<std::byte>& bytes) {
        const std::vector<std::byte> once = bytes;
        for (int i = 1; i < kTimes; ++i) {
            bytes.insert(bytes.end(), once.begin(), once.end());
        }
    };
    for (size_t i = 0; i < stored.companions.size(); ++i) {
        const auto ofABlock =
            encodings::companionRange(stored.tensor, i, {0, stored.tensor.blockElements});
        if (ofABlock.count < static_cast<Bytes>(stored.companions[i].size())) {
            stored.tensor.companions[i].elementCount *= kTimes;
            repeat(stored.companions[i]);
        }
    }
    repeat(stored.blocks);
    return stored;
}

}  // namespace

class CudaDecodingTest : public QObject {
    Q_OBJECT

    std::unique_ptr<residency::Device> device_;

    static void addCases() {
        QTest::addColumn<QString>("name");
        for (const StoredCase& each : testing::storedCases()) {
            QTest::newRow(each.name.c_str()) << QString::fromStdString(each.name);
        }
    }

    static const StoredCase& fetchedCase() {
        QFETCH(QString, name);
        return testing::storedCase(name.toStdString());
    }

private Q_SLOTS:

    void initTestCase() {
        LOWTIDE_NEEDS_GPU();
        device_ = testing::gpus()->open(0);
        device_->attachThread();
    }

    void givesTheBitsOfTheDecoder_data() { addCases(); }

    void givesTheBitsOfTheDecoder() {
        const c10::Device device = device_->torchDevice();
        QCOMPARE(testing::differenceOn(device, StoredTensor(fetchedCase())), QString());
        QCOMPARE(testing::differenceOn(device, testing::withAnything(fetchedCase())), QString());
    }

    void ofTheDeviceGivesTheBitsOfTheDecoder_data() { addCases(); }

    /// By our kernels where they were built; rounded once to narrow types.
    void ofTheDeviceGivesTheBitsOfTheDecoder() {
        for (const StoredTensor& tensor :
             {StoredTensor(fetchedCase()), testing::withAnything(fetchedCase())}) {
            for (const encodings::Part part : testing::partsOf(tensor)) {
                const testing::HeldTensor held(device_->torchDevice(), tensor, part);
                const std::vector<float> theirs = tensor.decoded(part);
                const at::Tensor exact =
                    residency::decoded(*device_, held.held(), {part.count}, DType::F32);
                QCOMPARE(testing::differenceOf(exact, theirs), QString());
                for (const DType type : {DType::F16, DType::BF16}) {
                    const at::Tensor rounded =
                        residency::decoded(*device_, held.held(), {part.count}, type);
                    const at::ScalarType narrow = residency::scalarTypeOf(type);
                    QCOMPARE(rounded.scalar_type(), narrow);
                    QVERIFY(at::allclose(rounded, exact.to(narrow), 0, 0, true));
                }
            }
        }
    }

    /// A record of work refuses whatever waits for the GPU.
    void theGpuIsNotWaitedFor_data() { addCases(); }

    void theGpuIsNotWaitedFor() {
        const StoredTensor stored(fetchedCase());
        const encodings::Part all{0, stored.count()};
        const c10::Device device = device_->torchDevice();
        const residency::StoredTensors lying = testing::lyingOn(device, stored, all);
        const testing::HeldTensor held(device, stored, all);
        const std::function<at::Tensor()> ways[] = {
            [&] { return residency::decodeByAten(lying); },
            [&] { return residency::decoded(*device_, held.held(), {all.count}, DType::F32); }};
        for (const auto& way : ways) {
            static_cast<void>(way());  // libraries are warm
            at::Tensor numbers;
            const auto record = device_->extras().record([&] { numbers = way(); });
            record->replay();
            device_->finishCompute();
            QCOMPARE(testing::differenceOf(numbers, stored.decoded()), QString());
        }
    }

    void keepsPace_data() { addCases(); }

    /// Compared with a copy of the numbers on the GPU.
    void keepsPace() {
        constexpr int kRounds = 20;
        const StoredTensor stored = manyTimes(StoredTensor(fetchedCase()));
        const auto lying = testing::lyingOn(device_->torchDevice(), stored, {0, stored.count()});
        const at::Tensor numbers = residency::decodeByAten(lying);
        at::Tensor copy = at::empty_like(numbers);
        const auto secondsOf = [&](const auto& work) {
            work();
            device_->finishCompute();
            const auto begin = std::chrono::steady_clock::now();
            for (int i = 0; i < kRounds; ++i) {
                work();
            }
            device_->finishCompute();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            return took.count() / kRounds;
        };
        const testing::HeldTensor held(device_->torchDevice(), stored, {0, stored.count()});
        const double aten = secondsOf([&] { (void)residency::decodeByAten(lying); });
        const double copying = secondsOf([&] { copy.copy_(numbers); });
        const auto decodingTo = [&](DType type) {
            return secondsOf(
                [&] { (void)residency::decoded(*device_, held.held(), {stored.count()}, type); });
        };
        const double exact = decodingTo(DType::F32);
        const double half = decodingTo(DType::F16);
        const double count = static_cast<double>(numbers.numel()) * 1e-9;
        qInfo(
            "G elements a second: to f32 %.0f (ATen %.0f), to f16 %.0f; a copy in f32 takes %.2f "
            "of the time",
            count / exact,
            count / aten,
            count / half,
            copying / exact);
        QVERIFY(aten < kMostCopies * copying);
        QVERIFY(exact < kMostCopies * copying);
    }
};

LOWTIDE_TEST(CudaDecodingTest)

}  // namespace cuda_decoding_test

#include "cuda_decoding_test.moc"
