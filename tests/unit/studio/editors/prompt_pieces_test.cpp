// What of a prompt is coloured, and what is marked.

#include "tests/fixtures/test_program.hpp"
#include "ui/editors/prompt_footer.hpp"
#include "ui/editors/prompt_highlighter.hpp"

#include <QtTest/QtTest>

namespace lowtide::ui::prompt_pieces_test {

namespace {

/// What grows with the square of a text takes hours; this takes less than a second.
constexpr int kLinearMilliseconds = 20'000;

QString letterOf(PromptPiece::Kind kind) {
    return QStringLiteral("(#KNC*!").mid(static_cast<int>(kind), 1);
}

/// A letter for each position: ( bracket, # weight, K keyword, N name, C choice, * wildcard,
/// ! problem.
QString marksOf(const QString& text, const PromptSyntax& syntax) {
    QString marks(text.size(), QLatin1Char(' '));
    for (const PromptPiece& piece : promptPieces(text, syntax)) {
        for (int i = piece.begin; i < piece.begin + piece.length; ++i) {
            marks.replace(i, 1, letterOf(piece.kind));
        }
    }
    return marks;
}

}  // namespace

class PromptPiecesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void piecesOfAText_data() {
        testing::addTable<QString, QString, QString>(
            {"weights", "text", "marks"},
            {{"round", "a1111", "a (cat) b", "  (   (  "},
             {"weight", "a1111", "(cat:1.25)", "(   (####("},
             {"spaces", "a1111", "(cat : 1.2 )", "(    ( ### ("},
             {"square", "a1111", "[cat]", "(   ("},
             {"nested", "a1111", "((a) b:1.3)", "(( (  (###("},
             {"escaped", "a1111", "\\(a\\) (b)", "      ( ("},
             {"open", "a1111", "a (b", "  ! "},
             {"closed", "a1111", "a) b]", " !  !"},
             {"break", "a1111", "a BREAK b", "  KKKKK  "},
             {"no break", "a1111", "BREAKS aBREAK", "             "},
             {"and", "a1111", "a AND b", "  !!!  "},
             {"sand", "a1111", "SAND AND, ", "          "},
             {"editing", "a1111", "[a:b:0.5]", "!       !"},
             {"alternating", "a1111", "[a|b]", "!   !"},
             {"a number twice", "a1111", "(a:1.2.3)", "(       ("},
             {"lora", "a1111", "<lora:ink:1> x", "!!!!!!!!!!!!  "},
             {"embedding", "a1111", "embedding:bad-hand, x", "NNNNNNNNNNNNNNNNNN   "},
             {"choice", "a1111", "{a|b}", "C C C"},
             {"choice with weights", "a1111", "{2::a|0.5::b}", "C### C##### C"},
             {"no choice", "a1111", "{a}", "   "},
             {"open choice", "a1111", "{a|b", "!   "},
             {"nested choices", "a1111", "{a|{b|c}}", "C CC C CC"},
             {"wildcard", "a1111", "a __hair__", "  ********"},
             {"missing wildcard", "a1111", "a __hare__", "  !!!!!!!!"},
             {"escaped wildcard", "a1111", "\\__hair__", "         "},
             {"compel signs", "compel", "cat++ dog-", "   ##    #"},
             {"compel number", "compel", "(a b)1.3", "(   (###"},
             {"compel square", "compel", "[a] b]", "      "},
             {"compel break", "compel", "BREAK", "!!!!!"},
             {"comfyui weight", "comfyui", "(a:1.2) [b]", "( (###(    "},
             {"comfyui break", "comfyui", "BREAK", "!!!!!"},
             {"none", "none", "(a:1.2) [b] BREAK", "  !!!!      !!!!!"},
             {"a1111's weight in compel", "compel", "(a:1.2)", "( !!!!("},
             {"none editing", "none", "[a|b] [c] [", "!   !      "},
             {"compel editing", "compel", "[a:b:3]", "!     !"},
             {"none choice", "none", "{a|(b}", "C C  C"},
             {"empty", "a1111", "", ""},
             {"backslash", "a1111", "a\\", "  "}});
    }

    void piecesOfAText() {
        QFETCH(QString, weights);
        QFETCH(QString, text);
        QFETCH(QString, marks);
        const PromptSyntax syntax{.weights = weightSyntaxNamed(weights.toStdString()),
                                  .wildcards = std::set<QString>{"hair"}};
        QCOMPARE(marksOf(text, syntax), marks);
        for (const PromptPiece& piece : promptPieces(text, syntax)) {
            QCOMPARE(piece.problem.isEmpty(), piece.kind != PromptPiece::Kind::Problem);
        }
    }

