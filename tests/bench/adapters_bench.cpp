#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/bench/big_checkpoint.hpp"
#include "tests/bench/denoise_steps.hpp"
#include "tests/bench/median.hpp"
#include "tests/bench/table_file.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/loader/os.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <ctime>
#include <map>

namespace adapters_bench {

using namespace lowtide;
using testing::median;
using testing::Spent;
using testing::StepClock;
using testing::TimedRun;

namespace {

constexpr int kSteps = 3;
constexpr double kPatience = 10;  ///< times the goal: machines differ and are shared

/// Networks and an image of their own size, guidance on.
struct Size {
    const char* name;
    size_t rounds;
    int pixels;
    Bytes memory;  ///< that must be free
};

constexpr Size kSizes[] = {{"sd15", 3, 512, 6 * kGiB}, {"sdxl", 1, 1024, 16 * kGiB}};

/// LOWTIDE_BENCH_SIZE=small: an image so small that the sums are most of a step.
constexpr Size kSmall = {"sd15", 3, 64, 6 * kGiB};

std::vector<Size> sizes() {
    const bool isSmall = qEnvironmentVariable("LOWTIDE_BENCH_SIZE") == "small";
    return isSmall ? std::vector<Size>{kSmall}
                   : std::vector<Size>(std::begin(kSizes), std::end(kSizes));
}

/// Times a step without the LoRA, by CPU time. Where weights remain, nothing is left of the LoRA
/// after the first step: what differs then is the machine.
struct Goal {
    const char* policy;
    double first;
    double later;
};

constexpr Goal kGoals[] = {{"none", 1.1, 1.0}, {"leaf+stream", 1.08, 1.08}};

constexpr const char* kRank = "32";
constexpr int kFiles = 10;
constexpr const char* kRankOfFiles = "82";  ///< 200 MB each
constexpr double kLoadGoal = 0.2;           ///< seconds for all files
constexpr double kMostOfFiles = 0.05;       ///< headers, and what the system reads ahead of them

/// Free, or held for files that can be read again.
Bytes availableMemory() {
    for (const QByteArray& line : testing::contentsOf("/proc/meminfo").split('\n')) {
        if (line.startsWith("MemAvailable:")) {
            return line.simplified().split(' ').value(1).toLongLong() * kKiB;
        }
    }
    return 0;
}

QString checkpointOf(const Size& size) {
    const QString folder = QString("bench-") + size.name;
    return size.name == std::string("sdxl") ? testing::bigXlCheckpoint(folder)
                                            : testing::bigCheckpoint(size.name, folder);
}

/// A graph as lora.json, with `files` behind one another; what the last one's node is called.
std::pair<Json, std::string> chainOf(const std::vector<std::string>& files) {
    Json graph = Json::parse(testing::exampleText("lora"));
    const Json lora = graph.at("nodes").at("lora");
    std::string last = "lora";
    graph["nodes"][last]["params"]["file"] = files.front();
    for (size_t i = 1; i < files.size(); ++i) {
        const std::string next = "lora_" + std::to_string(i + 1);
        graph["nodes"][next] = lora;
        graph["nodes"][next]["params"]["file"] = files[i];
        graph["links"].push_back({{"from", {last, "model"}}, {"to", {next, "model"}}});
        last = next;
    }
    return {graph, last};
}

}  // namespace

/// LoRAs at the size of real networks: how much longer a step takes, and what loading does.
/// Everything in one process, with and without in turn; CPU time of all threads, of which those
/// that wait sleep (GOMP_SPINCOUNT, which is read before any test is).
class AdaptersBench : public QObject {
    Q_OBJECT

    using Runs = std::map<std::pair<std::string, bool>, std::vector<TimedRun>>;  // policy, LoRA

    const std::vector<Size> sizes_ = sizes();
    int seed_ = 0;                      ///< another one for each run: nothing is at hand
    std::map<std::string, Runs> runs_;  ///< by size
    Json rows_ = Json::array();

private Q_SLOTS:

    void measures_data() {
        QTest::addColumn<size_t>("size");
        QTest::addColumn<size_t>("round");
        for (size_t size = 0; size < sizes_.size(); ++size) {
            for (size_t round = 0; round < sizes_[size].rounds; ++round) {
                QTest::addRow("%s: round %zu", sizes_[size].name, round + 1) << size << round;
            }
        }
    }

