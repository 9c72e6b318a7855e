#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/bench/big_checkpoint.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/watched_program.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>

namespace decode_bench {

using namespace lowtide;
using testing::median;

namespace {

constexpr int kRounds = 2;
constexpr int kTimes = 2;      ///< in a process: the first finds nothing ready
constexpr double kGoal = 0.5;  ///< most in RAM while decoding, over diffusers'

/// What decoding needed in all rounds, but for the first time of each process.
struct Cost {
    std::vector<double> seconds;
    std::vector<double> moreBytes;  ///< most in RAM, beyond what was there when it began

    void add(const testing::WatchedProgram& run,
             const testing::TimedLine& begin,
             const testing::TimedLine& end) {
        seconds.push_back(end.seconds - begin.seconds);
        qint64 most = begin.resident;
        for (const testing::TimedLine& sample : run.samples) {
            const bool isWithin = sample.seconds >= begin.seconds && sample.seconds <= end.seconds;
            most = std::max(most, isWithin ? sample.resident : 0);
        }
        moreBytes.push_back(static_cast<double>(most - begin.resident));
    }

    [[nodiscard]] double mebibytes() const { return median(moreBytes) / kMiB; }
};

}  // namespace

/// One image of 512x512 decoded with the autoencoder of Stable Diffusion 1.5, whose weights are
/// there, next to diffusers in fp32: what more is in RAM meanwhile.
class DecodeBench : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { checkpoint_ = testing::bigCheckpoint("sd15-vae", "bench-sd15-vae"); }

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
        isOurs ? runOurs() : runPeer();
    }

    /// The heap still has what the image before gave back, which ours takes again: what is
    /// counted may be more than what comes.
    void needsHalfTheMemoryOfDiffusers() {
        const double counted = static_cast<double>(counted_) / kMiB;
        const double ratio = std::max(counted, ours_.mebibytes()) / peers_.mebibytes();
        qInfo(
            "decoding takes %.0f MiB as counted, %.0f MiB more in RAM; diffusers %.0f MiB: %.2f, "
            "goal %.2f",
            counted,
            ours_.mebibytes(),
            peers_.mebibytes(),
            ratio,
            kGoal);
        qInfo("seconds: %.1f, diffusers %.1f", median(ours_.seconds), median(peers_.seconds));
        QVERIFY2(counted_ > 0 && ratio < 1, qPrintable(QString::number(ratio)));
    }

private:
    void runOurs() {
        const QTemporaryDir folder;
        const QString report = folder.filePath("report.json");
        QStringList arguments = {"run",
                                 testing::exampleGraph("text_to_image"),
                                 "--events",
                                 "--out",
                                 folder.path(),
                                 "--report",
                                 report,
                                 "--repeat",
                                 QString::number(kTimes),
                                 "--policy",
                                 "decode=none,after=keep"};
        for (const QString& setting : {"load.checkpoint=" + checkpoint_,
                                       QString("latent.width=512"),
                                       QString("latent.height=512"),
                                       QString("denoise.steps=1")}) {
            arguments << "--set" << setting;
        }
        const testing::WatchedProgram run =
            testing::watchProgram(testing::buildPath("bin/lowtide"), arguments);
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        testing::TimedLine begin;
        int times = 0;
        for (const testing::TimedLine& line : run.lines) {
            const Json event = Json::parse(line.text.toStdString(), nullptr, false);
            if (!event.is_object() || event.value("node", "") != "decode") {
                continue;
            }
            if (event.at("event") == "nodeStarted") {
                begin = line;
            } else if (event.at("event") == "nodeFinished" && ++times > 1) {
                ours_.add(run, begin, line);
            }
        }
        QCOMPARE(times, kTimes);
        const Json whole = Json::parse(testing::contentsOf(report).toStdString());
        for (const Json& stage : whole.at("plan").at("stages")) {
            const Json& bytes = stage.at("devices").at("cpu");
            counted_ =
                stage.at("node") == "decode" ? bytes.at("activations").get<Bytes>() : counted_;
        }
    }

    void runPeer() {
        const testing::WatchedProgram run =
            testing::watchProgram(testing::referencePython(),
                                  {testing::sourcePath("tests/bench/decode_peer.py"),
                                   checkpoint_,
                                   QString::number(kTimes)});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        testing::TimedLine begin;
        int times = 0;
        for (const testing::TimedLine& line : run.lines) {
            if (line.text == "begin") {
                begin = line;
            } else if (line.text == "end" && ++times > 1) {
                peers_.add(run, begin, line);
            }
        }
        QCOMPARE(times, kTimes);
    }

    QString checkpoint_;
    Cost ours_;
    Cost peers_;
    Bytes counted_ = 0;  ///< by the plan: activations of the stage
};

LOWTIDE_TEST(DecodeBench)

}  // namespace decode_bench

#include "decode_bench.moc"
