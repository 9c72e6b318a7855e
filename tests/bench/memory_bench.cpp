#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/bench/big_checkpoint.hpp"
#include "tests/bench/denoise_steps.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/table_file.hpp"
#include "tests/bench/watched_program.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QElapsedTimer>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <optional>

namespace memory_bench {

using namespace lowtide;
using testing::median;

namespace {

constexpr int kRounds = 2;
constexpr int kSteps = 3;
/// The process's memory next to its budget: the project's goal, and what every run must keep.
constexpr Bytes kOverheadBytes = kGiB / 2;
constexpr double kMostTimes = 1.15;  ///< step time over that of the unbounded run: the goal
constexpr double kPatience = 10;     ///< times the goal: machines differ and are shared

/// How large the UNet is, and with how much memory it shall run.
struct Size {
    const char* name;
    const char* budget;
};

constexpr Size kSizes[] = {{"large", "1536MiB"}, {"small", "160MiB"}};

/// One way to run the UNet, with what was measured of it in all rounds.
struct Way {
    QString name;
    bool isOurs = true;
    QStringList options{};  ///< ours: of the command; else the mode of the peer
    bool isBounded = false;
    std::vector<double> steps{};  ///< seconds, without the first of each run
    std::vector<double> firstSteps{};
    qint64 peakResident = 0;
    qint64 peakPrivate = 0;
    qint64 peakFiles = 0;
    qint64 movedBytes = 0;  ///< in a run, to the device
    QString refusal{};
};

std::vector<Way> waysFor(const Size& size) {
    const auto bounded = [&](const QString& name, const QStringList& more) {
        return Way{.name = name,
                   .options = QStringList{"--memory-budget", size.budget} + more,
                   .isBounded = true};
    };
    return {{.name = "unbounded", .options = {"--policy", "denoise=none"}},
            {.name = "diffusers f32", .isOurs = false, .options = {"f32"}},
            bounded("budget, auto", {}),
            bounded("budget, leaf+stream", {"--policy", "denoise=leaf+stream"}),
            bounded("budget, block+stream", {"--policy", "denoise=block+stream"}),
            {.name = "diffusers bf16", .isOurs = false, .options = {"bf16"}},
            {.name = "diffusers, accelerate disk", .isOurs = false, .options = {"accelerate-disk"}},
            {.name = "diffusers, group offload", .isOurs = false, .options = {"group-disk"}}};
}

void addSteps(Way& way, const testing::DenoiseSteps& steps) {
    way.firstSteps.push_back(steps.first.seconds);
    const std::vector<double> later = testing::clockSecondsOf(steps.later);
    way.steps.insert(way.steps.end(), later.begin(), later.end());
}

void addPeaks(Way& way, const testing::WatchedProgram& run) {
    way.peakResident = std::max(way.peakResident, run.peakResident);
    way.peakPrivate = std::max(way.peakPrivate, run.peakResidentPrivate);
    way.peakFiles = std::max(way.peakFiles, run.peakResidentFiles);
}

Json toJson(const Way& way) {
    return {{"way", way.name.toStdString()},
            {"seconds", way.steps},
            {"first_seconds", way.firstSteps},
            {"peak_resident", way.peakResident},
            {"peak_private", way.peakPrivate},
            {"peak_files", way.peakFiles},
            {"moved", way.movedBytes},
            {"refusal", way.refusal.toStdString()}};
}

}  // namespace

/// A large UNet on the CPU within a small budget: what is resident, and what a step takes.
/// LOWTIDE_BENCH_SIZE=small takes 0.13 instead of 2.6 billion parameters.
class MemoryBench : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        const QString wanted = qEnvironmentVariable("LOWTIDE_BENCH_SIZE", kSizes[0].name);
        for (const Size& size : kSizes) {
            size_ = wanted == size.name ? &size : size_;
        }
        QVERIFY2(size_, "LOWTIDE_BENCH_SIZE is large or small");
        QElapsedTimer timer;
        timer.start();
        checkpoint_ = testing::bigCheckpoint(size_->name, QString("bench-unet-") + size_->name);
        qInfo("checkpoint %s: %lld s", qPrintable(checkpoint_), timer.elapsed() / 1000);
    }

    /// All ways in turn, so that what else the machine does meets all of them.
    void measuresAllWays_data() {
        ways_ = waysFor(*size_);
        QTest::addColumn<size_t>("way");
        for (int round = 1; round <= kRounds; ++round) {
            for (size_t way = 0; way < ways_.size(); ++way) {
                QTest::addRow("round %d: %s", round, qPrintable(ways_[way].name)) << way;
            }
        }
    }

    void measuresAllWays() {
        QFETCH(size_t, way);
        Way& measured = ways_[way];
        measured.isOurs ? runOurs(measured) : runPeer(measured);
        qInfo("%s", qPrintable(rowOf(measured)));
    }

    void printsTheTable() {
        Json rows = Json::array();
        qInfo("UNet \"%s\", latents 64x64, %d steps, %d rounds, budget %s",
              size_->name,
              kSteps,
              kRounds,
              size_->budget);
        for (const Way& way : ways_) {
            qInfo("%s", qPrintable(rowOf(way)));
            rows.push_back(toJson(way));
        }
        testing::writeTable("memory_bench", rows);
    }

    void theResidentSetKeepsWithinTheBudget() {
        const auto budget = parseBytes(size_->budget).value();
        for (const Way& way : ways_) {
            QVERIFY2(!way.isBounded || way.peakResident <= budget + kOverheadBytes,
                     qPrintable(rowOf(way)));
        }
    }

    void aBudgetCostsLittleTime() {
        const double unbounded = median(ways_.front().steps);
        for (const Way& way : ways_) {
            const double times = median(way.steps) / unbounded;
            QVERIFY2(!way.isBounded || times < kPatience * kMostTimes, qPrintable(rowOf(way)));
        }
    }

    void everyBudgetGivesTheSameImage() {
        for (const Way& way : ways_) {
            const bool hasImage = way.isOurs && way.refusal.isEmpty();
            QVERIFY2(!hasImage || images_[way.name] == images_["unbounded"], qPrintable(way.name));
        }
        QVERIFY(!images_["unbounded"].isNull());
    }

