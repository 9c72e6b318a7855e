// GPUs whose driver gives memory of the host, slowly, when their own is used up.
#include "plugin/base/error.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QTest>

namespace spill_test {

using namespace lowtide;
using memory::Outcome;
using testing::Bench;

class SpillTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

    /// Of a run with this policy.
    Bytes minimumFor(const std::string& policy) {
        const Bench bench(folder_.newPath(), "fake:1GiB");
        return bench.plan(policy)->device(bench.device)->minimum;
    }

private Q_SLOTS:

    void aRunAtItsMinimumTouchesNothingBeyondTheGpu_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"none", "model", "block+stream", "leaf+stream", "sequential"}) {
            QTest::newRow(policy) << policy;
        }
    }

    void aRunAtItsMinimumTouchesNothingBeyondTheGpu() {
        QFETCH(QString, policy);
        const Bytes minimum = minimumFor(policy.toStdString());
        Bench bench(folder_.newPath(),
                    QString("fake:%1").arg(minimum),
                    {},
                    {.capacity = minimum, .spill = kGiB});
        testing::runAll(bench, bench.plan(policy.toStdString()));
        QCOMPARE(bench.residency->rehearsal(bench.device)->spilled, 0);
        QCOMPARE(bench.residency->rehearsal(bench.device)->spilledTouched, 0);
    }

    /// A stage that takes more than it stated is refused, where the driver would go on slowly.
    void whoTakesMoreThanWasPlannedIsRefused() {
        const Bytes minimum = minimumFor("none");
        Bench bench(folder_.newPath(),
                    QString("fake:%1").arg(minimum),
                    {},
                    {.capacity = minimum, .spill = kGiB});
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(0);
        const auto options = at::TensorOptions(at::kByte).device(
            bench.residency->torchDeviceOf(*bench.model.textEncoder()));
        QVERIFY_THROWS_EXCEPTION(c10::OutOfMemoryError, at::zeros({minimum + 1}, options));
        bench.residency->leave(0);
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.residency->rehearsal(bench.device)->spilled, 0);
    }
};

LOWTIDE_TEST(SpillTest)

}  // namespace spill_test

#include "spill_test.moc"
