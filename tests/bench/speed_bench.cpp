#include "plugin/base/units.hpp"
#include "tests/bench/big_checkpoint.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/speed_table.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace speed_bench {

using namespace lowtide;
using testing::median;
using testing::StageGoal;

namespace {

constexpr int kRounds = 3;
constexpr int kSteps = 3;
constexpr double kPatience = 10;  ///< times the goal: machines differ and are shared

constexpr double kMapGoal = 0.02;      ///< seconds to open 2 GB of weights
constexpr double kResidentGoal = 0.8;  ///< most in RAM of a whole run, over diffusers'

constexpr StageGoal kStages[] = {
    {"load", 0, 0}, {"encode", 0, 0}, {"step", 0.62, 0}, {"decode", 0.45, 0.5}, {"whole", 0, 0}};

}  // namespace

/// An image of 512x512 with networks of the size of Stable Diffusion 1.5, fp16 on disk, compared
/// with diffusers in fp32.
class SpeedBench : public QObject {
    Q_OBJECT

    QString checkpoint_;
    testing::SpeedTable table_;

private Q_SLOTS:

    void initTestCase() {
        checkpoint_ = testing::bigCheckpoint("sd15", "bench-sd15");
        table_.begin(checkpoint_);
    }

    /// Both in turn, so that what else the machine does meets both of them.
    void measures_data() {
        QTest::addColumn<bool>("isOurs");
        for (int round = 1; round <= kRounds; ++round) {
            QTest::addRow("round %d: lowtide", round) << true;
            QTest::addRow("round %d: diffusers", round) << false;
        }
    }

    void measures() {
        QFETCH(bool, isOurs);
        const QString problem = isOurs ? table_.runOurs({"load.checkpoint=" + checkpoint_,
                                                         "latent.width=512",
                                                         "latent.height=512",
                                                         "denoise.cfg=7.5"},
                                                        kSteps)
                                       : table_.runPeer(kSteps);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void printsTheTable() {
        table_.print(kStages, "speed_bench");
        qInfo("goals: open after %.2f s, most resident %.2f", kMapGoal, kResidentGoal);
    }

    void opensTheCheckpointWithoutReadingIt() {
        QVERIFY(!table_.ours("map").seconds.empty());
        QVERIFY(median(table_.ours("map").seconds) < kPatience * kMapGoal);
        QVERIFY(median(table_.ours("map").moreBytes) < 64.0 * kMiB);  // of 2 GB
    }

    void needsLessMemoryThanDiffusers() {
        QVERIFY2(table_.residentRatio() < 1, qPrintable(QString::number(table_.residentRatio())));
    }

    void isFasterThanDiffusers_data() {
        const testing::Rows<QString, double> row("stage", "goal");
        for (const StageGoal& stage : kStages) {
            if (stage.time > 0) {
                row(stage.name, QString(stage.name), stage.time);
            }
        }
    }

    void isFasterThanDiffusers() {
        QFETCH(QString, stage);
        QFETCH(double, goal);
        const double ratio = table_.timeRatio(stage.toStdString());
        QVERIFY2(ratio > 0 && ratio < kPatience * goal, qPrintable(QString::number(ratio)));
    }
};

LOWTIDE_TEST(SpeedBench)

}  // namespace speed_bench

#include "speed_bench.moc"
