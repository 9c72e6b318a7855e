// What runs write: under names that nobody else has, opened before the first node, fully reported.
#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <future>
#include <vector>

namespace outputs_test {

using namespace lowtide;

namespace {

const int kPrograms = testing::isFullTest() ? 6 : 3;
const int kRounds = testing::isFullTest() ? 50 : 20;

/// Reads an image and saves it, without a model.
Json savingGraph(const char* type, const Json& params) {
    const std::string image = testing::sourcePath("examples/pictures/dog_mask.png").toStdString();
    Json graph = {{"format", 2}, {"exposed", Json::array()}, {"links", Json::array()}};
    graph["nodes"]["load"] = {{"type", "load.image"}, {"v", 1}, {"params", {{"image", image}}}};
    graph["nodes"]["save"] = {{"type", type}, {"v", 1}, {"params", params}};
    graph["links"].push_back({{"from", {"load", "image"}}, {"to", {"save", "image"}}});
    return graph;
}

/// Warnings of every kind that validation has for a graph that runs.
Json warnedGraph(Json graph, const char* node) {
    graph["nodes"][node]["params"]["prefixx"] = "cat";
    graph["nodes"][node]["v"] = 99;
    return graph;
}

QStringList linesOf(const QString& text) {
    return text.split('\n', Qt::SkipEmptyParts);
}

}  // namespace

class OutputsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

    QString at(const QString& name) const { return folder_->filePath(name); }

    QString kept(const char* name, const Json& graph) const {
        testing::writeFile(at(name), QByteArray::fromStdString(graph.dump()));
        return at(name);
    }

    QString savingImages() const {
        return kept("graph.json", savingGraph("save.image", {{"prefix", "cat"}}));
    }

    /// By a shell, whose words may have any bytes.
    testing::Ended runInShell(const QString& script) const {
        return testing::runProgram("/bin/bash",
                                   {"-c",
                                    "lowtide=$1; graph=$2; cd \"$3\"; " + script,
                                    "bash",
                                    testing::buildPath("bin/lowtide"),
                                    savingImages(),
                                    folder_->path()});
    }

private Q_SLOTS:

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void programsThatSaveIntoOneFolderLoseNothing_data() {
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QByteArray>("params");
        QTest::newRow("images") << QByteArray("save.image") << QByteArray(R"({"prefix": "cat"})");
        QTest::newRow("images in a folder")
            << QByteArray("save.image") << QByteArray(R"({"prefix": "a/cat", "format": "webp"})");
        QTest::newRow("videos") << QByteArray("save.video")
                                << QByteArray(R"({"prefix": "cat", "format": "png"})");
    }

    void programsThatSaveIntoOneFolderLoseNothing() {
        QFETCH(QByteArray, type);
        QFETCH(QByteArray, params);
        const QString graph =
            kept("graph.json", savingGraph(type.constData(), Json::parse(params.toStdString())));
        const QStringList arguments = {
            "run", graph, "--out", at("out"), "--repeat", QString::number(kRounds)};
        std::vector<std::future<testing::CommandResult>> runs;
        for (int i = 0; i < kPrograms; ++i) {
            runs.push_back(
                std::async(std::launch::async, [&] { return testing::runLowtide(arguments); }));
        }
        QSet<QString> reported;
        for (auto& run : runs) {
            const testing::CommandResult result = run.get();
            QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
            const QStringList paths = linesOf(result.output);
            QCOMPARE(paths.size(), kRounds);
            for (const QString& path : paths) {
                QVERIFY2(!reported.contains(path), qPrintable(path));
                QVERIFY2(QFile::exists(path), qPrintable(path));
                reported.insert(path);
            }
        }
        QDir where(at("out") + (params.contains("a/") ? "/a" : ""));
        QCOMPARE(where.entryList(QDir::Files | QDir::Hidden).size(), kPrograms * kRounds);
    }

