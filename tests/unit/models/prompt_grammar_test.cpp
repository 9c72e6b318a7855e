// The grammars of weighted prompts and the cutting into chunks.

#include "plugin/text/comfyui_prompt.hpp"
#include "plugin/text/prompt_chunks.hpp"
#include "plugin/text/prompt_syntax.hpp"
#include "plugin/text/prompt_weights.hpp"
#include "plugin/text/tokenizer_files.hpp"
#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <cmath>
#include <memory>
#include <random>

namespace prompt_grammar_test {

using namespace lowtide;
using models::PromptChunk;
using models::WeightedPart;
using models::WeightedTokens;

namespace {

constexpr double kRounding = 1e-12;

/// What a row expects: text and weight; BREAK has the weight kBreak.
struct Wanted {
    QString text;
    double weight = 1;
};

constexpr double kBreak = -1;
using WantedParts = QList<Wanted>;

Wanted breakHere() {
    return {"", kBreak};
}

/// Empty when the parts are those that are wanted.
QString difference(const std::vector<WeightedPart>& parts, const WantedParts& wanted) {
    QString seen;
    bool same = static_cast<size_t>(wanted.size()) == parts.size();
    for (size_t i = 0; i < parts.size(); ++i) {
        const WeightedPart& part = parts[i];
        seen += part.isBreak
                    ? QString("BREAK ")
                    : QString("\"%1\" %2 ").arg(QString::fromStdString(part.text)).arg(part.weight);
        if (!same) {
            continue;
        }
        const Wanted& row = wanted[static_cast<qsizetype>(i)];
        same = part.isBreak ? row.weight == kBreak
                            : QString::fromStdString(part.text) == row.text &&
                                  std::abs(part.weight - row.weight) < kRounding;
    }
    return same ? QString() : seen;
}

/// Bytes that mean something, bytes that do not, and bytes that are no text at all.
std::string oddText(std::mt19937& random) {
    static const std::vector<std::string> pieces = {
        "(",     ")",     "[",        "]",        "\\",
        ":",     ":1.3)", ":9e9)",    "1.2.3",    "999999999999999999999999999",
        "BREAK", " ",     "\n",       "a",        "cat",
        "\"",    "+",     "--",       ".attend(", ".blend(",
        ",",     ".",     "\xff\xfe", "\xc3",     std::string(1, '\0'),
        "(((",   ")))",   "1.1",      "useLora(x"};
    std::string text;
    const size_t count = random() % 40;
    for (size_t i = 0; i < count; ++i) {
        text += pieces[random() % pieces.size()];
    }
    return text;
}

bool areSane(const std::vector<WeightedPart>& parts, size_t bytes) {
    size_t length = 0;
    for (const WeightedPart& part : parts) {
        length += part.text.size();
        if (!std::isfinite(part.weight)) {
            return false;
        }
    }
    // Compel puts a space between joined words.
    return !parts.empty() && length <= 2 * bytes + 1;
}

std::vector<models::PromptToken> tokensFrom(const std::vector<models::TokenId>& ids) {
    std::vector<models::PromptToken> tokens;
    for (const models::TokenId id : ids) {
        tokens.push_back({.id = id});
    }
    return tokens;
}

std::vector<WeightedTokens> onePart(const std::vector<models::TokenId>& ids) {
    return {{.tokens = tokensFrom(ids)}};
}

/// An embedding of `count` vectors, with ids from 1000 on.
models::PromptToken vectorsOf(int64_t count) {
    return {.id = 1000,
            .vectors = std::make_shared<const models::TokenVectors>(models::TokenVectors{
                .width = 1, .values = std::vector<float>(static_cast<size_t>(count), 0.5F)})};
}

/// Space for four tokens; 9 is the comma, 100 begin, 101 end, 102 padding.
models::ChunkRules smallRules(int64_t reach) {
    return {.length = 6, .begin = 100, .end = 101, .padding = 102, .comma = 9, .commaReach = reach};
}

QList<QList<qint64>> idsOf(const std::vector<PromptChunk>& chunks) {
    QList<QList<qint64>> all;
    for (const PromptChunk& chunk : chunks) {
        all.push_back(QList<qint64>(chunk.ids.begin(), chunk.ids.end()));
    }
    return all;
}

}  // namespace

/// Tables after the documentation of A1111 and Compel; odd text; time.
class PromptGrammarTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void a1111_data() {
        const testing::Rows<QString, WantedParts> add("text", "wanted");
        const auto row = [&](const char* text, const WantedParts& wanted) {
            add(*text ? text : "nothing", QString(text), wanted);
        };
        const double square = 1 / 1.1;
        row("", {{""}});
        row("normal text", {{"normal text"}});
        row("an (important) word", {{"an "}, {"important", 1.1}, {" word"}});
        row("(unbalanced", {{"unbalanced", 1.1}});
        row("unbalanced) and]", {{"unbalanced) and]"}});
        row("\\(literal\\]", {{"(literal]"}});
        row("\\\\ back\\slash", {{"\\ backslash"}});
        row("(unnecessary)(parens)", {{"unnecessaryparens", 1.1}});
        row("a (((house:1.3)] [on] a (hill:0.5), sun, (((sky).",
            {{"a "},
             {"house", 1.3 * 1.1 * 1.1},
             {"] ", 1.21},
             {"on", 1.21 * square},
             {" a ", 1.21},
             {"hill", 0.5 * 1.21},
             {", sun, ", 1.21},
             {"sky", 1.21 * 1.331},
             {".", 1.21 * 1.21}});
        row("[dark [night]]", {{"dark ", square}, {"night", square * square}});
        row("(a [b)c] d", {{"a ", 1.1}, {"b", 1.1 * square}, {"c", square}, {" d"}});
        row("(x:-0.5) (y : +2 )", {{"x", -0.5}, {" "}, {"y ", 2}});
        row("a:b (c:1.2.3) (d:.)", {{"a:b "}, {"c:1.2.3", 1.1}, {" "}, {"d:.", 1.1}});
        row(":1.3) no bracket", {{":1.3) no bracket"}});
        row("a cat BREAK a dog", {{"a cat"}, breakHere(), {"a dog"}});
        row("BREAK", {{""}, breakHere(), {""}});
        row("aBREAK BREAKb BREAK_c", {{"aBREAK BREAKb BREAK_c"}});
        row("(a BREAK b:1.2)", {{"a", 1.2}, breakHere(), {"b", 1.2}});
        row("[a:b:0.5] AND c", {{"a:b:0.5", square}, {" AND c"}});
    }

