// A report of a problem reveals nothing of who a user is, where their files lie, and what they
// make.
#include "plugin/base/error.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/small_plugin.hpp"
#include "ui/bridge/problem_report.hpp"

#include <QtTest/QtTest>

namespace problem_report_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// In no report, whatever way they came: folders, users, machines, what an image is of.
const QStringList kSecrets = {"zelda",
                              "quokka",
                              "Photos of",
                              "secret project",
                              "NASBOX",
                              "Users",
                              "home",
                              "wedding",
                              "lighthouse",
                              "storm",
                              "my cabin",
                              "D:/",
                              "media",
                              "geheim",
                              "秘密"};

/// "§" is where the user's files lie.
QString homed(QString text) {
    return text.replace(QChar(0xA7), QStringLiteral("/%1/zelda").arg("home"));
}

std::string homedText(const char* text) {
    return homed(QString::fromUtf8(text)).toStdString();
}

const QString kHost = "quokka";
const QString kUser = "zelda";

Redactor::Known machine() {
    Redactor::Known known;
    known.addFolder(homed("§"));
    known.words = {{kHost, "<host>"}, {kUser, "<user>"}};
    return known;
}

/// Texts with a path or a name, as logs, issues and reports have them.
const QStringList kSentences = {
    "§/models/xl.safetensors was not found",
    "[load] \"§/Photos of wedding/a b.png\" cannot be read: no such file",
    "cannot write /media/zelda/secret project/out 1.png, the disk is full",
    "the folder /media/zelda/secret project is not there",
    "moved /media/secret project/a.png to /media/wedding/b.png",
    R"(C:\Users\Zelda\Pictures\wedding.png is locked)",
    R"(D:/secret project/wedding photos/IMG 1.jpeg, D:\geheim)",
    R"(\\NASBOX\Photos of zelda\model.safetensors is gone)",
    "//NASBOX/wedding/model.ckpt",
    "file://§/Photos%20of%20wedding/x.png",
    "file://quokka§/x.png and file:///D:/secret%20project/y.png",
    "~/secret project/x.json",
    "~zelda/wedding/x.json",
    "../wedding/secret project/x.png",
    "wedding/storm.png has no alpha",
    "\"wedding of zelda.png\" is no PNG",
    "wedding_storm.webp: unknown size",
    "§",
    "/media/秘密/图片.png",
    "zelda@quokka: started; ZELDA",
    "(§/secret project/x.yaml)",
    "path=§/wedding, device=cuda:0",
    "'/media/o'brien secret project/x.txt'",
    "the prompt \"a lighthouse in a sto...\" is too long",
    "no text may contain a lighthouse in a storm",
};

KnownTypes types() {
    KnownTypes known;
    for (const NodeDesc& desc : smallNodes()) {
        known.emplace(desc.id, desc);
    }
    return known;
}

graph::Document fullGraph() {
    graph::Document document;
    graph::DocumentNode load{.type = "load.checkpoint"};
    load.params = {{"checkpoint", homedText("§/secret project/xl.safetensors")}};
    load.title = "zelda's wedding model";
    graph::DocumentNode encode{.type = "prompt.encode"};
    encode.params = {{"prompt", "a lighthouse in a storm, by zelda"}, {"negative", "my cabin"}};
    graph::DocumentNode other{.type = "some.unknown"};
    other.params = {{"text", "wedding storm"}, {"list", {"wedding"}}, {"count", 3}};
    graph::DocumentNode image{.type = "load.image"};
    image.params = {{"image", R"(C:\Users\zelda\wedding.png)"}};
    image.extra = {{"comment", "wedding"}};
    document.nodes = {
        {"load", load}, {"wedding_prompt", encode}, {"lighthouse", other}, {"load_image_2", image}};
    document.links.push_back({{"load", "model"}, {"wedding_prompt", "model"}});
    document.notes = {{{"text", "for the wedding of zelda"}}};
    document.frames = {{{"title", "secret project"}}};
    document.exposed = {{.node = "wedding_prompt", .param = "prompt", .label = "wedding words"}};
    document.extra = {{"author", "zelda"}};
    document.memoryBudget = "6GiB";
    return document;
}