    void outputsAreOpenedBeforeTheFirstNode_data() {
        const QString none = "none/nofolder/";
        testing::addTable<QStringList, QString>(
            {"options", "named"},
            {{"report", {"--report", none + "r.json"}, "\"r.json\""},
             {"dump", {"--dump", none + "d.safetensors"}, "\"d.safetensors\""},
             {"timeline", {"--timeline", none + "t.jsonl"}, "\"t.jsonl\""},
             {"images", {"--out", "graph.json/out"}, "\"graph.json\""},
             {"a folder for a report", {"--report", "taken"}, "\"taken\""},
             {"a folder for a dump", {"--dump", "taken"}, "\"taken\""}});
    }

    void outputsAreOpenedBeforeTheFirstNode() {
        QFETCH(QStringList, options);
        QFETCH(QString, named);
        const QString graph = savingImages();
        QVERIFY(QDir(folder_->path()).mkdir("taken"));
        options.last() = at(options.last());
        const testing::CommandResult result = testing::runInProcess(
            QStringList{"run", graph, "--events"} + options +
            (options.first() == "--out" ? QStringList() : QStringList{"--out", at("out")}));
        QCOMPARE(result.exitCode, 2);
        QVERIFY2(!result.output.contains("nodeStarted"), qPrintable(result.output));
        QVERIFY2(result.errors.contains(named), qPrintable(result.errors));
        QVERIFY2(QDir(at("out")).entryList(QDir::Files | QDir::Hidden).isEmpty(), "a file is left");
    }