    /// What one click can have read.
    void whatA1111ReadsIsKnown() {
        const auto readOf = [](const QString& text, const char* weights) {
            QStringList read;
            const PromptSyntax syntax{.weights = weightSyntaxNamed(std::string(weights))};
            for (const PromptPiece& piece : promptPieces(text, syntax)) {
                if (piece.isReadByA1111) {
                    read << text.mid(piece.begin, piece.length);
                }
            }
            return read.join(' ');
        };
        const QString text = "(a:1.2) BREAK [a|b] <lora:x:1> )";
        QCOMPARE(readOf(text, "none"), QString(":1.2 BREAK"));
        QCOMPARE(readOf(text, "compel"), QString(":1.2 BREAK"));
        QCOMPARE(readOf(text, "a1111"), QString());
        QCOMPARE(readOf(text, "comfyui"), QString());
    }

    void tagsHaveTheColourOfNamesWhereTheyAreRead() {
        QCOMPARE(marksOf("<lora:ink:1>", {.readsTags = true}), QString("NNNNNNNNNNNN"));
        QCOMPARE(marksOf("<lora:ink", {.readsTags = true}), QString("!        "));
    }

    void lettersOfAnyScriptAreWords() {
        const QString text = QString::fromUtf8("(猫🐈:1.2)");
        QCOMPARE(marksOf(text, {}), QString("(   (###("));
    }

    void hostileTextsTakeLinearTime_data() {
        QTest::addColumn<QString>("text");
        for (const char* part : {"(",
                                 "[",
                                 "{a|",
                                 ")",
                                 "_",
                                 "__a",
                                 "<lora:",
                                 "\\",
                                 ":1",
                                 "(a:1)",
                                 "embedding:",
                                 "BREAK ",
                                 "AND ",
                                 "+",
                                 "猫"}) {
            QTest::newRow(part) << QString::fromUtf8(part).repeated(300000);
        }
        QTest::newRow("digits") << QString("(a:") + QString("9").repeated(1000000) + ")";
    }

    void hostileTextsTakeLinearTime() {
        QFETCH(QString, text);
        for (const auto& weights : {std::optional(WeightSyntax::A1111),
                                    std::optional(WeightSyntax::ComfyUi),
                                    std::optional(WeightSyntax::Compel)}) {
            QElapsedTimer clock;
            clock.start();
            int end = 0;
            for (const PromptPiece& piece : promptPieces(text, {.weights = weights})) {
                QVERIFY(piece.begin >= end);
                end = piece.begin + piece.length;
            }
            QVERIFY(end <= text.size());
            QVERIFY2(clock.elapsed() < kLinearMilliseconds,
                     qPrintable(QString::number(clock.elapsed())));
        }
    }

    void countsAreWordedAsUsersKnowThem_data() {
        testing::addTable<QString, QString, bool>(
            {"json", "text", "isCut"},
            {{"one", R"([["CLIP", [31], 75, 0]])", "31 / 75", false},
             {"chunks", R"([["CLIP", [75, 12], 75, 0]])", QString::fromUtf8("87 in 2 × 75"), false},
             {"filled up", R"([["CLIP", [9, 0], 75, 0]])", "9 / 75", false},
             {"alike", R"([["CLIP-L", [31], 75, 0], ["CLIP-G", [31], 75, 0]])", "31 / 75", false},
             {"apart",
              R"([["CLIP-L", [31], 75, 0], ["T5", [40], 511, 0]])",
              QString::fromUtf8("CLIP-L 31 / 75 · T5 40 / 511"),
              false},
             {"cut", R"([["CLIP", [75], 75, 8]])", "75 / 75, 8 cut", true},
             {"many",
              R"([["CLIP", [75, 75, 75, 75, 3], 75, 0]])",
              QString::fromUtf8("303 in 5 × 75"),
              false}});
    }

    void countsAreWordedAsUsersKnowThem() {
        QFETCH(QString, json);
        QFETCH(QString, text);
        QFETCH(bool, isCut);
        Json facts = {{"texts", Json::array()}};
        for (const Json& each : Json::parse(json.toStdString())) {
            facts["texts"].push_back({{"parameter", "prompt"},
                                      {"encoder", each[0]},
                                      {"chunks", each[1]},
                                      {"room", each[2]},
                                      {"cut", each[3]},
                                      {"read", -1}});
        }
        const CountText shown = countText(textCountsIn(facts, "prompt"));
        QCOMPARE(shown.text, text);
        QCOMPARE(shown.isCut, isCut);
    }

    void whatNobodyKnowsIsReportedQuietly() {
        TextCounts counts = textCountsIn(Json(), "prompt");
        QCOMPARE(countText(counts).text, QString());
        counts.isConnected = false;
        QCOMPARE(countText(counts).text, QString("No checkpoint connected"));
        for (const char* odd :
             {"[]", "3", "{\"texts\": 3}", "{\"texts\": [3, {\"chunks\": {}}]}"}) {
            QVERIFY(textCountsIn(Json::parse(odd), "prompt").encoders.empty());
        }
    }
};

LOWTIDE_TEST(PromptPiecesTest)

}  // namespace lowtide::ui::prompt_pieces_test

#include "prompt_pieces_test.moc"
