#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/finished_run.hpp"

#include <QtTest/QtTest>

#include <algorithm>

namespace control_test {

using namespace lowtide;
using testing::contentsOf;
using testing::executed;
using testing::Finished;
using testing::isGood;
using testing::kShort;
using testing::reported;
using testing::runExample;
using testing::runExampleInProcess;

/// Offload and collection nodes through the command, and what a report states of them.
class ControlTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        qputenv("LOWTIDE_CACHE", cache_.path().toUtf8());
        plain_ = runExampleInProcess("text_to_image").image;
        QVERIFY(!plain_.isNull());
    }

    /// No slot finds what another kept on disk.
    void init() {
        QVERIFY(QDir(cache_.path()).removeRecursively());
        QVERIFY(QDir().mkpath(cache_.path()));
    }

    void controlNodesChangeNoPixel_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("cpu") << QStringList{};
        QTest::newRow("fake GPU") << QStringList{"--device", "fake:256MiB"};
        QTest::newRow("collecting always")
            << QStringList{"--gc-threshold", "0", "--set", "collect.force=true"};
        QTest::newRow("everything leaves") << QStringList{"--device",
                                                          "fake:256MiB",
                                                          "--set",
                                                          "free_encoder.component=all",
                                                          "--policy",
                                                          "decode=none,after=keep"};
    }

    void controlNodesChangeNoPixel() {
        QFETCH(QStringList, arguments);

        const Finished run = runExampleInProcess("control_nodes", arguments);

        QVERIFY(isGood(run));
        QCOMPARE(run.image, plain_);
        for (const char* node : {"encode", "keep_positive", "free_encoder", "collect"}) {
            QVERIFY2(executed(run).contains(node), node);
        }
    }

    void anOffloadGivesTheBytesBack() {
        const Finished run = runExampleInProcess(
            "control_nodes",
            {"--device", "fake:256MiB", "--policy", "encode=none", "--policy", "denoise=none"});

        QVERIFY(isGood(run));
        const Json entry = reported(run, "free_encoder", "drop");
        const auto bytes = entry.at("bytes").get<int64_t>();
        QVERIFY(bytes > 700000);  // of the encoder, in 16 bits
        QCOMPARE(entry.at("before").at("device").get<int64_t>() -
                     entry.at("after").at("device").get<int64_t>(),
                 bytes);
        bool isOnTimeLine = false;
        for (const Json& event : run.report.at("timeline")) {
            isOnTimeLine |= event.at("what") == "offload" && event.at("node") == "free_encoder" &&
                            event.at("bytes") == bytes;
        }
        QVERIFY(isOnTimeLine);
    }

    /// The module learns what to log when it is opened.
    void eachStageHasItsPoint_andALineForEachCollection() {
        const Finished run =
            runExample("control_nodes",
                       cache_.path(),
                       {"--device", "fake:256MiB", "--log", "info", "--set", "collect.force=true"});

        QVERIFY(isGood(run));
        const Json& collections = run.report.at("collections");
        QCOMPARE(collections.at("points"), Json(4));  // encode, denoise, the node, decode
        const Json& records = collections.at("records");
        QCOMPARE(static_cast<int64_t>(records.size()) + collections.at("skipped").get<int64_t>(),
                 int64_t{4});
        const QRegularExpression form(
            R"(GC: utilization=\{'gpu': \d+, 'ram': \d+, 'threshold': \d+\} )"
            R"(gc=\{'collected': \d+, 'saved': -?[\d.]+\} before=\{'gpu': [\d.]+, 'ram': [\d.]+\} )"
            R"(after=\{'gpu': [\d.]+, 'ram': [\d.]+, 'retries': \d+, 'oom': \d+\} )"
            R"(device=fake fn=[a-z_.]+ time=[\d.]+$)");
        QStringList lines;
        for (const QString& line : run.command.errors.split('\n')) {
            if (line.contains("GC")) {
                QVERIFY2(form.match(line.trimmed()).hasMatch(), qPrintable(line));
                lines << line;
            }
        }
        QCOMPARE(lines.size(), static_cast<qsizetype>(records.size()));
        bool forced = false;
        for (const Json& record : records) {
            forced |= record.at("point") == "control.gc" && record.at("reason") == "forced";
        }
        QVERIFY(forced);
    }

    void detailsAreForDebuggingOnly() {
        const QStringList forced = {"--set", "collect.force=true"};

        const auto shown = [&](const QStringList& level) {
            return runExample("control_nodes", cache_.path(), forced + level)
                .command.errors.count("GC details");
        };

        QCOMPARE(shown({}), 0);
        QCOMPARE(shown({"--log", "info"}), 0);
        QVERIFY(shown({"--log", "debug"}) > 0);
    }

    void aReportHasCollections() {
        const QString report = cache_.filePath("report.json");
        const testing::CommandResult run =
            testing::runInProcess(QStringList{"run",
                                              testing::exampleGraph("control_nodes"),
                                              "--out",
                                              cache_.path(),
                                              "--report",
                                              report,
                                              "--set",
                                              "collect.force=true"} +
                                  kShort);
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));

        const testing::CommandResult printed = testing::runInProcess({"report", report});

        QCOMPARE(printed.exitCode, 0);
        const QRegularExpression form("collections: [1-4] at 4 points, \\d skipped, .* given back");
        QVERIFY2(form.match(printed.output).hasMatch(), qPrintable(printed.output));
    }

    void aRunEndsAfterTheNamedNodes() {
        const Finished run =
            runExampleInProcess("text_to_image", {"--until", "encode", "--until", "latent"});

        QVERIFY2(run.command.exitCode == 0, qPrintable(run.command.errors));
        QStringList names = executed(run);
        names.sort();
        QCOMPARE(names, (QStringList{"encode", "latent", "load"}));
        QVERIFY(run.report.at("files").empty());
    }

    /// Copied weights have copy queues; those that are read in place have none, and no 0 instead.
    void aReportHasCopyTimes() {
        const QString report = cache_.filePath("report.json");
        const auto reported = [&](const QStringList& policies) {
            const testing::CommandResult run =
                testing::runInProcess(QStringList{"run",
                                                  testing::exampleGraph("text_to_image"),
                                                  "--out",
                                                  cache_.path(),
                                                  "--device",
                                                  "fake:256MiB",
                                                  "--report",
                                                  report} +
                                      kShort + policies);
            return run.exitCode == 0 ? testing::runInProcess({"report", report}).output
                                     : run.errors;
        };

        const QString text =
            reported({"--policy", "denoise=leaf+stream", "--policy", "decode=model@cpu"});

        QVERIFY2(
            QRegularExpression(R"(denoise +[\d.]+ ms +[\d.]+ ms +[\d.]+ ms +[\d.]+ ms +[\d.]+ %)")
                .match(text)
                .hasMatch(),
            qPrintable(text));
        const Json stages = parseJson(contentsOf(report).toStdString(), "report")
                                .at("repetitions")
                                .at(0)
                                .at("traffic")
                                .at("stages");
        for (const Json& stage : stages) {
            if (stage.at("node") == "denoise") {
                const Json& times = stage.at("lanes").at("fake");
                const auto seconds = stage.at("seconds").get<double>();
                QVERIFY(times.at("copy").get<double>() > 0);
                QVERIFY(times.at("wait").get<double>() <= seconds);
                QVERIFY(stage.at("efficiency").get<double>() > 0);
                QVERIFY(stage.at("efficiency").get<double>() <= 1);
            }
            if (stage.at("node") == "save") {
                QVERIFY(stage.at("lanes").empty() && stage.at("bound").is_null());
            }
        }
    }

    /// The goals are 2 % of a run and a median of 0.1 s; ten times that fails.
    void collectionsTakeLittleTime() {
        const Finished run = runExampleInProcess(
            "control_nodes",
            {"--gc-threshold", "0", "--set", "denoise.steps=20", "--set", "collect.force=true"});

        QVERIFY(isGood(run));
        const Json& collections = run.report.at("collections");
        std::vector<double> seconds;
        for (const Json& record : collections.at("records")) {
            seconds.push_back(record.at("seconds").get<double>());
        }
        QVERIFY(!seconds.empty());
        std::sort(seconds.begin(), seconds.end());
        const double median = seconds[seconds.size() / 2];
        const double fraction = 100 * 1000 * collections.at("seconds").get<double>() /
                                run.report.at("ms").get<double>();
        qInfo("collections: %.3f %% of the run, goal 2 %%; median %.4f s, goal 0.1 s",
              fraction,
              median);
        QVERIFY2(fraction < 20, qPrintable(QString::number(fraction)));
        QVERIFY2(median < 1, qPrintable(QString::number(median)));
    }

    void refusesSettingsThatAreNone_data() {
        testing::addTable<QStringList, QString>(
            {"arguments", "complaint"},
            {{"threshold", {"--gc-threshold", "101"}, "101"},
             {"low memory", {"--low-memory", "maybe"}, "maybe"},
             {"component", {"--set", "free_encoder.component=brain"}, "brain"},
             {"threshold of the node", {"--set", "collect.threshold=-2"}, "threshold"}});
    }

    void refusesSettingsThatAreNone() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, complaint);

        const Finished run = runExampleInProcess("control_nodes", arguments);

        QCOMPARE(run.command.exitCode, 2);
        QVERIFY2(run.command.errors.contains(complaint), qPrintable(run.command.errors));
    }

private:
    QTemporaryDir cache_;
    QImage plain_;
};

LOWTIDE_TEST(ControlTest)

}  // namespace control_test

#include "control_test.moc"