    void a1111() {
        QFETCH(QString, text);
        QFETCH(WantedParts, wanted);
        QCOMPARE(difference(models::parseA1111Prompt(text.toStdString()), wanted), QString());
    }

    void compel_data() {
        const testing::Rows<QString, WantedParts> add("text", "wanted");
        const auto row = [&](const char* text, const WantedParts& wanted) {
            add(*text ? text : "nothing", QString(text), wanted);
        };
        row("", {{""}});
        row("a cat++ on a mat--", {{"a"}, {"cat", 1.21}, {"on a"}, {"mat", 0.81}});
        row("(a red cat)1.3, sitting", {{"a red cat", 1.3}, {", sitting"}});
        row("((a b)+ c)0.5", {{"a b", 0.55}, {"c", 0.5}});
        row("\"blue sphere\"++ x", {{"blue sphere", 1.21}, {"x"}});
        row("(cat).attend(1.5) dog.attend(--)", {{"cat", 1.5}, {"dog", 0.81}});
        row("well-known a+b c\\+\\+ 3-4", {{"well-known a+b c++ 3-4"}});
        row("(plain) (brackets)", {{"plain brackets"}});
        row("(cat) 1.3", {{"cat 1.3"}});
        row("foo(bar) \\(x\\)", {{"foo(bar) (x)"}});
        row("(unbalanced \"quote", {{"(unbalanced \"quote"}});
        row("unbalanced)2", {{"unbalanced)2"}});
    }

