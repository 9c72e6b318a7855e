#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <filesystem>
#include <thread>

using namespace lowtide;

namespace {

namespace fs = std::filesystem;

const QStringList kShort = {"--set", "denoise.steps=2"};

struct Finished {
    testing::CommandResult command;
    QByteArray file;  ///< the picture's
    QImage picture;
    Json report;
};

QByteArray contentsOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// One process: a short run of a graph with `cache` as its folder between processes.
Finished runGraph(const QString& graph, const QString& cache, const QStringList& more = {}) {
    const QTemporaryDir folder;
    const QString report = folder.filePath("report.json");
    Finished run;
    run.command = testing::runLowtide(
        QStringList{"run", graph, "--out", folder.path(), "--report", report} + kShort + more,
        {"LOWTIDE_CACHE=" + cache});
    run.file = contentsOf(folder.filePath("lowtide_00001.png"));
    run.picture = QImage::fromData(run.file);
    if (QFile::exists(report)) {
        run.report = parseJson(contentsOf(report).toStdString(), "report");
    }
    return run;
}

Finished runExample(const QString& graph, const QString& cache, const QStringList& more = {}) {
    return runGraph(testing::exampleGraph(graph), cache, more);
}

/// The text-to-image example with a result cache on disk behind one output.
bool writeKeeping(const QString& path, const std::string& node, const std::string& port) {
    Json graph =
        parseJson(contentsOf(testing::exampleGraph("text_to_image")).toStdString(), "example");
    graph["nodes"]["keep"] = {{"type", "control.result_cache"}, {"params", {{"where", "disk"}}}};
    for (Json& link : graph["links"]) {
        if (link["from"] == Json({node, port})) {
            link["from"] = {"keep", "value"};
        }
    }
    graph["links"].push_back({{"from", {node, port}}, {"to", {"keep", "value"}}});
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(graph.dump().c_str()) > 0;
}

bool isGood(const Finished& run) {
    if (run.command.exitCode != 0 || run.picture.isNull()) {
        qWarning("%s", qPrintable(run.command.errors));
        return false;
    }
    return true;
}

QStringList executed(const Finished& run) {
    QStringList nodes;
    for (const Json& node : run.report.at("repetitions").at(0).at("executed")) {
        nodes << QString::fromStdString(node.get<std::string>());
    }
    return nodes;
}

/// What a control node told, by node and action.
Json told(const Finished& run, const std::string& node, const std::string& action) {
    for (const Json& entry : run.report.at("controls")) {
        if (entry.at("node") == node && entry.at("action") == action) {
            return entry;
        }
    }
    return {};
}

QStringList resultsIn(const QString& cache) {
    return QDir(cache + "/results").entryList(QDir::Files | QDir::Hidden, QDir::Name);
}

void copyFolder(const QString& from, const QString& to) {
    fs::copy(from.toStdString(), to.toStdString(), fs::copy_options::recursive);
}

/// Overwrites the weights of a safetensors file in place; name, size, time and header stay.
bool spoilWeights(const QString& path) {
    const auto time = fs::last_write_time(path.toStdString());
    QFile file(path);
    if (!file.open(QIODevice::ReadWrite)) {
        return false;
    }
    quint64 header = 0;
    file.read(reinterpret_cast<char*>(&header), sizeof(header));  // little-endian, as this machine
    file.seek(static_cast<qint64>(sizeof(header) + header));
    file.write(QByteArray(file.size() - file.pos(), '\x11'));
    file.close();
    fs::last_write_time(path.toStdString(), time);
    return true;
}

}  // namespace

