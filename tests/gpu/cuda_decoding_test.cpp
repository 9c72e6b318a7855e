// Quantised weights decoded on a real card: the bits of the host's decoders, and the card is not
// waited for.
#include "tests/fixtures/test_program.hpp"
#include "tests/gpu/card.hpp"
#include "tests/unit/encodings/anything.hpp"
#include "tests/unit/residency/lying_tensor.hpp"

#include <ATen/ATen.h>

#include <chrono>

namespace cuda_decoding_test {

using namespace lowtide;
using testing::StoredCase;
using testing::StoredTensor;

namespace {

/// ATen's operators pass over the numbers several times; a shared card may take ten times as long.
constexpr double kMostCopies = 10 * 40;

/// Rows of it over and over, so that a card has work.
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
        LOWTIDE_NEEDS_CARD();
        device_ = testing::cards()->open(0);
        device_->attachThread();
    }

    void givesTheBitsOfTheDecoder_data() { addCases(); }

    void givesTheBitsOfTheDecoder() {
        const c10::Device place = device_->torchDevice();
        QCOMPARE(testing::differenceOn(place, StoredTensor(fetchedCase())), QString());
        QCOMPARE(testing::differenceOn(place, testing::withAnything(fetchedCase())), QString());
    }

    /// A record of work refuses whatever waits for the card.
    void theCardIsNotWaitedFor_data() { addCases(); }

    void theCardIsNotWaitedFor() {
        const StoredTensor stored(fetchedCase());
        const encodings::Part all{0, stored.count()};
        const residency::StoredTensors lying =
            testing::lyingOn(device_->torchDevice(), stored, all);
        static_cast<void>(residency::decodeByAten(lying));  // libraries are warm
        at::Tensor numbers;
        const auto record = device_->record([&] { numbers = residency::decodeByAten(lying); });
        record->replay();
        device_->finishCompute();
        QCOMPARE(testing::differenceOf(numbers, stored.decoded()), QString());
    }

    void keepsPace_data() { addCases(); }

    /// Beside a copy of the numbers on the card.
    void keepsPace() {
        constexpr int kTurns = 5;
        const StoredTensor stored = manyTimes(StoredTensor(fetchedCase()));
        const auto lying = testing::lyingOn(device_->torchDevice(), stored, {0, stored.count()});
        const at::Tensor numbers = residency::decodeByAten(lying);
        at::Tensor copy = at::empty_like(numbers);
        const auto secondsOf = [&](const auto& work) {
            work();
            device_->finishCompute();
            const auto begin = std::chrono::steady_clock::now();
            for (int i = 0; i < kTurns; ++i) {
                work();
            }
            device_->finishCompute();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            return took.count() / kTurns;
        };
        const double decoding = secondsOf([&] { (void)residency::decodeByAten(lying); });
        const double copying = secondsOf([&] { copy.copy_(numbers); });
        qInfo("%.1f G elements a second, a copy of the numbers takes %.2f of the time",
              static_cast<double>(numbers.numel()) / decoding * 1e-9,
              copying / decoding);
        QVERIFY(decoding < kMostCopies * copying);
    }
};

LOWTIDE_TEST(CudaDecodingTest)

}  // namespace cuda_decoding_test

#include "cuda_decoding_test.moc"