    void compel() {
        QFETCH(QString, text);
        QFETCH(WantedParts, wanted);
        const models::CompelPrompt prompt = models::parseCompelPrompt(text.toStdString());
        QCOMPARE(QString::fromStdString(prompt.unsupported), QString());
        QCOMPARE(difference(prompt.parts, wanted), QString());
    }

    void operatorsThatAreNotBuiltAreNamed_data() {
        const testing::Rows<QString, QString> row("text", "name");
        row("blend", "(\"a\", \"b\").blend(0.7, 0.3)", ".blend");
        row("and", "x (\"a\", \"b\").and()", ".and");
        row("add", "(a, b).add(1, 2)", ".add");
        row("swap of a word", "a cat.swap(dog)", ".swap");
        row("swap of words", "(a cat).swap(dog)", ".swap");
        row("lora", "a cat withLora(x, 1)", "withLora");
    }

    void operatorsThatAreNotBuiltAreNamed() {
        QFETCH(QString, text);
        QFETCH(QString, name);
        QCOMPARE(QString::fromStdString(models::parseCompelPrompt(text.toStdString()).unsupported),
                 name);
    }

    void oddTextIsTaken() {
        std::mt19937 random(1);
        for (int i = 0; i < 20000; ++i) {
            const std::string text = oddText(random);
            QVERIFY2(areSane(models::parseA1111Prompt(text), text.size()), text.c_str());
            QVERIFY2(areSane(models::parseCompelPrompt(text).parts, text.size()), text.c_str());
            size_t length = 0;
            for (const WeightedPart& part : models::parseComfyUiPrompt(text)) {
                QVERIFY2(!part.text.empty(), text.c_str());
                length += part.text.size();
            }
            QVERIFY2(length <= text.size(), text.c_str());
        }
    }

    void timeIsLinear_data() {
        QTest::addColumn<QString>("piece");
        for (const char* piece : {"(",
                                  "(a",
                                  "a)",
                                  "((a:1.1) ",
                                  "[(",
                                  ":",
                                  ": 1.1",
                                  ":\xEF\xBC\x91",
                                  ":1)",
                                  "\\",
                                  "BREAK ",
                                  "\"",
                                  "\"(",
                                  "(\"",
                                  "a+",
                                  "(a)+",
                                  "word ",
                                  ".attend("}) {
            QTest::newRow(piece) << piece;
        }
    }

    void timeIsLinear() {
        QFETCH(QString, piece);
        constexpr qsizetype kBytes = 1 << 20;
        constexpr double kMostMilliseconds = 5000;  // up to 0.4 s; squares would take hours
        const std::string text = piece.repeated(kBytes / piece.size()).toStdString();
        const testing::CpuTimer timer;
        (void)models::parseA1111Prompt(text);
        (void)models::parseCompelPrompt(text);
        (void)models::parseComfyUiPrompt(text);
        (void)models::parseComfyUiPrompt(std::string(64, '(') + text + std::string(64, ')'));
        QVERIFY2(timer.milliseconds() < kMostMilliseconds,
                 qPrintable(QString::number(timer.milliseconds())));
    }