/// Offload, collection and result-cache nodes through the built command.
class ControlTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        plain_ = runExample("text_to_image", cacheless_.path()).picture;
        QVERIFY(!plain_.isNull());
    }

    void init() { cache_ = std::make_unique<QTemporaryDir>(); }

    void controlNodesChangeNoPixel_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("cpu") << QStringList{};
        QTest::newRow("fake card") << QStringList{"--device", "fake:256MiB"};
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

        const Finished run = runExample("control_nodes", cache_->path(), arguments);

        QVERIFY(isGood(run));
        QCOMPARE(run.picture, plain_);
        for (const char* node : {"encode", "keep_positive", "free_encoder", "collect"}) {
            QVERIFY2(executed(run).contains(node), node);
        }
    }

    void anOffloadGivesTheBytesBack() {
        const Finished run = runExample(
            "control_nodes",
            cache_->path(),
            {"--device", "fake:256MiB", "--policy", "encode=none", "--policy", "denoise=none"});

        QVERIFY(isGood(run));
        const Json entry = told(run, "free_encoder", "drop");
        const auto bytes = entry.at("bytes").get<int64_t>();
        QVERIFY(bytes > 1000000);
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

    void eachStageHasItsPoint_andALineForEachCollection() {
        const Finished run =
            runExample("control_nodes",
                       cache_->path(),
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
        QCOMPARE(collections.at("replay").at("thresholds").size(), size_t{4});
    }

    void detailsAreForDebuggingOnly() {
        const QStringList forced = {"--set", "collect.force=true"};

        const auto shown = [&](const QStringList& level) {
            return runExample("control_nodes", cache_->path(), forced + level)
                .command.errors.count("GC details");
        };

        QCOMPARE(shown({}), 0);
        QCOMPARE(shown({"--log", "info"}), 0);
        QVERIFY(shown({"--log", "debug"}) > 0);
    }

    void aReportTellsOfCollections() {
        const QString report = cache_->filePath("report.json");
        const testing::CommandResult run =
            testing::runLowtide(QStringList{"run",
                                            testing::exampleGraph("control_nodes"),
                                            "--out",
                                            cache_->path(),
                                            "--report",
                                            report,
                                            "--set",
                                            "collect.force=true"} +
                                    kShort,
                                {"LOWTIDE_CACHE=" + cache_->path()});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));

        const testing::CommandResult printed = testing::runLowtide({"report", report});

        QCOMPARE(printed.exitCode, 0);
        const QRegularExpression form("collections: [1-4] at 4 points, \\d skipped, .* given back");
        QVERIFY2(form.match(printed.output).hasMatch(), qPrintable(printed.output));
    }

    /// The goal is 2 % of a run; ten times that fails.
    void collectionsTakeLittleTime() {
        const Finished run = runExample(
            "control_nodes", cache_->path(), {"--gc-threshold", "0", "--set", "denoise.steps=20"});

        QVERIFY(isGood(run));
        const double share = 100 * 1000 * run.report.at("collections").at("seconds").get<double>() /
                             run.report.at("ms").get<double>();
        qInfo("collections: %.3f %% of the run, goal 2 %%", share);
        QVERIFY2(share < 20, qPrintable(QString::number(share)));
    }

    void refusesSettingsThatAreNone_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("complaint");
        QTest::newRow("threshold") << QStringList{"--gc-threshold", "101"} << "101";
        QTest::newRow("low memory") << QStringList{"--low-memory", "maybe"} << "maybe";
        QTest::newRow("component")
            << QStringList{"--set", "free_encoder.component=brain"} << "brain";
        QTest::newRow("threshold of the node")
            << QStringList{"--set", "collect.threshold=-2"} << "threshold";
    }

    void refusesSettingsThatAreNone() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, complaint);

        const Finished run = runExample("control_nodes", cache_->path(), arguments);

        QCOMPARE(run.command.exitCode, 2);
        QVERIFY2(run.command.errors.contains(complaint), qPrintable(run.command.errors));
    }

    /// The text encoder's weights are destroyed between two processes: only who reads them notices.
    void encodesOnce_andNeverReadsTheEncoderAgain() {
        const QTemporaryDir models;
        const QString model = models.filePath("model");
        copyFolder(testing::sourcePath("resources/mini/model"), model);
        const QStringList own = {"--set", "load.checkpoint=" + model};
        const Finished first = runExample("control_nodes", cache_->path(), own);
        QVERIFY(isGood(first));
        QCOMPARE(first.picture, plain_);
        QCOMPARE(resultsIn(cache_->path()).size(), 2);
        QVERIFY(spoilWeights(model + "/text_encoder/model.safetensors"));

        const Finished second = runExample("control_nodes", cache_->path(), own);

        QVERIFY(isGood(second));
        QVERIFY(!executed(second).contains("encode"));
        QVERIFY(executed(second).contains("denoise"));
        QCOMPARE(second.picture, plain_);
        for (const Json& component : second.report.at("plan").at("components")) {
            QVERIFY2(component.at("role") != "text_encoder", "the encoder's file was opened");
        }
        QCOMPARE(told(second, "keep_positive", "found").at("place"), Json("disk"));
        const Finished without = runExample("text_to_image", cache_->path(), own);
        QVERIFY2(without.picture != plain_, "the encoder's weights do not matter: no test at all");
    }

    /// The picture's file too: who made it with what is kept beside the numbers.
    void whatIsKeptGivesTheSameFile_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("port");
        QTest::newRow("latent") << "denoise"
                                << "latent";
        QTest::newRow("image") << "decode"
                               << "image";
    }

    void whatIsKeptGivesTheSameFile() {
        QFETCH(QString, node);
        QFETCH(QString, port);
        const QString graph = cache_->filePath("graph.json");
        QVERIFY(writeKeeping(graph, node.toStdString(), port.toStdString()));
        const Finished first = runGraph(graph, cache_->path());
        QVERIFY(isGood(first));
        QCOMPARE(first.picture, plain_);

        const Finished second = runGraph(graph, cache_->path());

        QVERIFY(isGood(second));
        QVERIFY(executed(first).contains(node) && !executed(second).contains(node));
        QVERIFY(second.file == first.file);
        QVERIFY(second.file.contains("Model hash: "));
    }

    void anotherPromptIsAnotherResult() {
        QVERIFY(isGood(runExample("control_nodes", cache_->path())));

        const Finished other =
            runExample("control_nodes", cache_->path(), {"--set", "encode.prompt=a dog face"});

        QVERIFY(isGood(other));
        QVERIFY(executed(other).contains("encode"));
        QVERIFY(other.picture != plain_);
        QVERIFY(isGood(runExample("control_nodes", cache_->path(), {"--device", "fake:256MiB"})));
        QCOMPARE(resultsIn(cache_->path()).size(), 6);
    }

    void aDamagedResultIsToldAndMadeAgain() {
        QVERIFY(isGood(runExample("control_nodes", cache_->path())));
        for (const QString& name : resultsIn(cache_->path())) {
            QFile file(cache_->filePath("results/" + name));
            QVERIFY(file.open(QIODevice::ReadWrite));
            file.seek(file.size() - 4);
            file.write("ruin");
        }

        const Finished run = runExample("control_nodes", cache_->path());

        QVERIFY(isGood(run));
        QVERIFY(executed(run).contains("encode"));
        QCOMPARE(run.picture, plain_);
        QVERIFY2(run.command.errors.contains("is not used"), qPrintable(run.command.errors));
        QVERIFY(!executed(runExample("control_nodes", cache_->path())).contains("encode"));
    }

    void aDiskThatTakesNothingIsAWarning_data() {
        QTest::addColumn<bool>("isFolder");
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("the folder cannot be made") << false << QStringList{};
        QTest::newRow("no room") << true
                                 << QStringList{"--set",
                                                "keep_positive.limit=0",
                                                "--set",
                                                "keep_negative.limit=0"};
    }

    void aDiskThatTakesNothingIsAWarning() {
        QFETCH(bool, isFolder);
        QFETCH(QStringList, arguments);
        QFile file(cache_->filePath("taken"));
        QVERIFY(file.open(QIODevice::WriteOnly));

        const Finished run = runExample(
            "control_nodes", isFolder ? cache_->path() : cache_->filePath("taken"), arguments);

        QVERIFY(isGood(run));
        QCOMPARE(run.picture, plain_);
        QVERIFY2(run.command.errors.contains("warning: keep_positive"),
                 qPrintable(run.command.errors));
    }

    void twoProcessesAtOnceShareTheFolder() {
        constexpr int kProcesses = 2;
        std::array<Finished, kProcesses> runs;
        std::vector<std::thread> threads;
        for (Finished& run : runs) {
            threads.emplace_back([&] { run = runExample("control_nodes", cache_->path()); });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }

        for (const Finished& run : runs) {
            QVERIFY(isGood(run));
            QCOMPARE(run.picture, plain_);
        }
        QCOMPARE(resultsIn(cache_->path()).size(), 2);
        const Finished third = runExample("control_nodes", cache_->path());
        QVERIFY(!executed(third).contains("encode"));
        QCOMPARE(third.picture, plain_);
    }

private:
    QTemporaryDir cacheless_;
    std::unique_ptr<QTemporaryDir> cache_;
    QImage plain_;
};

QTEST_GUILESS_MAIN(ControlTest)
#include "control_test.moc"
