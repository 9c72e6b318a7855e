#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/residency/device/held_bytes.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/table_file.hpp"
#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/encodings/stored_tensor.hpp"

#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include <algorithm>
#include <cstring>

namespace storage_decoding_bench {

using namespace lowtide;
using testing::median;
using testing::StoredCase;
using testing::StoredTensor;

namespace {

constexpr int kRounds = 7;
constexpr double kPatience = 10;            ///< times the goal: machines differ and are shared
constexpr double kGoal = 0.6;               ///< of the speed of a copy
constexpr Bytes kNumbersBytes = 96 * kMiB;  ///< decoded in a round: more than caches hold

/// As a device holds it. `tensor` outlives it.
residency::HeldBytes heldFrom(StoredTensor& tensor) {
    residency::HeldBytes held{
        .tensor = &tensor.tensor, .elementCount = tensor.count(), .blocks = tensor.blocks.data()};
    for (std::vector<std::byte>& companion : tensor.companions) {
        held.companions.push_back(companion.data());
    }
    return held;
}

/// Bytes in a second of this thread.
template <typename Work>
double speedOf(Bytes bytes, const Work& work) {
    const testing::CpuTimer timer;
    work();
    return static_cast<double>(bytes) * 1000 / timer.milliseconds();
}

}  // namespace

/// Every encoding decoded to f32 by one core, as a layer's weights are on the CPU, and a copy of
/// those f32 bytes. Both in turn; CPU time, so that what else runs takes memory's speed alone.
class StorageDecodingBench : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        at::set_num_threads(1);
        numbers_.resize(kNumbersBytes / sizeof(float));
        copy_.resize(numbers_.size());
    }

    void keepsUpWithACopy_data() {
        QTest::addColumn<QString>("name");
        for (const StoredCase& each : testing::storedCases()) {
            QTest::newRow(each.name.c_str()) << QString::fromStdString(each.name);
        }
    }

    void keepsUpWithACopy() {
        QFETCH(QString, name);
        const StoredTensor stored(testing::storedCase(name.toStdString()));
        const Bytes each = stored.count() * static_cast<Bytes>(sizeof(float));
        const Bytes bytes = kNumbersBytes / each * each;
        std::vector<StoredTensor> tensors(static_cast<size_t>(bytes / each), stored);
        std::vector<double> decoding;
        std::vector<double> copying;
        std::vector<double> ratios;
        for (int round = 0; round < kRounds; ++round) {
            decoding.push_back(speedOf(bytes, [&] {
                auto* target = reinterpret_cast<std::byte*>(numbers_.data());
                for (StoredTensor& tensor : tensors) {
                    residency::decodeOnHost(heldFrom(tensor), DType::F32, target);
                    target += each;
                }
            }));
            copying.push_back(speedOf(bytes, [&] {
                std::memcpy(copy_.data(), numbers_.data(), static_cast<size_t>(bytes));
            }));
            ratios.push_back(decoding.back() / copying.back());
        }
        QVERIFY(std::equal(copy_.begin(),
                           copy_.begin() + stored.count(),
                           stored.decoded().begin(),
                           [](float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }));
        const double ratio = median(ratios);
        qInfo("%-18s %6.2f GB/s of f32, a copy %6.2f GB/s: %3.0f %% (goal %.0f %%)%s",
              qPrintable(name),
              median(decoding) * 1e-9,
              median(copying) * 1e-9,
              100 * ratio,
              100 * kGoal,
              ratio < kGoal ? ", missed" : "");
        rows_.push_back({{"stored", name.toStdString()},
                         {"decoding", decoding},
                         {"copying", copying},
                         {"ratio", ratio},
                         {"goal", kGoal}});
        QVERIFY(ratio > kGoal / kPatience);
    }

    void writesTheTable() { testing::writeTable("storage_decoding_bench", rows_); }

private:
    std::vector<float> numbers_;
    std::vector<float> copy_;
    Json rows_ = Json::array();
};

LOWTIDE_TEST(StorageDecodingBench)

}  // namespace storage_decoding_bench

#include "storage_decoding_bench.moc"
