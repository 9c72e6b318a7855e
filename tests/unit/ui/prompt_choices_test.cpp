// Alternatives and wildcards of prompts.

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/prompts/drawn_text.hpp"

#include <QElapsedTimer>
#include <QtTest/QtTest>

#include <map>
#include <set>

namespace prompt_choices_test {

using namespace lowtide;
using ui::AllTexts;
using ui::PromptChoices;
using ui::Wildcards;

namespace {

/// What grows with the square of a text takes hours; this takes less than a second.
constexpr int kLinearMilliseconds = 20'000;

Wildcards someWildcards() {
    return {{"hair", {"red hair", "3::{short|long} hair"}},
            {"roles/jobs", {"baker", "__hair__ sailor"}},
            {"a", {"__b__"}},
            {"b", {"x __a__"}},
            {"empty", {}},
            {"none", {"0::x", "0::y"}}};
}

std::string drawnText(const std::string& text, uint64_t seed = 1) {
    return PromptChoices(text).drawn(someWildcards(), seed);
}

std::set<std::string> allOf(const std::string& text) {
    const Wildcards wildcards = someWildcards();
    AllTexts texts(PromptChoices(text).parts(), wildcards);
    std::set<std::string> all;
    for (uint64_t i = 0; i < texts.count(); ++i) {
        all.insert(texts.at(i));
    }
    return all;
}

uint64_t countOf(const PromptChoices& choices, const Wildcards& wildcards) {
    return AllTexts(choices.parts(), wildcards).count();
}

std::string repeated(const std::string& text, size_t times) {
    std::string all;
    for (size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

}  // namespace

class PromptChoicesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// The graph of an image holds what was drawn, and is drawn once more when it is opened.
    void whatWasDrawnMeansItself_data() {
        QTest::addColumn<std::string>("text");
        for (const char* text : {"a {red|blue} cat",
                                 "{a|{b|c}} d",
                                 "x __hair__ y",
                                 "____",
                                 "{a|b",
                                 "a\\b {c|d}",
                                 "plain {text} | with_ marks",
                                 "{2::a|b}___hair__"}) {
            QTest::newRow(text) << std::string(text);
        }
    }

    void whatWasDrawnMeansItself() {
        QFETCH(std::string, text);
        for (const uint64_t seed : {1, 2, 3}) {
            QCOMPARE(drawnText(ui::literalPrompt(text), seed), text);
        }
        // Nothing is written otherwise without need.
        QCOMPARE(ui::literalPrompt("plain {text} | with_ marks"), "plain {text} | with_ marks");
    }

    void whatHasNoAlternativesRemainsByteForByte_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"",
                                 "a (red:1.2) cat, [blurred] \\(smile\\) BREAK AND",
                                 "[a|b] and [a:b:0.5]",
                                 "{masterpiece}, {{best}}",
                                 "{",
                                 "}",
                                 "a | b",
                                 "{a|b",
                                 "a|b}",
                                 "{x {y|z",
                                 "__",
                                 "____",
                                 "_ _a_ __ a __",
                                 "a_b__c",
                                 "C:\\new\\_folder \\",
                                 "\\\\ \\n",
                                 "<lora:ink:0.8>",
                                 "猫 🐈 {猫} __",
                                 "\xff\xfe{\xff}"}) {
            QTest::newRow(QByteArray(text).toPercentEncoding().constData()) << QByteArray(text);
        }
    }

    void whatHasNoAlternativesRemainsByteForByte() {
        QFETCH(QByteArray, text);
        const PromptChoices choices(text.toStdString());

        QVERIFY(!choices.isTemplate());
        QCOMPARE(QByteArray::fromStdString(choices.drawn({}, 7)), text);
        QCOMPARE(countOf(choices, {}), uint64_t{1});
    }

    void everyTextOfATemplate_data() {
        testing::addTable<QString, QStringList>(
            {"text", "all"},
            {{"three", "a {red|green|blue} cat", {"a red cat", "a green cat", "a blue cat"}},
             {"spaces", "{ red | light green }", {"red", "light green"}},
             {"none of it", "cat{, old|}", {"cat, old", "cat"}},
             {"nested", "{a|b {c|d}}", {"a", "b c", "b d"}},
             {"two", "{a|b}{1|2}", {"a1", "a2", "b1", "b2"}},
             {"weights", "{2::a|0.5 b|0::c}", {"a", "0.5 b"}},
             {"engine's own", "({a|b}:1.2) [x|y]", {"(a:1.2) [x|y]", "(b:1.2) [x|y]"}},
             {"escapes",
              "\\{a|b\\} \\__hair__ {c\\|d|e}",
              {"{a|b} __hair__ c|d", "{a|b} __hair__ e"}},
             {"braces in braces", "{{x}|y}", {"{x}", "y"}},
             {"open inside", "{ {a|b}", {"{ a", "{ b"}},
             {"file", "__hair__", {"red hair", "short hair", "long hair"}},
             {"file in file",
              "a __roles/jobs__",
              {"a baker", "a red hair sailor", "a short hair sailor", "a long hair sailor"}},
             {"other scripts",
              QString::fromUtf8("{猫|🐈} の絵"),
              {QString::fromUtf8("猫 の絵"), QString::fromUtf8("🐈 の絵")}}});
    }

    void everyTextOfATemplate() {
        QFETCH(QString, text);
        QFETCH(QStringList, all);
        std::set<std::string> expected;
        for (const QString& each : all) {
            expected.insert(each.toStdString());
        }
        const PromptChoices choices(text.toStdString());

        QVERIFY(choices.isTemplate());
        QCOMPARE(countOf(choices, someWildcards()), static_cast<uint64_t>(all.size()));
        QCOMPARE(allOf(text.toStdString()), expected);
        for (uint64_t seed = 0; seed < 20; ++seed) {
            QVERIFY(expected.contains(drawnText(text.toStdString(), seed)));
        }
    }

    void theSameSeedDrawsTheSameText() {
        const std::string text = "{a|b|c} {d|e|f} __hair__ __roles/jobs__";
        std::set<std::string> drawn;
        for (uint64_t seed = 0; seed < 50; ++seed) {
            QCOMPARE(drawnText(text, seed), drawnText(text, seed));
            drawn.insert(drawnText(text, seed));
        }
        QVERIFY(drawn.size() > 20);
    }

    /// Counts of 4000 draws lie within five standard deviations of what the weights state.
    void weightsStateHowOften() {
        std::map<std::string, int> times;
        for (uint64_t seed = 0; seed < 4000; ++seed) {
            ++times[drawnText("{3::a|b|0::c}", seed)];
        }
        QCOMPARE(times.count("c"), size_t{0});
        QVERIFY2(std::abs(times["a"] - 3000) < 137, qPrintable(QString::number(times["a"])));
    }

    void whatCannotBeDrawnExplainsWhy_data() {
        testing::addTable<QString, QString>({"text", "words"},
                                            {{"missing", "a __hare__ cat", "\"hare\""},
                                             {"cycle", "__a__", "a > b > a"},
                                             {"no lines", "__empty__", "\"empty\""},
                                             {"weights of 0", "{0::a|0::b}", "weight 0"},
                                             {"lines of 0", "__none__", "\"none\""}});
    }

    void whatCannotBeDrawnExplainsWhy() {
        QFETCH(QString, text);
        QFETCH(QString, words);
        const PromptChoices choices(text.toStdString());

        const auto drawing = testing::errorOf([&] { (void)choices.drawn(someWildcards(), 1); });
        const auto counting = testing::errorOf([&] { (void)countOf(choices, someWildcards()); });

        QVERIFY(drawing && counting);
        QVERIFY2(QString::fromStdString(drawing->message().str()).contains(words),
                 drawing->message().str().c_str());
        QCOMPARE(counting->message(), drawing->message());
        QVERIFY(!drawing->hint().empty());
    }

    /// A name in a line that is not drawn does no harm.
    void onlyWhatIsDrawnMustBeThere() {
        QCOMPARE(PromptChoices("{1::a|0::__gone__}").drawn({}, 3), std::string("a"));
    }

    void hostileTextsTakeLinearTime_data() {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char* name, const std::string& text) {
            QTest::newRow(name) << QByteArray::fromStdString(text);
        };
        row("opening", repeated("{", 2000000));
        row("opening with bars", repeated("{a|", 700000));
        row("closing", repeated("}", 2000000));
        row("bars", "{" + repeated("|", 500000) + "}");
        row("underscores", repeated("_", 2000000));
        row("names", repeated("__a", 700000));
        row("backslashes", repeated("\\", 2000001));
        row("numbers", "{" + repeated("9", 1000000) + "::a|b}");
        row("pairs", repeated("{a|b}", 200000));
    }

    void hostileTextsTakeLinearTime() {
        QFETCH(QByteArray, text);
        QElapsedTimer clock;
        clock.start();

        const PromptChoices choices(text.toStdString());
        try {
            (void)countOf(choices, someWildcards());
            (void)choices.drawn(someWildcards(), 1);
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::InvalidInput);
        }

        QVERIFY2(clock.elapsed() < kLinearMilliseconds,
                 qPrintable(QString::number(clock.elapsed())));
    }

    /// Files that name each other twice: two to the power of 40 texts.
    void filesThatDoubleEachOtherAreRefusedInTime() {
        Wildcards wildcards;
        for (int i = 0; i < 40; ++i) {
            const std::string next = "__w" + std::to_string(i + 1) + "__";
            wildcards["w" + std::to_string(i)] = {next + " " + next};
        }
        wildcards["w40"] = {"a", "b"};
        QElapsedTimer clock;
        clock.start();

        const auto error =
            testing::errorOf([&] { (void)PromptChoices("__w0__").drawn(wildcards, 1); });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(countOf(PromptChoices("__w0__"), wildcards), PromptChoices::kEndless);
        QVERIFY(clock.elapsed() < kLinearMilliseconds);
    }

    void moreThanCanBeCountedIsEndless() {
        QCOMPARE(countOf(PromptChoices(repeated("{a|b}", 63)), {}), uint64_t{1} << 63U);
        QCOMPARE(countOf(PromptChoices(repeated("{a|b}", 64)), {}), PromptChoices::kEndless);
    }

    /// As many runs as are added at once, of a file with ten thousand lines.
    void aThousandTextsOfALongFileTakeAMoment() {
        Wildcards wildcards;
        for (int i = 0; i < 10000; ++i) {
            wildcards["artist"].push_back("painter " + std::to_string(i) + ", {oil|ink}");
        }
        const PromptChoices choices("a {red|blue} boat by __artist__");
        QElapsedTimer clock;
        clock.start();

        AllTexts texts(choices.parts(), wildcards);
        std::vector<std::string> all;
        for (uint64_t i = 0; i < 1000; ++i) {
            all.push_back(texts.at(i % texts.count()));
        }

        qInfo("a thousand texts in %lld ms", clock.elapsed());
        QVERIFY(clock.elapsed() < kLinearMilliseconds);
        for (const uint64_t i : {uint64_t{0}, uint64_t{7}, uint64_t{999}}) {
            QCOMPARE(all[i], AllTexts(choices.parts(), wildcards).at(i));
        }
        QCOMPARE(texts.count(), uint64_t{40000});
    }

    void namesAreReportedOnceInTheirOrder() {
        QCOMPARE(PromptChoices("__b__ {__a__|__b__} __roles/jobs__").wildcards(),
                 (std::vector<std::string>{"b", "a", "roles/jobs"}));
    }
};

LOWTIDE_TEST(PromptChoicesTest)

}  // namespace prompt_choices_test

#include "prompt_choices_test.moc"