    void specialTokensAreFoundInLinearTime() {
        const std::vector<models::SpecialToken> specials = {{.content = "<|startoftext|>"},
                                                            {.content = "<|endoftext|>"}};
        std::string text;
        for (int i = 0; i < 100'000; ++i) {
            text += "<|startoftext|>a";
        }
        const testing::CpuTimer timer;
        const auto parts = models::cutAtSpecials(text, specials, false);
        QCOMPARE(parts.size(), size_t{200'000});
        QVERIFY(parts[0].token && !parts[1].token && parts[1].text == "a");
        QVERIFY2(timer.milliseconds() < 2000, qPrintable(QString::number(timer.milliseconds())));
    }

    void unreadSyntaxIsFound_data() {
        const testing::Rows<QString, QStringList, QStringList> add("text", "none", "a1111");
        const auto row = [&](const char* text, const QStringList& none, const QStringList& a1111) {
            add(text, QString(text), none, a1111);
        };
        row("a cat (sitting) at 12:30, [sic]", {}, {});
        row("a (red fox: 1.2 ) and (b:1)", {"(red fox: 1.2 )"}, {});
        row("((a:1.2):0.5)", {"(a:1.2)"}, {});
        row("\\(x:1.2\\) is text", {}, {});
        row("(ratio 3:4, wide)", {}, {});
        row("a BREAK b", {"BREAK"}, {});
        row("BREAKFAST", {}, {});
        row("a [cat:dog:0.5]", {"[cat:dog:0.5]"}, {"[cat:dog:0.5]"});
        row("[in forest:8]", {"[in forest:8]"}, {"[in forest:8]"});
        row("[(a:1.1):b:0.5]", {"(a:1.1)", "[(a:1.1):b:0.5]"}, {"[(a:1.1):b:0.5]"});
        row("[cow|horse]", {"[cow|horse]"}, {"[cow|horse]"});
        row("a|b", {}, {});
        row("a cat AND a dog", {"AND"}, {"AND"});
        row("SALT and SAND AND", {"AND"}, {"AND"});
        row("BRAND new", {}, {});
        row("<lora:pony v6:0.8> a", {"<lora:pony v6:0.8>"}, {"<lora:pony v6:0.8>"});
        row("a <lora:pony", {"<lora:"}, {"<lora:"});
        row(")]:1) \\", {}, {});
    }

    void unreadSyntaxIsFound() {
        QFETCH(QString, text);
        QFETCH(QStringList, none);
        QFETCH(QStringList, a1111);
        const auto found = [&](models::PromptWeights weights) {
            QStringList written;
            for (const auto& syntax : models::unreadSyntax(text.toStdString(), weights)) {
                written.push_back(QString::fromStdString(syntax.written));
            }
            return written;
        };
        QCOMPARE(found(models::PromptWeights::None), none);
        QCOMPARE(found(models::PromptWeights::Compel), none);
        QCOMPARE(found(models::PromptWeights::A1111), a1111);
    }

    void comfyUiReadsNumbersAndNoBreaks() {
        QStringList written;
        for (const auto& syntax : models::unreadSyntax("(fox:1.2) BREAK [a:b:0.5] AND c",
                                                       models::PromptWeights::ComfyUi)) {
            written.push_back(QString::fromStdString(syntax.written));
        }
        QCOMPARE(written, QStringList({"BREAK", "[a:b:0.5]", "AND"}));
    }

    /// Of a model that reads ComfyUI's weights alone, and of one that reads none.
    void whatAModelDoesNotReadIsFound() {
        using models::PromptWeights;
        using models::WeightsRead;
        const auto hintsOf = [](PromptWeights weights, WeightsRead read) {
            QStringList hints;
            for (const auto& syntax : models::unreadSyntax("(fox:1.2) BREAK", weights, read)) {
                hints.push_back(QString::fromStdString(syntax.written + ": " + syntax.hint.str()));
            }
            return hints;
        };
        const QString leaveOut = "leave it out, and describe in words what counts more";
        QCOMPARE(hintsOf(PromptWeights::ComfyUi, WeightsRead::ComfyUi),
                 QStringList({"BREAK: " + leaveOut}));
        QCOMPARE(hintsOf(PromptWeights::A1111, WeightsRead::ComfyUi),
                 QStringList({"(fox:1.2): choose the weights comfyui, which read it",
                              "BREAK: " + leaveOut}));
        QCOMPARE(hintsOf(PromptWeights::ComfyUi, WeightsRead::None),
                 QStringList({"(fox:1.2): " + leaveOut, "BREAK: " + leaveOut}));
    }

    void unreadSyntaxIsFoundInLinearTime() {
        std::string text;
        for (int i = 0; i < 200'000; ++i) {
            text += "([:1";
        }
        const testing::CpuTimer timer;
        QVERIFY(models::unreadSyntax(text, models::PromptWeights::None).empty());
        QVERIFY2(timer.milliseconds() < 2000, qPrintable(QString::number(timer.milliseconds())));
    }

    void chunksAreCut_data() {
        QTest::addColumn<QList<qint64>>("tokens");
        QTest::addColumn<qint64>("reach");
        QTest::addColumn<QList<QList<qint64>>>("wanted");
        using Ids = QList<qint64>;
        using Chunks = QList<Ids>;
        QTest::newRow("nothing") << Ids{} << qint64{2} << Chunks{{100, 101, 102, 102, 102, 102}};
        QTest::newRow("full") << Ids{1, 2, 3, 4} << qint64{2} << Chunks{{100, 1, 2, 3, 4, 101}};
        QTest::newRow("one more") << Ids{1, 2, 3, 4, 5} << qint64{2}
                                  << Chunks{{100, 1, 2, 3, 4, 101}, {100, 5, 101, 102, 102, 102}};
        QTest::newRow("behind the comma")
            << Ids{1, 2, 9, 4, 5} << qint64{2}
            << Chunks{{100, 1, 2, 9, 101, 102}, {100, 4, 5, 101, 102, 102}};
        QTest::newRow("comma out of reach")
            << Ids{1, 9, 3, 4, 5} << qint64{2}
            << Chunks{{100, 1, 9, 3, 4, 101}, {100, 5, 101, 102, 102, 102}};
        QTest::newRow("commas do not count")
            << Ids{1, 2, 9, 4, 5} << qint64{0}
            << Chunks{{100, 1, 2, 9, 4, 101}, {100, 5, 101, 102, 102, 102}};
        QTest::newRow("a comma where it is full")
            << Ids{1, 2, 9, 4, 9, 6} << qint64{2}
            << Chunks{{100, 1, 2, 9, 4, 101}, {100, 9, 6, 101, 102, 102}};
    }

    void chunksAreCut() {
        QFETCH(QList<qint64>, tokens);
        QFETCH(qint64, reach);
        using Chunks = QList<QList<qint64>>;
        QFETCH(Chunks, wanted);
        const auto chunks =
            models::cutIntoChunks(onePart({tokens.begin(), tokens.end()}), smallRules(reach));
        QCOMPARE(idsOf(chunks), wanted);
    }

    void aBreakFillsTheChunk() {
        const auto chunks = models::cutIntoChunks({{.tokens = tokensFrom({1}), .weight = 0.5},
                                                   {.isBreak = true},
                                                   {.tokens = tokensFrom({2, 3}), .weight = 2}},
                                                  smallRules(2));

        QCOMPARE(idsOf(chunks),
                 (QList<QList<qint64>>{{100, 1, 101, 102, 102, 102}, {100, 2, 3, 101, 102, 102}}));
        QCOMPARE(chunks[0].weights, (std::vector<float>{1, 0.5F, 1, 1, 1, 1}));
        QCOMPARE(chunks[1].weights, (std::vector<float>{1, 2, 2, 1, 1, 1}));
        QCOMPARE(chunks[1].mask, (std::vector<int64_t>{1, 1, 1, 1, 0, 0}));
        QCOMPARE(chunks[1].parts, (std::vector<int64_t>{-1, 2, 2, -1, -1, -1}));
    }

    void vectorsRemainInOneChunk() {
        std::vector<WeightedTokens> parts = onePart({1, 2});
        parts.front().tokens.push_back(vectorsOf(3));
        parts.push_back({.tokens = tokensFrom({4, 5}), .weight = 2});

        const auto chunks = models::cutIntoChunks(parts, smallRules(0));

        QCOMPARE(idsOf(chunks),
                 (QList<QList<qint64>>{{100, 1, 2, 101, 102, 102},
                                       {100, 1000, 1001, 1002, 4, 101},
                                       {100, 5, 101, 102, 102, 102}}));
        QVERIFY(chunks[0].overrides.empty());
        QCOMPARE(chunks[1].overrides.size(), size_t{1});
        QCOMPARE(chunks[1].overrides[0].position, int64_t{1});
        QCOMPARE(chunks[1].overrides[0].count, int64_t{3});
        QCOMPARE(chunks[1].parts, (std::vector<int64_t>{-1, 0, 0, 0, 1, -1}));
        QVERIFY(chunks[2].overrides.empty());
    }

    void shortPartsMoveOnAndLongOnesAreCut() {
        models::ChunkRules rules = smallRules(0);
        rules.longPart = 3;
        const std::vector<WeightedTokens> parts = {{.tokens = tokensFrom({1, 2, 3}), .weight = 2},
                                                   {.tokens = tokensFrom({4, 5})},
                                                   {.tokens = {vectorsOf(4)}, .weight = 3},
                                                   {.tokens = {}},
                                                   {.tokens = tokensFrom({6})}};

        const auto chunks = models::cutIntoChunks(parts, rules);

        QCOMPARE(idsOf(chunks),
                 (QList<QList<qint64>>{{100, 1, 2, 3, 101, 102},
                                       {100, 4, 5, 1000, 1001, 101},
                                       {100, 1002, 1003, 6, 101, 102}}));
        QCOMPARE(chunks[1].parts, (std::vector<int64_t>{-1, 1, 1, 2, 2, -1}));
        QCOMPARE(chunks[2].weights, (std::vector<float>{1, 3, 3, 1, 1, 1}));
        for (size_t i = 1; i < 3; ++i) {
            QCOMPARE(chunks[i].overrides.size(), size_t{1});
            QCOMPARE(chunks[i].overrides[0].position, i == 1 ? int64_t{3} : int64_t{1});
            QCOMPARE(chunks[i].overrides[0].first, i == 1 ? int64_t{0} : int64_t{2});
            QCOMPARE(chunks[i].overrides[0].count, int64_t{2});
        }
    }

    /// A1111 forgets the vectors of what it carries over, and leaves them in the old chunk.
    void vectorsGoAlongBehindTheComma() {
        std::vector<WeightedTokens> parts = onePart({9});
        parts.front().tokens.push_back(vectorsOf(2));
        parts.front().tokens.push_back({.id = 4});
        parts.front().tokens.push_back({.id = 5});

        const auto chunks = models::cutIntoChunks(parts, smallRules(4));

        QCOMPARE(
            idsOf(chunks),
            (QList<QList<qint64>>{{100, 9, 101, 102, 102, 102}, {100, 1000, 1001, 4, 5, 101}}));
        QVERIFY(chunks[0].overrides.empty());
        QCOMPARE(chunks[1].overrides.size(), size_t{1});
        QCOMPARE(chunks[1].overrides[0].position, int64_t{1});
        QCOMPARE(chunks[1].overrides[0].count, int64_t{2});
    }

    /// diffusers cuts the text with its vectors, wherever that is.
    void oneChunkCutsVectors() {
        std::vector<models::PromptToken> tokens = tokensFrom({1, 2, 3});
        tokens.push_back(vectorsOf(3));
        tokens.push_back({.id = 4});

        const models::CutChunk cut = models::cutToOneChunk(tokens, smallRules(0));

        QCOMPARE(idsOf({cut.chunk}), (QList<QList<qint64>>{{100, 1, 2, 3, 1000, 101}}));
        QCOMPARE(cut.cutTokens, int64_t{3});
        QCOMPARE(cut.chunk.overrides[0].position, int64_t{4});
        QCOMPARE(cut.chunk.overrides[0].count, int64_t{1});
    }
};

LOWTIDE_TEST(PromptGrammarTest)

}  // namespace prompt_grammar_test

#include "prompt_grammar_test.moc"