    /// A figure of a comparison cannot be written: reported before its runs.
    void aComparisonOpensItsFilesBeforeItsRuns() {
        QVERIFY(QDir(folder_->path()).mkpath("out/comparison.json"));
        const testing::CommandResult result =
            testing::runInProcess({"compare",
                                   savingImages(),
                                   "--vary",
                                   "save.format=png,webp_lossless",
                                   "--out",
                                   at("out")});
        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains("\"comparison.json\""), qPrintable(result.errors));
        QVERIFY(!QFile::exists(at("out/variant_0")));
    }

    /// What the disk refuses after the run costs the report, not the paths, and is exit 3.
    void aReportThatFailsAfterTheRunTakesNothingElseAlong() {
        const testing::Ended ended = runInShell(
            "trap '' XFSZ; ulimit -f 4; exec $lowtide run $graph --out out --report r.json");
        QCOMPARE(ended.exitCode, 3);
        QCOMPARE(ended.output.trimmed(), QString("out/cat_00001.png"));
        QVERIFY(QFile::exists(at("out/cat_00001.png")));
        QVERIFY2(ended.errors.contains("cannot write \"r.json\": the disk is full"),
                 qPrintable(ended.errors));
        QVERIFY(!QFile::exists(at("r.json")));
    }

    void everyWarningOfCheckIsOneOfTheRun_data() {
        QTest::addColumn<QStringList>("command");
        QTest::newRow("run") << QStringList{"run"};
        QTest::newRow("compare") << QStringList{"compare", "--vary", "save.quality=90,80"};
    }

    void everyWarningOfCheckIsOneOfTheRun() {
        QFETCH(QStringList, command);
        const QString graph =
            kept("graph.json", warnedGraph(savingGraph("save.image", {{"prefix", "cat"}}), "save"));
        const QStringList warnings =
            linesOf(testing::runInProcess({"check", graph}).errors).filter("warning: ");
        QCOMPARE(warnings.size(), 2);
        command.insert(1, graph);
        const testing::CommandResult result =
            testing::runInProcess(command + QStringList{"--out", at("out")});
        QCOMPARE(result.exitCode, 0);
        for (const QString& warning : warnings) {
            QVERIFY2(result.errors.count(warning) == 1, qPrintable(result.errors));
        }
    }

    void aCurveIsMadeWithTheWarningsOfCheck() {
        Json example = Json::parse(testing::exampleText("text_to_image_block_cache"));
        example["nodes"]["denoise"]["params"]["step"] = 3;
        const QString graph = kept("graph.json", example);
        const testing::CommandResult result = testing::runInProcess({"calibrate-cache",
                                                                     graph,
                                                                     "--out",
                                                                     at("curve.json"),
                                                                     "--seeds",
                                                                     "1",
                                                                     "--held-out",
                                                                     "2",
                                                                     "--tolerance",
                                                                     "1",
                                                                     "--set",
                                                                     "latent.width=64",
                                                                     "--set",
                                                                     "latent.height=64",
                                                                     "--set",
                                                                     "denoise.steps=4"});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QVERIFY2(result.errors.count("\"step\"") == 1, qPrintable(result.errors));
    }

    void theReportHasTheWarningsOfCheck() {
        const QString graph =
            kept("graph.json", warnedGraph(savingGraph("save.image", {{"prefix", "cat"}}), "save"));
        const testing::CommandResult result = testing::runInProcess(
            {"run", graph, "--out", at("out"), "--report", at("r.json"), "--events"});
        QCOMPARE(result.exitCode, 0);
        const Json report = Json::parse(testing::contentsOf(at("r.json")).toStdString());
        QCOMPARE(report.at("issues").size(), size_t{2});
        QCOMPARE(result.output.count("\"event\":\"nodeIssue\""), 2);
    }

    void bytesThatAreNoTextAreRefusedInASentence_data() {
        testing::addTable<QString, QString>(
            {"script", "message"},
            {{"out", "--out $'o\\xff'", "--out \"o?\" is not UTF-8"},
             {"set", "--set $'save.prefix=\\xff'", "--set \"save.prefix=?\""},
             {"dump", "--dump $'\\xc3.safetensors'", "--dump \"?.safetensors\""},
             {"timeline", "--timeline $'\\xff'", "--timeline \"?\""},
             {"policy", "--policy $'save=\\xff'", "--policy \"save=?\""},
             {"precision", "--precision $'\\xff'", "--precision \"?\""},
             {"device", "--device $'\\xff'", "--device \"?\""},
             {"budget", "--memory-budget $'\\xff'", "--memory-budget \"?\""},
             {"until", "--until $'\\xff'", "--until \"?\""},
             {"model folder", "--model-folder $'m\\xff'", "--model-folder \"m?\""},
             {"a number", "--threads $'\\xff'", "the arguments cannot be read"},
             {"unknown", "$'--\\xff'", "the arguments cannot be read"}});
    }

    void bytesThatAreNoTextAreRefusedInASentence() {
        QFETCH(QString, script);
        QFETCH(QString, message);
        const testing::Ended ended =
            runInShell("exec $lowtide run $graph " + script + " </dev/null");
        QCOMPARE(ended.exitCode, 2);
        QVERIFY2(ended.errors.startsWith("lowtide: " + message), qPrintable(ended.errors));
        QCOMPARE(ended.output, QString());
    }

    void filesWhoseNamesAreNoTextAreReadAndWritten() {
        const testing::Ended ended = runInShell(
            "cp $graph $'g\\xff.json'; mkdir d; $lowtide run $'g\\xff.json' --out out "
            "--report $'r\\xff.json' && test -s $'r\\xff.json' && mkdir $'d\\xff' && cp "
            "$graph $'d\\xff/g.json' && $lowtide run $'d\\xff/g.json' --out out; "
            "code=$?; rm -r *$'\\xff'*; exit $code");
        QCOMPARE(ended.output.trimmed(), QString("out/cat_00001.png"));
        QCOMPARE(ended.exitCode, 2);
        QVERIFY2(ended.errors.contains("the folder of the graph \""), qPrintable(ended.errors));
        QVERIFY2(ended.errors.contains("/d?\" is not UTF-8"), qPrintable(ended.errors));
    }

    void aPlanThatIsRefusedIsJsonToo() {
        const testing::CommandResult result = testing::runInProcess(
            {"plan", testing::exampleGraph("text_to_image"), "--memory-budget", "1KiB", "--json"});
        QCOMPARE(result.exitCode, 2);
        const Json json = Json::parse(result.output.toStdString(), nullptr, false);
        QVERIFY2(json.is_object() && json.at("issues").size() > 0, qPrintable(result.output));
    }
};

LOWTIDE_TEST(OutputsTest)

}  // namespace outputs_test

#include "outputs_test.moc"