    /// Pairs in turn, and the other way round in every second round, so that what else the machine
    /// does meets both.
    void measures() {
        QFETCH(size_t, size);
        QFETCH(size_t, round);
        const Size& own = sizes_[size];
        if (availableMemory() < own.memory) {
            QSKIP(qPrintable(
                QString("%1 needs %2 GiB of free memory").arg(own.name).arg(own.memory / kGiB)));
        }
        const QString checkpoint = checkpointOf(own);
        const QString lora =
            testing::bigLora({checkpoint, kRank}, checkpoint + "/lora.safetensors");
        if (round == 0) {  // what comes first reads files and finds no heap
            (void)sample(own, checkpoint, lora, kGoals[0].policy);
        }
        for (const Goal& goal : kGoals) {
            for (const bool hasLora : {round % 2 == 0, round % 2 != 0}) {
                const TimedRun run = sample(own, checkpoint, hasLora ? lora : "", goal.policy);
                QCOMPARE(run.steps.size(), static_cast<size_t>(kSteps));
                qInfo("%s%s: %s", goal.policy, hasLora ? ", LoRA" : "", qPrintable(textOf(run)));
                runs_[own.name][{goal.policy, hasLora}].push_back(run);
            }
        }
    }

    void aStepTakesHardlyMore_data() {
        QTest::addColumn<QString>("size");
        QTest::addColumn<size_t>("goal");
        for (const Size& size : sizes_) {
            for (size_t goal = 0; goal < std::size(kGoals); ++goal) {
                QTest::addRow("%s, %s", size.name, kGoals[goal].policy) << size.name << goal;
            }
        }
    }

    void aStepTakesHardlyMore() {
        QFETCH(QString, size);
        QFETCH(size_t, goal);
        const auto found = runs_.find(size.toStdString());
        if (found == runs_.end()) {
            QSKIP("not measured");
        }
        const Goal& own = kGoals[goal];
        const auto of = [&](bool isFirst, auto secondsOf) {
            return pairsOf(found->second, own.policy, isFirst, secondsOf);
        };
        const Pairs first = of(true, testing::cpuSecondsOf);
        const Pairs later = of(false, testing::cpuSecondsOf);
        qInfo("%s, %s: first step %.3f x, %+.2f CPU s (goal %.2f x; by the clock %.3f x)",
              qPrintable(size),
              own.policy,
              median(first.ratios),
              median(first.more),
              own.first,
              median(of(true, testing::clockSecondsOf).ratios));
        qInfo("%s, %s: later steps %.3f x, %+.2f CPU s (goal %.2f x; by the clock %.3f x)",
              qPrintable(size),
              own.policy,
              median(later.ratios),
              median(later.more),
              own.later,
              median(of(false, testing::clockSecondsOf).ratios));
        rows_.push_back({{"size", size.toStdString()},
                         {"policy", own.policy},
                         {"first", first.ratios},
                         {"later", later.ratios}});
        const bool isJudged = sizes_.front().pixels != kSmall.pixels;
        QVERIFY(!isJudged || median(first.ratios) - 1 < kPatience * (own.first - 1));
        QVERIFY(!isJudged || median(later.ratios) - 1 < kPatience * (own.first - 1));
    }

    void loadingReadsNoFactors() {
        const QString checkpoint = testing::bigCheckpoint("sd15", "bench-sd15");
        const QTemporaryDir folder;
        std::vector<std::string> files;
        for (int i = 0; i < kFiles; ++i) {
            const QString path = folder.filePath(QString("lora_%1.safetensors").arg(i));
            files.push_back(
                testing::bigLora({"hollow", checkpoint, kRankOfFiles}, path).toStdString());
        }
        QVERIFY(testing::forgetPages(folder.path()));
        const auto [graph, last] = chainOf(files);
        (void)testing::openModule();
        testing::EventLog log;
        const std::clock_t begin = std::clock();
        const testing::ModuleRun run =
            testing::runModule(graph.dump(),
                               {{"device", "cpu"},
                                {"out", folder.path().toStdString()},
                                {"until", {last}},
                                {"set", {"load.checkpoint=" + checkpoint.toStdString()}}},
                               log);
        const double whole = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        QVERIFY2(run.status == Status::Ok, run.report.dump().c_str());
        const Json& repetition = run.report.at("repetitions").back();
        double seconds = 0;
        for (const Json& node : repetition.at("nodes")) {
            const bool isLora = node.at("node").get<std::string>().starts_with("lora");
            seconds += isLora ? node.at("ms").get<double>() / 1000 : 0;
        }
        qint64 bytes = 0;
        qint64 inMemory = 0;
        for (const std::string& file : files) {
            bytes += QFile(QString::fromStdString(file)).size();
            inMemory += testing::bytesInMemory(QString::fromStdString(file));
        }
        qInfo(
            "%d LoRA files of %.0f MB each: nodes %.4f s (goal %.1f), run with its plan "
            "%.2f CPU s; %.1f MiB of the files in memory",
            kFiles,
            static_cast<double>(bytes) / kFiles / 1e6,
            seconds,
            kLoadGoal,
            whole,
            static_cast<double>(inMemory) / kMiB);
        rows_.push_back({{"files", kFiles},
                         {"bytes", bytes},
                         {"seconds", seconds},
                         {"run_cpu_seconds", whole},
                         {"in_memory", inMemory}});
        QCOMPARE(repetition.at("traffic").at("bytesRead").get<qint64>(), 0);
        QVERIFY(static_cast<double>(inMemory) < kMostOfFiles * static_cast<double>(bytes));
        QVERIFY(seconds > 0 && seconds < kPatience * kLoadGoal);
    }