private:
    void runOurs(Way& way) {
        const QTemporaryDir folder;
        const QString report = folder.filePath("report.json");
        const QStringList arguments = {"run",
                                       testing::exampleGraph("text_to_image"),
                                       "--set",
                                       "load.checkpoint=" + checkpoint_,
                                       "--set",
                                       "latent.width=512",
                                       "--set",
                                       "latent.height=512",
                                       "--set",
                                       "denoise.cfg=1",
                                       "--set",
                                       QString("denoise.steps=%1").arg(kSteps),
                                       "--events",
                                       "--report",
                                       report,
                                       "--out",
                                       folder.path()};
        const testing::WatchedProgram run =
            testing::watchProgram(testing::buildPath("bin/lowtide"), arguments + way.options);
        if (run.exitCode != 0) {
            way.refusal = run.errors.simplified();
            return;
        }
        addSteps(way, testing::ourSteps(run).at(0));
        addPeaks(way, run);
        QFile file(report);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Json written = Json::parse(file.readAll().toStdString());
        way.movedBytes =
            written.at("repetitions").at(0).at("traffic").at("bytesToDevice").get<qint64>();
        const QStringList images = QDir(folder.path()).entryList({"*.png"});
        QCOMPARE(images.size(), 1);
        images_[way.name] = QImage(folder.filePath(images.front()));
    }

    void runPeer(Way& way) {
        const testing::WatchedProgram run =
            testing::watchProgram(testing::referencePython(),
                                  {testing::sourcePath("tests/bench/memory_peer.py"),
                                   way.options.front(),
                                   checkpoint_,
                                   QString::number(kSteps)});
        if (run.exitCode != 0) {
            way.refusal = "cannot run here: " + run.errors.right(200).simplified();
        } else {
            addSteps(way, testing::peerSteps(run));
        }
        addPeaks(way, run);
    }

    QString rowOf(const Way& way) const {
        const double unbounded = median(ways_.front().steps);
        const auto mebibytes = [](qint64 bytes) { return QString::number(bytes / kMiB); };
        return QString(
                   "%1 %2 s %3 x, first %4 s, resident %5 MiB (private %6, files %7), "
                   "moved %8 MiB %9")
            .arg(way.name, -28)
            .arg(median(way.steps), 7, 'f', 2)
            .arg(unbounded > 0 ? median(way.steps) / unbounded : 0, 5, 'f', 2)
            .arg(median(way.firstSteps), 6, 'f', 2)
            .arg(mebibytes(way.peakResident), 6)
            .arg(mebibytes(way.peakPrivate), 6)
            .arg(mebibytes(way.peakFiles), 5)
            .arg(mebibytes(way.movedBytes), 6)
            .arg(way.refusal);
    }

    const Size* size_ = nullptr;
    QString checkpoint_;
    std::vector<Way> ways_;
    QMap<QString, QImage> images_;
};

LOWTIDE_TEST(MemoryBench)

}  // namespace memory_bench

#include "memory_bench.moc"
