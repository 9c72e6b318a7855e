#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace bad_input_test {

using namespace lowtide;

namespace {

Json exampleJson() {
    return parseJson(testing::exampleText("text_to_image"), "example");
}

/// A graph's text, changed: what a user could have on disk.
std::string changed(const std::function<void(Json&)>& change) {
    Json graph = exampleJson();
    change(graph);
    return graph.dump();
}

std::string deepJson(int depth) {
    return "{\"format\": 1, \"nodes\": " + std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']') + "}";
}

struct BadGraph {
    const char* name;
    std::string text;
    const char* complaint;
};

std::vector<BadGraph> badGraphs() {
    const auto param = [](const char* node, const char* id, const Json& value) {
        return changed([&](Json& graph) { graph["nodes"][node]["params"][id] = value; });
    };
    return {
        {"empty file", "", "not valid JSON"},
        {"not JSON", "a cat", "not valid JSON at line 1"},
        {"cut off", exampleJson().dump().substr(0, 400), "not valid JSON"},
        {"a list", "[1, 2]", "must be a JSON object"},
        {"too deep", deepJson(100000), "nested deeper"},
        {"newer format", changed([](Json& graph) { graph["format"] = 99; }), "99"},
        {"unknown node type",
         changed([](Json& graph) { graph["nodes"]["denoise"]["type"] = "denoise.magic"; }),
         "denoise.magic"},
        {"cycle",
         changed([](Json& graph) {
             graph["nodes"]["up"] = {{"type", "upscale.image"}, {"v", 1}};
             graph["nodes"]["up2"] = {{"type", "upscale.image"}, {"v", 1}};
             graph["links"] = {{{"from", {"up", "image"}}, {"to", {"up2", "image"}}},
                               {{"from", {"up2", "image"}}, {"to", {"up", "image"}}},
                               {{"from", {"up", "image"}}, {"to", {"save", "image"}}}};
         }),
         "circle"},
        {"wrong wire type",
         changed([](Json& graph) {
             for (Json& link : graph["links"]) {
                 if (link["to"][0] == "save") {
                     link["from"] = {"denoise", "latent"};
                 }
             }
         }),
         "LATENT"},
        {"missing wire",
         changed([](Json& graph) {
             graph["links"].erase(
                 std::remove_if(graph["links"].begin(),
                                graph["links"].end(),
                                [](const Json& link) { return link["to"][1] == "positive"; }),
                 graph["links"].end());
         }),
         "denoise.positive"},
        {"no output",
         changed([](Json& graph) {
             graph["nodes"].erase("save");
             graph["links"] = Json::array();
         }),
         "output"},
        {"steps too few", param("denoise", "steps", 0), "denoise.steps"},
        {"steps as text", param("denoise", "steps", "20"), "denoise.steps"},
        {"steps as fraction", param("denoise", "steps", 2.5), "denoise.steps"},
        {"cfg too large", param("denoise", "cfg", 1e9), "denoise.cfg"},
        {"negative seed", param("denoise", "seed", -1), "denoise.seed"},
        {"unknown sampler", param("denoise", "sampler", "magic"), "dpmpp_2m"},
        {"sampler that is not built", param("denoise", "sampler", "edm_euler"), "euler_a"},
        {"width too small", param("latent", "width", 1), "latent.width"},
        {"odd width", param("latent", "width", 100), "multiples of 8"},
        {"prefix leaves the folder", param("save", "prefix", "../../cat"), "save.prefix"},
        {"missing checkpoint", param("load", "checkpoint", "no/such/folder"), "load.checkpoint"},
        {"unknown builtin", param("load", "checkpoint", "builtin:huge"), "\"huge\""},
        {"checkpoint is a file",
         param("load", "checkpoint", testing::sourcePath("dev").toStdString()),
         "load.checkpoint"},
        {"policy is not known",
         changed([](Json& graph) { graph["nodes"]["denoise"]["memory"] = "fast"; }),
         "no policy \"fast\""},
        {"policy that means nothing",
         changed([](Json& graph) { graph["nodes"]["denoise"]["memory"] = "leaf,after=keep"; }),
         "nothing to keep"},
        {"policy without components",
         changed([](Json& graph) { graph["nodes"]["save"]["memory"] = "model"; }),
         "save"},
    };
}

}  // namespace

