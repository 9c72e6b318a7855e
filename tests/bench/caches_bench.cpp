#include "plugin/base/json.hpp"
#include "tests/bench/big_checkpoint.hpp"
#include "tests/bench/denoise_steps.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/table_file.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/loader/os.hpp"

#include <QCoreApplication>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <map>

namespace caches_bench {

using namespace lowtide;
using testing::median;
using testing::Spent;
using testing::StepClock;
using testing::TimedRun;

namespace {

constexpr size_t kRounds = 2;
constexpr int kDepths[] = {0, 1, 2};

/// A run of whole cycles, so that its ideal is that of the interval.
struct Schedule {
    int interval = 1;  ///< 1: every step is full, and nothing is kept
    int steps = 0;
};

constexpr Schedule kUncached = {1, 3};
constexpr Schedule kSchedules[] = {{2, 6}, {3, 6}, {5, 5}};

constexpr int kGoalInterval = 3;
constexpr int kGoalDepth = 1;
constexpr double kGoal = 0.1;     ///< more time than the ideal takes
constexpr double kPatience = 10;  ///< times the goal: machines differ and are shared

}  // namespace

/// DeepCache with networks of the size of Stable Diffusion 1.5, 512x512, guidance on: whole runs of
/// the sampler next to what counting operations predicts. Everything in one process, whose weights
/// remain loaded, and all schedules in turn.
class CachesBench : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        checkpoint_ = testing::bigCheckpoint("sd15", "bench-sd15");
        QStringList arguments = {testing::sourcePath("tests/bench/cached_flops.py"), checkpoint_};
        for (const int depth : kDepths) {
            arguments << QString::number(depth);
        }
        for (const QString& line : testing::runReference(arguments).split('\n')) {
            const QStringList words = line.split(' ');
            flops_[words.value(0)] = words.value(1).toDouble();
        }
        QVERIFY(flops_["full"] > 0);
        (void)runSteps({.interval = 1, .steps = 1}, 0, kRounds);  // what comes first finds nothing
    }

    /// The schedules take turns, so that what else the machine does affects all of them.
    void measures_data() {
        QTest::addColumn<int>("interval");
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("depth");
        QTest::addColumn<size_t>("round");
        for (size_t round = 0; round < kRounds; ++round) {
            QTest::addRow("round %zu: every step full", round + 1)
                << kUncached.interval << kUncached.steps << 0 << round;
            for (const Schedule& schedule : kSchedules) {
                for (const int depth : kDepths) {
                    QTest::addRow(
                        "round %zu: interval %d, depth %d", round + 1, schedule.interval, depth)
                        << schedule.interval << schedule.steps << depth << round;
                }
            }
        }
    }

    void measures() {
        QFETCH(int, interval);
        QFETCH(int, steps);
        QFETCH(int, depth);
        QFETCH(size_t, round);
        const TimedRun run = runSteps({interval, steps}, depth, round);
        QCOMPARE(run.steps.size(), static_cast<size_t>(steps));
        runs_[{interval, depth}].push_back(run);
    }

    void printsTheTable() {
        Json caches = Json::array();
        qInfo("%8s %6s %8s %9s %9s %9s",
              "interval",
              "depth",
              "ideal",
              "CPU time",
              "of ideal",
              "clock");
        for (const Schedule& schedule : kSchedules) {
            for (const int depth : kDepths) {
                caches.push_back(rowOf(schedule.interval, depth));
            }
        }
        Json partial = Json::array();
        for (const int depth : kDepths) {
            partial.push_back(partialOf(depth));
        }
        const Json table = {{"full_cpu_seconds", testing::cpuSecondsOf(allFullSteps())},
                            {"full_seconds", testing::clockSecondsOf(allFullSteps())},
                            {"partial", partial},
                            {"caches", caches}};
        testing::writeTable("caches_bench", table);
    }

    void isNearTheIdeal() {
        const double ideal = idealOf(kGoalInterval, kGoalDepth);
        const double reached = median(speedUps(kGoalInterval, kGoalDepth, testing::cpuSecondsOf));
        qInfo("interval %d, depth %d: %.2f times as fast, ideal %.2f; goal: within %.0f %%",
              kGoalInterval,
              kGoalDepth,
              reached,
              ideal,
              100 * kGoal);
        QVERIFY(reached * (1 + kPatience * kGoal) > ideal);
    }

