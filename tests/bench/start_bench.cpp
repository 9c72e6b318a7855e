#include "tests/bench/median.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>

namespace start_bench {

using namespace lowtide;
using testing::median;

namespace {

constexpr int kRounds = 7;
// Goals of the project; a bench fails only beyond ten times the goal, because machines differ and
// are shared.
constexpr double kFirstKernelGoalSeconds = 0.3;
constexpr double kTwentyStepsGoalSeconds = 5.0;
constexpr double kPatience = 10;

/// Seconds from the start of the process until the text encoder's node starts.
double secondsToFirstKernel(const QString& out) {
    QProcess process;
    QElapsedTimer timer;
    timer.start();
    process.start(testing::buildPath("bin/lowtide"),
                  {"run",
                   testing::exampleGraph("text_to_image"),
                   "--out",
                   out,
                   "--events",
                   "--set",
                   "denoise.steps=1"});
    QByteArray seen;
    double seconds = -1;
    while (process.waitForReadyRead(30000)) {
        seen += process.readAllStandardOutput();
        if (seconds < 0 && seen.contains("\"nodeStarted\"") && seen.contains("\"encode\"")) {
            seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
        }
    }
    process.waitForFinished();
    return seconds;
}

}  // namespace

/// How soon the command is at work and how long an image takes, start included.
class StartBench : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void startToFirstKernel() {
        const QTemporaryDir folder;
        static_cast<void>(secondsToFirstKernel(folder.path()));  // warms the page cache
        std::vector<double> seconds;
        for (int i = 0; i < kRounds; ++i) {
            seconds.push_back(secondsToFirstKernel(folder.path()));
        }
        qInfo("start to first kernel: median %.3f s, best %.3f s (goal %.1f s)",
              median(seconds),
              *std::min_element(seconds.begin(), seconds.end()),
              kFirstKernelGoalSeconds);
        QVERIFY(median(seconds) < kPatience * kFirstKernelGoalSeconds);
    }

    void twentySteps() {
        const QTemporaryDir folder;
        std::vector<double> seconds;
        for (int i = 0; i < kRounds; ++i) {
            const testing::CommandResult run = testing::runLowtide(
                {"run", testing::exampleGraph("text_to_image"), "--out", folder.path()});
            QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
            seconds.push_back(run.seconds);
        }
        qInfo("20 steps at 128x128, start included: median %.2f s, best %.2f s (goal %.0f s)",
              median(seconds),
              *std::min_element(seconds.begin(), seconds.end()),
              kTwentyStepsGoalSeconds);
        QVERIFY(median(seconds) < kPatience * kTwentyStepsGoalSeconds);
    }
};

LOWTIDE_TEST(StartBench)

}  // namespace start_bench

#include "start_bench.moc"
