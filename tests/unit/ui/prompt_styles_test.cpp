// Styles of prompts, and graphs with drawn texts.

#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/prompts/prompt_choices.hpp"
#include "ui/prompts/prompt_styles.hpp"
#include "ui/prompts/resolved_graph.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace prompt_styles_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

const graph::Catalog& promptCatalog() {
    static const graph::Catalog catalog({{.id = "prompt.encode",
                                          .label = "Encode",
                                          .params = {{.id = "prompt",
                                                      .label = "Prompt",
                                                      .kind = ParamKind::Text,
                                                      .defaultValue = std::string(),
                                                      .multiline = true},
                                                     {.id = "negative",
                                                      .label = "Negative",
                                                      .kind = ParamKind::Text,
                                                      .defaultValue = std::string(),
                                                      .multiline = true},
                                                     {.id = "name",
                                                      .label = "Name",
                                                      .kind = ParamKind::Text,
                                                      .defaultValue = std::string()}}},
                                         {.id = "denoise",
                                          .label = "Denoise",
                                          .params = {{.id = "seed",
                                                      .label = "Seed",
                                                      .kind = ParamKind::Seed,
                                                      .defaultValue = uint64_t{0}}}}});
    return catalog;
}

graph::Document documentWith(const std::string& prompt,
                             const std::string& negative = {},
                             uint64_t seed = 5) {
    graph::Document document;
    document.nodes["e"] = {
        .type = "prompt.encode",
        .params = {{"prompt", prompt}, {"negative", negative}, {"name", "{a|b}"}}};
    document.nodes["s"] = {.type = "denoise", .params = {{"seed", seed}}};
    return document;
}

std::string promptOf(const graph::Document& document, const char* param = "prompt") {
    return document.nodes.at("e").params.at(param).get<std::string>();
}

void writeText(const QString& path, const QByteArray& text) {
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

}  // namespace

class PromptStylesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// A1111's own cases: styles.py, apply_styles_to_prompt.
    void stylesGoAroundTexts_data() {
        QTest::addColumn<QString>("style");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("styled");
        QTest::newRow("behind") << "ink"
                                << "a cat"
                                << "a cat, ink";
        QTest::newRow("alone") << "ink"
                               << "  "
                               << "ink";
        QTest::newRow("around") << "ink of {prompt}, old"
                                << "a cat"
                                << "ink of a cat, old";
        QTest::newRow("twice") << "{prompt} {prompt}"
                               << "x"
                               << "x x";
        QTest::newRow("no style") << ""
                                  << " a cat "
                                  << " a cat ";
        QTest::newRow("text with the word") << "{prompt}!"
                                            << "{prompt}"
                                            << "{prompt}!";
    }

    void stylesGoAroundTexts() {
        QFETCH(QString, style);
        QFETCH(QString, text);
        QFETCH(QString, styled);
        QCOMPARE(QString::fromStdString(styledText(style.toStdString(), text.toStdString())),
                 styled);
    }

    void stylesComeBackFromTheirFile() {
        const std::vector<PromptStyle> styles = {{"ink", "{prompt}, \"ink\"\n", "photo"},
                                                 {"猫", "🐈", ""}};
        QCOMPARE(stylesFromJson(stylesText(styles), "styles.json"), styles);
        QVERIFY(testing::errorOf([] { (void)stylesFromJson("{}", "styles.json"); }));
        QVERIFY(testing::errorOf([] { (void)stylesFromJson("[", "styles.json"); }));
        QVERIFY(stylesFromJson(R"([1, {"prompt": "x"}, {"name": 3}])", "styles.json").empty());
    }

    void stylesOfA1111AreRead() {
        const std::string csv =
            "\xEF\xBB\xBFname,prompt,negative_prompt\r\n"
            "None,,\r\n"
            "\"Ink, old\",\"{prompt}, \"\"ink\"\"\r\nof old\",\"photo, 3d\"\r\n"
            "short\n"
            "ink,a,b\nink,c,d";
        const std::vector<PromptStyle> styles = stylesFromCsv(csv, "styles.csv");
        const std::vector<PromptStyle> expected = {
            {"None", "", ""},
            {"Ink, old", "{prompt}, \"ink\"\r\nof old", "photo, 3d"},
            {"short", "", ""},
            {"ink", "c", "d"}};
        QCOMPARE(styles, expected);
    }

    void damagedStylesAreRefusedWithTheLine() {
        const auto open = testing::errorOf(
            [] { (void)stylesFromCsv("name,prompt\na,b\nc,\"never", "styles.csv"); });
        QVERIFY(open && open->message().str().find("line 3") != std::string::npos);
        const auto columns =
            testing::errorOf([] { (void)stylesFromCsv("a,b\n1,2", "styles.csv"); });
        QVERIFY(columns && columns->message().str().find("\"name\"") != std::string::npos);
        QVERIFY(testing::errorOf([] { (void)stylesFromCsv("name\n\xff", "styles.csv"); }));
    }

    void wildcardsAreTheLinesOfFiles() {
        const QTemporaryDir folder;
        writeText(folder.filePath("hair.txt"), "\xEF\xBB\xBF# of the head\r\n red \r\n\r\nblond\n");
        writeText(folder.filePath("roles/jobs.txt"), "baker\n#no\nsailor");
        writeText(folder.filePath("notes.md"), "x");
        writeText(folder.filePath("bad.txt"), "\xff\xfe");
        writeText(folder.filePath("_odd_.txt"), "x");

        const WildcardFiles read = readWildcards(folder.path().toStdString());

        const Wildcards expected = {{"hair", {"red", "blond"}},
                                    {"roles/jobs", {"baker", "sailor"}}};
        QCOMPARE(read.lists, expected);
        QCOMPARE(read.problems.size(), size_t{2});
        QVERIFY(readWildcards(folder.filePath("not there").toStdString()).lists.empty());
    }

    void promptsOfActiveNodesAreDrawnByTheSeedOfTheRun() {
        std::set<std::string> drawn;
        for (uint64_t seed = 0; seed < 40; ++seed) {
            graph::Document document = documentWith("a {b|c|d}", "{x|y}", seed);
            graph::Document again = document;
            QVERIFY(resolvePrompts(document, promptCatalog(), {}).empty());
            QVERIFY(resolvePrompts(again, promptCatalog(), {}).empty());
            QCOMPARE(graph::toText(document), graph::toText(again));
            drawn.insert(promptOf(document) + promptOf(document, "negative"));
            QCOMPARE(promptOf(document, "name"), std::string("{a|b}"));  // one line: no prompt
        }
        QCOMPARE(drawn.size(), size_t{6});  // the two texts draw apart
    }

    void mutedNodesAreLeftAlone() {
        graph::Document document = documentWith("{a|__gone__}");
        document.nodes["e"].mode = graph::NodeMode::Muted;
        const std::string before = graph::toText(document);

        QVERIFY(resolvePrompts(document, promptCatalog(), {}).empty());
        QCOMPARE(graph::toText(document), before);
    }

    void whatCannotBeDrawnNamesItsPosition() {
        graph::Document document = documentWith("fine", "__gone__");

        const Issues issues = resolvePrompts(document, promptCatalog(), {});

        QCOMPARE(issues.size(), size_t{1});
        QCOMPARE(issues[0].node, std::string("e"));
        QCOMPARE(issues[0].item, std::string("negative"));
        QVERIFY(issues[0].severity == Severity::Error);
        QVERIFY(issues[0].message.str().find("\"gone\"") != std::string::npos);
        QCOMPARE(promptOf(document, "negative"), std::string("__gone__"));
    }

    void everyCombinationIsAGraph() {
        const graph::Document document = documentWith("{a|b|c}", "{x|y}");
        Issues issues;
        const ui::Wildcards none;
        PromptCombinations combinations(document, promptCatalog(), none);
        const uint64_t count = combinations.count(issues);
        QCOMPARE(count, uint64_t{6});
        QVERIFY(issues.empty());
        std::set<std::string> all;
        for (uint64_t i = 0; i < count; ++i) {
            graph::Document one = document;
            combinations.put(one, i);
            all.insert(promptOf(one) + promptOf(one, "negative"));
        }
        QCOMPARE(all, (std::set<std::string>{"ax", "ay", "bx", "by", "cx", "cy"}));
    }

    void theSeedOfTheRunIsTheFirstOne() {
        graph::Document document = documentWith("x", "", 9);
        QCOMPARE(runSeed(document, promptCatalog()), uint64_t{9});
        document.nodes["s"].params["seed"] = "no number";
        QCOMPARE(runSeed(document, promptCatalog()), uint64_t{0});
        document.nodes.erase("s");
        QCOMPARE(runSeed(document, promptCatalog()), uint64_t{0});
    }
};

LOWTIDE_TEST(PromptStylesTest)

}  // namespace prompt_styles_test

#include "prompt_styles_test.moc"