/// Whatever a user hands over: the right exit code, one message with node or file and what to do,
/// no crash, and no file left behind.
class BadInputTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void badGraphsAreRefused_data() {
        QTest::addColumn<QByteArray>("graph");
        QTest::addColumn<QString>("complaint");
        for (const BadGraph& bad : badGraphs()) {
            QTest::newRow(bad.name) << QByteArray::fromStdString(bad.text) << bad.complaint;
        }
    }

    void badGraphsAreRefused() {
        QFETCH(QByteArray, graph);
        QFETCH(QString, complaint);
        const QTemporaryDir folder;
        const QString path = folder.filePath("graph.json");
        testing::writeFile(path, graph);
        const testing::CommandResult run =
            testing::runInProcess({"run", path, "--out", folder.filePath("out")});
        QVERIFY2(!run.crashed && run.exitCode == 2, qPrintable(run.errors));
        QVERIFY2(run.errors.contains(complaint), qPrintable(run.errors));
        QVERIFY2(run.errors.size() < 4000, qPrintable(run.errors.left(4000)));
        QVERIFY(!QFile::exists(folder.filePath("out")));
    }

    void badArgumentsAreRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("complaint");
        const QString graph = testing::exampleGraph("text_to_image");
        const auto row = [&](const char* name, const QStringList& more, const char* complaint) {
            QTest::newRow(name) << (QStringList{"run", graph} + more) << complaint;
        };
        QTest::newRow("no command") << QStringList{} << "subcommand";
        QTest::newRow("unknown command") << QStringList{"paint"} << "paint";
        QTest::newRow("two graphs for the studio")
            << QStringList{"studio", "first.json", "second.json"} << "second.json";
        QTest::newRow("no such graph")
            << QStringList{"run", "no_such_graph.json"} << "no_such_graph.json";
        row("unknown option", {"--fast"}, "--fast");
        row("unknown node", {"--set", "nowhere.steps=1"}, "nowhere");
        row("unknown parameter", {"--set", "denoise.stepz=1"}, "stepz");
        row("no value", {"--set", "denoise.steps"}, "denoise.steps");
        row("not a number", {"--set", "denoise.steps=many"}, "many");
        row("NaN", {"--set", "denoise.cfg=nan"}, "denoise.cfg");
        row("infinite", {"--set", "denoise.cfg=inf"}, "denoise.cfg");
        row("huge number", {"--set", "denoise.seed=18446744073709551616"}, "denoise.seed");
        row("bad device", {"--device", "moon"}, "moon");
        row("no GPU", {"--device", "cuda"}, "no device cuda can be used");
        row("small GPU",
            {"--device", "fake:1MiB", "--policy", "denoise=model"},
            "do not fit into 1.0 MiB on fake");
        row("bad policy", {"--policy", "denoise=fast"}, "fast");
        row("policy for nobody", {"--policy", "nobody=model"}, "nobody");
        row("policy for a role that is not there", {"--policy", "denoise.vae=model"}, "vae");
        row("zero repetitions", {"--repeat", "0"}, "--repeat");
        row("budget that is no size", {"--memory-budget", "much"}, "\"much\" is no size");
        row("budget of nothing", {"--memory-budget", "0"}, "too small for anything");
        row("negative budget", {"--memory-budget=-1GiB"}, "\"-1GiB\" is no size");
        row("budget of more than all numbers",
            {"--memory-budget", "99999999999999999999GiB"},
            "is no size");
        row("budget beyond the GPU",
            {"--device", "fake:64MiB", "--memory-budget", "1GiB"},
            "more than the 64.0 MiB of the rehearsed GPU");
        row("budget below the minimum",
            {"--device", "fake", "--memory-budget", "1MiB"},
            "the whole run needs at least");
        row("stream without copies",
            {"--policy", "denoise=sequential+stream"},
            "nothing to copy ahead");
        row("budget for a policy without one",
            {"--policy", "denoise=model,budget=1GiB"},
            "budget of its own");
        row("zero threads", {"--threads", "0"}, "--threads");
        row("none that streams", {"--policy", "denoise=none+stream"}, "nothing to copy ahead of");
        row("auto with stream", {"--policy", "denoise=auto+stream"}, "where that is faster");
        row("budget for auto", {"--policy", "denoise=auto,budget=4MiB"}, "budget of its own");
        row("keeping what streams", {"--policy", "denoise=leaf,after=keep"}, "nothing to keep");
        row("number for leaves", {"--policy", "denoise=leaf:2"}, "only block takes a number");
        row("block of none", {"--policy", "denoise=block:0"}, "at least 1");
        row("policy budget of nothing", {"--policy", "denoise=leaf,budget=0"}, "budget");
        row("negative policy budget", {"--policy", "denoise=leaf,budget=-1GiB"}, "is no size");
        row("policy on a node without components",
            {"--policy", "save=model"},
            "runs no network, so it has no memory policy");
        row("device of a policy that is none", {"--policy", "denoise=model@moon"}, "moon");
        row("end that is no node", {"--until", "encoed"}, "encode");
        row("kind of failure that is none", {"--device", "fake:fail=disk:1"}, "no kind of alloc");
        row("spill that is no size", {"--device", "fake:1GiB,spill=much"}, "\"much\" is no size");
    }

    void badArgumentsAreRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, complaint);
        const testing::CommandResult run = testing::runInProcess(arguments);
        QVERIFY2(!run.crashed, qPrintable(run.errors));
        const bool device = arguments.contains("cuda");
        QVERIFY2(run.exitCode == 2 || (device && run.exitCode == 3), qPrintable(run.errors));
        QVERIFY2(run.errors.contains(complaint), qPrintable(run.errors));
    }

    void anUnwritableFolderIsReportedBeforeNothingIsLost() {
        const QTemporaryDir folder;
        testing::writeFile(folder.filePath("taken"), {});
        const testing::CommandResult run =
            testing::runLowtide({"run",
                                 testing::exampleGraph("text_to_image"),
                                 "--set",
                                 "denoise.steps=1",
                                 "--out",
                                 folder.filePath("taken/below")});
        QVERIFY(!run.crashed && run.exitCode != 0);
        QVERIFY2(run.errors.contains("save"), qPrintable(run.errors));
    }

    /// Files that may not grow fail as those on a disk that is full.
    void aFullDiskIsReported_andNothingHalfWrittenRemains() {
        const QTemporaryDir folder;
        QProcess process;
        process.start("bash",
                      {"-c",
                       "trap '' XFSZ; ulimit -f 4; exec \"$@\"",
                       "bash",
                       testing::buildPath("bin/lowtide"),
                       "run",
                       testing::exampleGraph("text_to_image"),
                       "--set",
                       "denoise.steps=1",
                       "--out",
                       folder.path()});
        QVERIFY(process.waitForFinished(60000));
        const QString errors = process.readAllStandardError();
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QVERIFY(process.exitCode() != 0);
        QVERIFY2(errors.contains("the disk is full") && errors.contains("--out"),
                 qPrintable(errors));
        QVERIFY(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
    }

    void aHugeFileIsNotRead() {
        const QTemporaryDir folder;
        QFile file(folder.filePath("huge.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.resize(qint64{1} << 33));  // sparse: 8 GiB of zeros
        file.close();
        const testing::CommandResult run = testing::runLowtide({"check", file.fileName()});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.errors.contains("huge.json"), qPrintable(run.errors));
        QVERIFY(run.seconds < 10);
    }
};

LOWTIDE_TEST(BadInputTest)

}  // namespace bad_input_test

#include "bad_input_test.moc"
