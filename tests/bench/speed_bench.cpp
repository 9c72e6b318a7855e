#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/bench/big_checkpoint.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/watched_program.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <map>

namespace speed_bench {

using namespace lowtide;
using testing::median;

namespace {

constexpr int kRounds = 3;
constexpr int kSteps = 3;
constexpr double kPatience = 10;  ///< times the goal: machines differ and are shared

constexpr double kMapGoal = 0.02;      ///< seconds to open 2 GB of weights
constexpr double kResidentGoal = 0.8;  ///< most in RAM of a whole run, over diffusers'

/// A part of a picture's way, and the project's goals: CPU time and extra memory over diffusers'.
struct Stage {
    const char* name;
    double timeGoal;    ///< 0: none
    double memoryGoal;  ///< 0: none
};

constexpr Stage kStages[] = {
    {"load", 0, 0}, {"encode", 0, 0}, {"step", 0.62, 0}, {"decode", 0.45, 0.5}, {"whole", 0, 0}};

/// What one program needed for a stage, in all rounds. The first step of a run makes what others
/// find ready, so it is left out.
struct Cost {
    std::vector<double> cpuSeconds;
    std::vector<double> seconds;
    std::vector<double> moreBytes;  ///< most in RAM, beyond what was there when it began

    void add(const testing::WatchedProgram& run,
             const testing::TimedLine& begin,
             const testing::TimedLine& end) {
        cpuSeconds.push_back(end.cpuSeconds - begin.cpuSeconds);
        seconds.push_back(end.seconds - begin.seconds);
        qint64 most = begin.resident;
        for (const testing::TimedLine& sample : run.samples) {
            const bool isWithin = sample.seconds >= begin.seconds && sample.seconds <= end.seconds;
            most = std::max(most, isWithin ? sample.resident : 0);
        }
        moreBytes.push_back(static_cast<double>(most - begin.resident));
    }
};

using Costs = std::map<std::string, Cost>;

void addWhole(Costs& costs, const testing::WatchedProgram& run) {
    costs["whole"].add(run, {}, run.lines.back());
}

void addPeerCosts(Costs& costs, const testing::WatchedProgram& run) {
    std::map<std::string, testing::TimedLine> begins;
    int steps = 0;
    for (const testing::TimedLine& line : run.lines) {
        const QList<QByteArray> words = line.text.split(' ');
        const std::string stage = words.value(0).toStdString();
        if (words.value(1) == "begin") {
            begins[stage] = line;
        } else if (words.value(1) == "end" && (stage != "step" || ++steps > 1)) {
            // Loading counts from the start of the program: imports are a part of it.
            costs[stage].add(run, stage == "load" ? testing::TimedLine() : begins[stage], line);
        }
    }
    addWhole(costs, run);
}

void addOurCosts(Costs& costs, const testing::WatchedProgram& run) {
    std::map<std::string, testing::TimedLine> begins;
    double steps = 0;
    for (const testing::TimedLine& line : run.lines) {
        const Json event = Json::parse(line.text.toStdString(), nullptr, false);
        if (!event.is_object() || !event.contains("node")) {
            continue;
        }
        const auto node = event.at("node").get<std::string>();
        const auto what = event.at("event").get<std::string>();
        if (what == "nodeStarted") {
            begins[node] = line;
            if (node == "encode") {
                costs["load"].add(run, {}, line);
            }
        } else if (what == "nodeFinished" && node == "load") {
            costs["map"].add(run, begins["load"], line);
            costs["map"].seconds.back() = event.at("ms").get<double>() / 1000;
        } else if (what == "nodeFinished" && (node == "encode" || node == "decode")) {
            costs[node].add(run, begins[node], line);
        } else if (what == "nodeProgress" && node == "denoise" &&
                   event.at("done").get<double>() > steps) {
            if (steps > 0) {
                costs["step"].add(run, begins["step"], line);
            }
            steps = event.at("done").get<double>();
            begins["step"] = line;
        }
    }
    addWhole(costs, run);
}

}  // namespace

/// A picture of 512x512 with networks of the size of Stable Diffusion 1.5, fp16 on disk, beside
/// diffusers in fp32: CPU time of all threads, which on a shared machine says more than the clock,
/// and the clock.
class SpeedBench : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        qputenv("OMP_WAIT_POLICY", "passive");  // for both: threads that wait cost no CPU time
        checkpoint_ = testing::bigCheckpoint("sd15", "bench-sd15");
        const QString measured = testing::runReference(
            {testing::sourcePath("tests/bench/speed_peer.py"), "measure", checkpoint_});
        for (const QString& line : measured.split('\n')) {
            const QStringList words = line.split(' ');
            if (words.value(0) == "flops") {
                flops_[words.value(1).toStdString()] = words.value(2).toDouble();
            } else if (words.value(0) == "peak") {
                peak_ = words.value(1).toDouble();
            }
        }
        QVERIFY(peak_ > 0 && flops_.size() == 3);
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
        isOurs ? runOurs() : runPeer();
    }

    void printsTheTable() {
        qInfo("a matrix product does %.1f GFLOP in a second of CPU time", peak_ / 1e9);
        qInfo("%-8s %10s %10s %7s %6s %10s %10s %9s %9s",
              "stage",
              "CPU s",
              "diffusers",
              "ratio",
              "goal",
              "seconds",
              "diffusers",
              "of peak",
              "diffusers");
        Json rows = Json::array();
        for (const Stage& stage : kStages) {
            rows.push_back(rowOf(stage));
        }
        const Json table = {{"peak_flops_per_cpu_second", peak_},
                            {"stages", rows},
                            {"map_seconds", ours_["map"].seconds},
                            {"peak_resident", residents()}};
        qInfo("the checkpoint is open after %.4f s, goal %.2f s; %.1f MiB more in RAM",
              median(ours_["map"].seconds),
              kMapGoal,
              median(ours_["map"].moreBytes) / kMiB);
        qInfo("most resident: %lld MiB, diffusers %lld MiB: %.2f, goal %.2f",
              peakResident_[0] / kMiB,
              peakResident_[1] / kMiB,
              residentRatio(),
              kResidentGoal);
        QFile file(testing::buildPath("speed_bench.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(table.dump(2) + "\n"));
        qInfo("written to %s", qPrintable(file.fileName()));
    }

    void opensTheCheckpointWithoutReadingIt() {
        QVERIFY(!ours_["map"].seconds.empty());
        QVERIFY(median(ours_["map"].seconds) < kPatience * kMapGoal);
        QVERIFY(median(ours_["map"].moreBytes) < 64.0 * kMiB);  // of 2 GB
    }

    void needsLessMemoryThanDiffusers() {
        QVERIFY2(residentRatio() < 1, qPrintable(QString::number(residentRatio())));
    }

    void isFasterThanDiffusers_data() {
        QTest::addColumn<QString>("stage");
        QTest::addColumn<double>("goal");
        for (const Stage& stage : kStages) {
            if (stage.timeGoal > 0) {
                QTest::newRow(stage.name) << QString(stage.name) << stage.timeGoal;
            }
        }
    }

    void isFasterThanDiffusers() {
        QFETCH(QString, stage);
        QFETCH(double, goal);
        const std::string name = stage.toStdString();
        const double ratio = median(ours_[name].cpuSeconds) / median(peers_[name].cpuSeconds);
        QVERIFY2(ratio > 0 && ratio < kPatience * goal, qPrintable(QString::number(ratio)));
    }

private:
    void runOurs() {
        const QTemporaryDir folder;
        const QStringList settings = {"load.checkpoint=" + checkpoint_,
                                      "latent.width=512",
                                      "latent.height=512",
                                      "denoise.cfg=7.5",
                                      QString("denoise.steps=%1").arg(kSteps)};
        QStringList arguments = {
            "run", testing::exampleGraph("text_to_image"), "--events", "--out", folder.path()};
        for (const QString& setting : settings) {
            arguments << "--set" << setting;
        }
        const testing::WatchedProgram run =
            testing::watchProgram(testing::buildPath("bin/lowtide"), arguments);
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        peakResident_[0] = std::max(peakResident_[0], run.peakResident);
        addOurCosts(ours_, run);
    }

    void runPeer() {
        const testing::WatchedProgram run =
            testing::watchProgram(testing::referencePython(),
                                  {testing::sourcePath("tests/bench/speed_peer.py"),
                                   checkpoint_,
                                   QString::number(kSteps)});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        peakResident_[1] = std::max(peakResident_[1], run.peakResident);
        addPeerCosts(peers_, run);
    }

    [[nodiscard]] double residentRatio() const {
        return static_cast<double>(peakResident_[0]) / static_cast<double>(peakResident_[1]);
    }

    [[nodiscard]] Json residents() const {
        return {{"ours", peakResident_[0]}, {"diffusers", peakResident_[1]}};
    }

    /// Prints it and gives it as JSON.
    Json rowOf(const Stage& stage) {
        const Cost& ours = ours_[stage.name];
        const Cost& peers = peers_[stage.name];
        const auto share = [&](const Cost& cost) {
            const auto found = flops_.find(stage.name);
            const double seconds = median(cost.cpuSeconds);
            return found == flops_.end() || seconds <= 0 ? 0 : found->second / seconds / peak_;
        };
        const double ratio = median(ours.cpuSeconds) / median(peers.cpuSeconds);
        qInfo("%-8s %10.2f %10.2f %7.2f %6.2f %10.2f %10.2f %8.0f%% %8.0f%%",
              stage.name,
              median(ours.cpuSeconds),
              median(peers.cpuSeconds),
              ratio,
              stage.timeGoal,
              median(ours.seconds),
              median(peers.seconds),
              100 * share(ours),
              100 * share(peers));
        if (stage.memoryGoal > 0) {
            qInfo("  more in RAM: %.0f MiB, diffusers %.0f MiB: %.2f, goal %.2f",
                  median(ours.moreBytes) / kMiB,
                  median(peers.moreBytes) / kMiB,
                  median(ours.moreBytes) / median(peers.moreBytes),
                  stage.memoryGoal);
        }
        const auto json = [&](const Cost& cost) {
            return Json{{"cpu_seconds", cost.cpuSeconds},
                        {"seconds", cost.seconds},
                        {"more_bytes", cost.moreBytes},
                        {"share_of_peak", share(cost)}};
        };
        return {{"stage", stage.name},
                {"ours", json(ours)},
                {"diffusers", json(peers)},
                {"ratio", ratio},
                {"goal", stage.timeGoal}};
    }

    QString checkpoint_;
    std::map<std::string, double> flops_;
    double peak_ = 0;  ///< floating-point operations in a second of CPU time
    Costs ours_;
    Costs peers_;
    qint64 peakResident_[2] = {0, 0};
};

LOWTIDE_TEST(SpeedBench)

}  // namespace speed_bench

#include "speed_bench.moc"