private:
    using SecondsOf = std::vector<double> (*)(const std::vector<Spent>& all);

    TimedRun runSteps(const Schedule& schedule, int depth, size_t seed) const {
        const QTemporaryDir folder;
        const auto setting = [](const char* parameter, auto value) {
            return std::string(parameter) + "=" + std::to_string(value);
        };
        const Json options = {{"device", "cpu"},
                              {"out", folder.path().toStdString()},
                              {"until", {"denoise"}},
                              {"policies", {"denoise=none,after=keep"}},
                              {"set",
                               {"load.checkpoint=" + checkpoint_.toStdString(),
                                "latent.width=512",
                                "latent.height=512",
                                "denoise.cfg=7.5",
                                setting("denoise.steps", schedule.steps),
                                setting("denoise.seed", seed),  // another: nothing is at hand
                                setting("deepcache.interval", schedule.interval),
                                setting("deepcache.depth", depth)}}};
        StepClock clock;
        testing::EventLog log([&](const Json& event) { clock.see(event); });
        const testing::ModuleRun ended =
            testing::runModule(testing::exampleText("text_to_image_deepcache"), options, log);
        return isScheduled(ended, schedule) ? clock.run() : TimedRun();
    }

    /// It was executed as its schedule states.
    static bool isScheduled(const testing::ModuleRun& ended, const Schedule& schedule) {
        if (ended.status != Status::Ok) {
            qWarning("%s", ended.report.dump().c_str());
            return false;
        }
        const Json& nodes = ended.report.at("repetitions").back().at("nodes");
        const auto denoiser = std::find_if(nodes.begin(), nodes.end(), [](const Json& node) {
            return node.at("node") == "denoise";
        });
        const Json& steps = denoiser->at("steps");
        const int full = (schedule.steps + schedule.interval - 1) / schedule.interval;
        return steps.at("full") == full && steps.at("partial") == schedule.steps - full;
    }

    [[nodiscard]] double fractionOf(int depth) const {
        return flops_.at(QString::number(depth)) / flops_.at("full");
    }

    /// One full step and partial ones that take their fraction of its operations.
    [[nodiscard]] double idealOf(int interval, int depth) const {
        return interval / (1 + (interval - 1) * fractionOf(depth));
    }

    /// Of every schedule: a cycle begins with one.
    [[nodiscard]] std::vector<Spent> fullSteps(size_t round) const {
        std::vector<Spent> full;
        for (const auto& [cache, runs] : runs_) {
            const std::vector<Spent>& steps = runs.at(round).steps;
            for (size_t i = 0; i < steps.size(); i += static_cast<size_t>(cache.first)) {
                full.push_back(steps[i]);
            }
        }
        return full;
    }

    [[nodiscard]] std::vector<Spent> allFullSteps() const {
        std::vector<Spent> full;
        for (size_t round = 0; round < kRounds; ++round) {
            const std::vector<Spent> more = fullSteps(round);
            full.insert(full.end(), more.begin(), more.end());
        }
        return full;
    }

    [[nodiscard]] std::vector<Spent> partialSteps(int depth) const {
        std::vector<Spent> partial;
        for (const auto& [cache, runs] : runs_) {
            for (const TimedRun& run : runs) {
                for (size_t i = 0; cache.second == depth && i < run.steps.size(); ++i) {
                    if (i % static_cast<size_t>(cache.first) > 0) {
                        partial.push_back(run.steps[i]);
                    }
                }
            }
        }
        return partial;
    }

    /// In each round: as many full steps as the run has steps, over the run.
    [[nodiscard]] std::vector<double> speedUps(int interval, int depth, SecondsOf secondsOf) const {
        std::vector<double> all;
        for (size_t round = 0; round < kRounds; ++round) {
            const TimedRun& run = runs_.at({interval, depth}).at(round);
            const double full = median(secondsOf(fullSteps(round)));
            all.push_back(static_cast<double>(run.steps.size()) * full /
                          secondsOf({run.whole}).front());
        }
        return all;
    }

    /// Prints it and gives it as JSON.
    [[nodiscard]] Json rowOf(int interval, int depth) const {
        const std::vector<double> byCpu = speedUps(interval, depth, testing::cpuSecondsOf);
        const std::vector<double> byClock = speedUps(interval, depth, testing::clockSecondsOf);
        const double ideal = idealOf(interval, depth);
        qInfo("%8d %6d %7.2fx %8.2fx %8.0f%% %8.2fx",
              interval,
              depth,
              ideal,
              median(byCpu),
              100 * median(byCpu) / ideal,
              median(byClock));
        return {{"interval", interval},
                {"depth", depth},
                {"ideal", ideal},
                {"by_cpu", byCpu},
                {"by_clock", byClock}};
    }

    [[nodiscard]] Json partialOf(int depth) const {
        const std::vector<double> seconds = testing::cpuSecondsOf(partialSteps(depth));
        const double full = median(testing::cpuSecondsOf(allFullSteps()));
        qInfo(
            "a partial step of depth %d: %.2f CPU s, %.1f %% of a full one (%.2f); operations "
            "%.1f %%",
            depth,
            median(seconds),
            100 * median(seconds) / full,
            full,
            100 * fractionOf(depth));
        return {
            {"depth", depth}, {"share_of_operations", fractionOf(depth)}, {"cpu_seconds", seconds}};
    }

    QString checkpoint_;
    std::map<QString, double> flops_;                            ///< "full", and by depth
    std::map<std::pair<int, int>, std::vector<TimedRun>> runs_;  ///< interval, depth: by round
};

/// With the settings of the command's process, whose speed this is.
int runBench(int count, char** arguments) {
    loader::keepBigBlocks();
    loader::shortenSpins();
    const QCoreApplication application(count, arguments);
    CachesBench bench;
    return QTest::qExec(&bench, count, arguments);
}

LOWTIDE_TEST_MAIN(runBench)

}  // namespace caches_bench

#include "caches_bench.moc"