ReportFacts fullFacts() {
    ReportFacts facts;
    facts.system = {{"lowtide", "0.1"}, {"host", kHost.toStdString()}};
    facts.document = fullGraph();
    facts.types = types();
    facts.folders = {"/media/secret project", "D:/geheim"};
    facts.options = {{"device", "cuda:0"},
                     {"graphFolder", homedText("§/wedding")},
                     {"outputFolder", "/media/secret project"}};
    facts.report = {{"status", "failed"},
                    {"files", {{{"path", "/media/secret project/storm of zelda.png"}}}},
                    {"timeline", {"wedding"}},
                    {"issues", Json::array()}};
    facts.plan = {{"stages", {{{"node", "wedding_prompt"}, {"needed", 42}}}},
                  {"wedding_prompt", {{"peak", 7}}}};
    for (const QString& each : kSentences) {
        const QString sentence = homed(each);
        facts.log.push_back({Level::Info, LogOrigin::Engine, 1, sentence});
        facts.issues.push_back({.code = "test",
                                .node = "wedding_prompt",
                                .message = Message(sentence.toStdString()),
                                .hint = Message(sentence.toStdString())});
        facts.report["issues"].push_back({{"message", sentence.toStdString()}});
        facts.report["by"][sentence.toStdString()] = 1;
        facts.plan["notes"].push_back(sentence.toStdString());
    }
    facts.log.push_back(
        {Level::Info, LogOrigin::Engine, 1, "storm of zelda.png is written by lighthouse"});
    facts.description = homed("I opened §/secret project/x.json on quokka");
    return facts;
}

QStringList leaksIn(const QString& text) {
    QStringList leaks;
    for (const QString& secret : kSecrets) {
        const qsizetype at = text.indexOf(secret, 0, Qt::CaseInsensitive);
        if (at >= 0) {
            leaks << text.mid(std::max<qsizetype>(0, at - 30), 80).simplified();
        }
    }
    return leaks;
}

QString textOf(const Json& json) {
    return QString::fromStdString(json.dump(1));
}

}  // namespace

class ProblemReportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void reportsNoSecret() {
        const Json report = problemReport(fullFacts(), {}, machine());
        const QStringList leaks = leaksIn(textOf(report));
        QVERIFY2(leaks.isEmpty(), qPrintable(leaks.join("\n")));
    }

    void reportsNoPathEvenOfSentencesAlone_data() {
        QTest::addColumn<QString>("sentence");
        for (const QString& sentence : kSentences.mid(0, kSentences.size() - 2)) {
            QTest::newRow(qPrintable(sentence)) << homed(sentence);
        }
    }

    void reportsNoPathEvenOfSentencesAlone() {
        QFETCH(QString, sentence);
        const QString scrubbed = Redactor(machine()).scrubbed(sentence);
        QVERIFY2(leaksIn(scrubbed).isEmpty(), qPrintable(scrubbed));
        QCOMPARE(Redactor(machine()).scrubbed(scrubbed), scrubbed);  // twice is once
    }

    void keepsWhatHelps_data() {
        QTest::addColumn<QString>("sentence");
        QTest::addColumn<QString>("kept");
        const auto row = [](const char* sentence, const char* kept) {
            QTest::newRow(sentence) << homed(sentence) << kept;
        };
        row("§/models/xl.safetensors was not found", "<path>/xl.safetensors was not found");
        row("denoise needs 13.7 MiB: 8.1 MiB of other values",
            "denoise needs 13.7 MiB: 8.1 MiB of other values");
        row("3.2 it/s, 11 GiB/s, 3/4 done", "3.2 it/s, 11 GiB/s, 3/4 done");
        row("cuda:0 has 8 GiB; cuDNN 9.1", "cuda:0 has 8 GiB; cuDNN 9.1");
        row("(§/a b.safetensors) is cut off", "(<path>/a b.safetensors) is cut off");
        row("2026-11-28 03:12:45.120  info  engine  ok",
            "2026-11-28 03:12:45.120  info  engine  ok");
    }

    void keepsWhatHelps() {
        QFETCH(QString, sentence);
        QFETCH(QString, kept);
        QCOMPARE(Redactor(machine()).scrubbed(sentence), kept);
    }

    void theGraphKeepsItsShapeAndNumbers() {
        const Json graph = problemReport(fullFacts(), {}, machine())["graph"];
        const Json& nodes = graph["nodes"];
        QVERIFY2(nodes.contains("encode_prompt"), qPrintable(textOf(graph)));
        QCOMPARE(nodes["load"]["params"]["checkpoint"].get<std::string>(), "<path>/xl.safetensors");
        QCOMPARE(nodes["encode_prompt"]["params"]["prompt"].get<std::string>(),
                 "<text, 33 characters>");
        QCOMPARE(graph["links"][0].get<std::string>(), "load.model -> encode_prompt.model");
        QCOMPARE(graph["memory_budget"].get<std::string>(), "6GiB");
        QVERIFY(nodes.contains("load_image_2"));
        QVERIFY2(textOf(nodes).contains("\"count\": 3"), qPrintable(textOf(nodes)));
    }

    void thePlanNamesNodesAsTheGraphDoes() {
        const Json report = problemReport(fullFacts(), {}, machine());
        QCOMPARE(report["plan"]["stages"][0]["node"].get<std::string>(), "encode_prompt");
        QCOMPARE(report["plan"]["stages"][0]["needed"].get<int>(), 42);
        QVERIFY(report["plan"].contains("encode_prompt"));
    }

    void promptsComeWhereTheyAreTicked_stillWithoutPathsAndNames() {
        ReportFacts facts = fullFacts();
        facts.document.nodes["wedding_prompt"].params["prompt"] =
            homedText("a red boat, like §/Photos of/x.png on quokka");
        const Json graph = problemReport(facts, {.hasTexts = true}, machine())["graph"];
        const QString prompt = QString::fromStdString(
            graph["nodes"]["encode_prompt"]["params"]["prompt"].get<std::string>());
        QVERIFY2(prompt.startsWith("a red boat, like <path>/file-"), qPrintable(prompt));
        QVERIFY2(prompt.endsWith(" on <host>"), qPrintable(prompt));
    }

    void leavesOutWhatIsNotChosen() {
        const Json report =
            problemReport(fullFacts(),
                          {.hasGraph = false, .hasPlan = false, .hasRun = false, .hasLog = false},
                          machine());
        for (const char* part : {"graph", "plan", "issues", "last_run", "options", "log"}) {
            QVERIFY2(!report.contains(part), part);
        }
        QVERIFY(report.contains("system"));
    }

    /// A prompt of one usual word takes no key of the report's own along.
    void keepsItsOwnKeys() {
        ReportFacts facts = fullFacts();
        facts.document.nodes["wedding_prompt"].params["prompt"] = "lowtide";
        facts.document.nodes["wedding_prompt"].params["negative"] = "system";
        const Json report = problemReport(facts, {}, machine());
        QVERIFY(report.contains("lowtide_report") && report.contains("system"));
        QVERIFY(report["system"].contains("lowtide"));
    }

    void isMadeOfNothingToo() {
        const Json report = problemReport({}, {}, machine());
        QCOMPARE(report["graph"]["nodes"], Json::object());
        QVERIFY(!report.contains("last_run"));
    }

    /// With every list full: no one waits for it, but no one waits for minutes either.
    void isMadeWithinSeconds() {
        ReportFacts facts = fullFacts();
        for (int i = 0; i < 2000; ++i) {
            facts.plan["stays"].push_back({{"group", "denoiser.block_" + std::to_string(i)},
                                           {"file", homedText("§/m") + std::to_string(i)}});
        }
        QElapsedTimer timer;
        timer.start();
        static_cast<void>(problemReport(facts, {}, machine()));
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    }
};

LOWTIDE_TEST(ProblemReportTest)

}  // namespace problem_report_test

#include "problem_report_test.moc"