    void writesTheTable() { testing::writeTable("adapters_bench", rows_); }

private:
    static QString textOf(const TimedRun& run) {
        QString text;
        for (const Spent& step : run.steps) {
            text += QString("%1 CPU s (%2 s) ")
                        .arg(step.cpuSeconds, 0, 'f', 2)
                        .arg(step.seconds, 0, 'f', 2);
        }
        return text;
    }

    /// Nothing of it is there before; no lora: a graph without the node.
    TimedRun sample(const Size& size,
                    const QString& checkpoint,
                    const QString& lora,
                    const std::string& policy) {
        const QTemporaryDir folder;
        const bool isXl = QFile::exists(checkpoint + "/model.safetensors");
        const std::string file = (checkpoint + (isXl ? "/model.safetensors" : "")).toStdString();
        const std::string pixels = std::to_string(size.pixels);
        std::vector<std::string> set = {"load.checkpoint=" + file,
                                        "latent.width=" + pixels,
                                        "latent.height=" + pixels,
                                        "denoise.cfg=7.5",
                                        "denoise.steps=" + std::to_string(kSteps),
                                        "denoise.seed=" + std::to_string(++seed_)};
        if (!lora.isEmpty()) {
            set.push_back("lora.file=" + lora.toStdString());
        }
        StepClock clock;
        testing::EventLog log([&](const Json& event) { clock.see(event); });
        const testing::ModuleRun ended =
            testing::runModule(testing::exampleText(lora.isEmpty() ? "text_to_image" : "lora"),
                               {{"device", "cpu"},
                                {"out", folder.path().toStdString()},
                                {"until", {"denoise"}},
                                {"policies", {"denoise=" + policy, "encode=none"}},
                                {"set", set}},
                               log);
        if (ended.status != Status::Ok) {
            qWarning("%s", ended.report.dump().c_str());
            return {};
        }
        return clock.run();
    }

    /// Each round: a step with the LoRA compared with one without.
    struct Pairs {
        std::vector<double> ratios;
        std::vector<double> more;  ///< seconds
    };

    template <typename SecondsOf>
    static Pairs pairsOf(const Runs& runs,
                         const std::string& policy,
                         bool isFirst,
                         SecondsOf secondsOf) {
        const auto stepOf = [&](const TimedRun& run) {
            const auto begin = run.steps.begin();
            return median(secondsOf(isFirst ? std::vector<Spent>(begin, begin + 1)
                                            : std::vector<Spent>(begin + 1, run.steps.end())));
        };
        Pairs pairs;
        const std::vector<TimedRun>& without = runs.at({policy, false});
        const std::vector<TimedRun>& with = runs.at({policy, true});
        for (size_t i = 0; i < std::min(with.size(), without.size()); ++i) {
            pairs.ratios.push_back(stepOf(with[i]) / stepOf(without[i]));
            pairs.more.push_back(stepOf(with[i]) - stepOf(without[i]));
        }
        return pairs;
    }
};

/// With the settings of the command's process, whose speed this is.
int runBench(int count, char** arguments) {
    loader::keepBigBlocks();
    const QCoreApplication application(count, arguments);
    AdaptersBench bench;
    return QTest::qExec(&bench, count, arguments);
}

LOWTIDE_TEST_MAIN(runBench)

}  // namespace adapters_bench

#include "adapters_bench.moc"
