// Earlier prompts and own words, from the graphs that were run.

#include "plugin/graph/document.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/bridge/past_prompts.hpp"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace past_prompts_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kManyMilliseconds = 5000;  ///< ten times what a thousand graphs take

graph::Catalog encodeCatalog() {
    const auto text = [](const char* id, bool multiline) {
        return ParamDesc{.id = id,
                         .label = id,
                         .kind = ParamKind::Text,
                         .defaultValue = std::string(),
                         .multiline = multiline};
    };
    return graph::Catalog({{.id = "prompt.encode",
                            .label = "Encode",
                            .params = {text("prompt", true), text("negative", true)}},
                           {.id = "save", .label = "Save", .params = {text("prefix", false)}}});
}

std::string graphWith(const std::string& prompt, const std::string& negative = {}) {
    graph::Document document;
    document.nodes["e"] = {.type = "prompt.encode",
                           .params = {{"prompt", prompt}, {"negative", negative}}};
    document.nodes["s"] = {.type = "save", .params = {{"prefix", "a line"}}};
    return graph::toText(document);
}

QStringList textsOf(const PastPrompts& prompts) {
    QStringList texts;
    for (const PastPrompt& prompt : prompts) {
        texts << QString::fromStdString(prompt.param) + ": " + prompt.text;
    }
    return texts;
}

QStringList wordsOf(const std::vector<OwnPhrase>& phrases) {
    QStringList words;
    for (const OwnPhrase& phrase : phrases) {
        words << phrase.text;
    }
    return words;
}

RunRecord recordOf(const char* key, const std::string& graph, int64_t asked) {
    return {.key = QString::fromLatin1(key),
            .title = "t",
            .graph = graph,
            .options = "{}",
            .words = {},
            .asked = asked};
}

}  // namespace

class PastPromptsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theNewestGraphsComeFirst_eachOnce() {
        const QTemporaryDir folder;
        RunStore store(folder.filePath("runs.sqlite"));
        store.add({recordOf("a", graphWith("old"), 10)});
        store.add({recordOf("b", graphWith("new"), 20)});
        store.add({recordOf("c", graphWith("old"), 30)});

        const auto graphs = store.recentGraphs(10);

        QCOMPARE(graphs.size(), size_t{2});
        QCOMPARE(graphs[0].text, graphWith("old"));
        QCOMPARE(graphs[0].asked, int64_t{30});
        QCOMPARE(graphs[0].runs, int64_t{2});
        QCOMPARE(graphs[1].text, graphWith("new"));
        QCOMPARE(store.recentGraphs(1).size(), size_t{1});
    }

    void promptsAreTextsOfSeveralLines() {
        const graph::Catalog catalog = encodeCatalog();
        const PastPrompts prompts = pastPrompts({{graphWith("a cat", "dark"), 30, 1},
                                                 {"no graph", 25, 1},
                                                 {graphWith("a dog", "dark"), 20, 3},
                                                 {graphWith("  ", ""), 10, 1}},
                                                catalog);
        QCOMPARE(textsOf(prompts),
                 (QStringList{"prompt: a cat", "negative: dark", "prompt: a dog"}));
        QCOMPARE(prompts[1].runs, int64_t{4});
        QCOMPARE(prompts[1].asked, int64_t{30});
        QCOMPARE(prompts[0].nodeType, std::string("prompt.encode"));
    }

    void phrasesAreRankedByUse() {
        const auto own =
            phrasesOf({{.text = "oil painting, (lighthouse:1.2), at 4K", .runs = 2},
                       {.text = QString::fromUtf8("Oil painting of été, lighthouse"), .runs = 3}});
        const QStringList words = wordsOf(own);

        QCOMPARE(own[0].uses, int64_t{5});
        QVERIFY(words.indexOf("oil") >= 0 && words.indexOf("oil") < words.indexOf("oil painting"));
        QVERIFY(words.contains("oil painting"));
        QVERIFY(words.contains(QString::fromUtf8("Oil painting of été")));
        QVERIFY(words.contains(QString::fromUtf8("été")));
        QVERIFY(words.contains("lighthouse"));
        QVERIFY(!words.contains("of") && !words.contains("at") && !words.contains("1.2"));
        QCOMPARE(words.filter("lighthouse").size(), 1);
    }

    void aThousandLongPromptsAreReadInTime() {
        PastPrompts prompts;
        for (int i = 0; i < 1000; ++i) {
            QString text;
            for (int word = 0; word < 100; ++word) {
                text += QString("word%1 of%2, ").arg(i).arg(word);
            }
            prompts.push_back({.text = text, .runs = 1});
        }
        QElapsedTimer clock;
        clock.start();

        const auto own = phrasesOf(prompts);

        QVERIFY(own.size() <= 20000);
        QVERIFY2(clock.elapsed() < kManyMilliseconds, qPrintable(QString::number(clock.elapsed())));
    }
};

LOWTIDE_TEST(PastPromptsTest)

}  // namespace past_prompts_test

#include "past_prompts_test.moc"
