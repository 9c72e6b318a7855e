#include "plugin/base/json.hpp"
#include "plugin/base/message.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <limits>
#include <locale>

namespace message_test {

using namespace lowtide;

namespace {

/// 1.234.567 and 1,5.
struct German : std::numpunct<char> {
    [[nodiscard]] char do_decimal_point() const override { return ','; }

    [[nodiscard]] char do_thousands_sep() const override { return '.'; }

    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

/// As a host reads it again.
Message throughJson(const Message& message) {
    Json object = Json::object();
    putMessage(object, "problem", message);
    return messageIn(Json::parse(object.dump()), "problem");
}

Json partsOf(const Message& message) {
    Json object = Json::object();
    putMessage(object, "problem", message);
    return object.value("problemParts", Json());
}

QString textOf(const Json& json) {
    return QString::fromStdString(json.dump());
}

}  // namespace

class MessageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theFormatAndItsArgumentsMakeTheText_data() {
        const testing::Rows<QString, QString> add("made", "text");
        const auto row = [&](const char* name, const Message& made, const char* text) {
            add(name, QString::fromStdString(made.str()), QString(text));
        };
        row("no argument", message("choose a file"), "choose a file");
        row("texts",
            message("{} is {}", std::string("width"), std::string_view("odd")),
            "width is odd");
        row("a literal and a letter", message("{}/{}", "a", 'b'), "a/b");
        row("integers", message("{} of {}", 3, size_t{40}), "3 of 40");
        row("a byte", message("type {}", uint8_t{65}), "type 65");
        row("a seed",
            message("seed {}", std::numeric_limits<uint64_t>::max()),
            "seed 18446744073709551615");
        row("floating numbers", message("{}, {}, {}", 7.5, 4.0, 0.1), "7.5, 4, 0.1");
        row("not finite", message("{}", std::numeric_limits<double>::infinity()), "inf");
        row("braces", message("write {{\"vae\": {}}}", 1), "write {\"vae\": 1}");
        row("an argument with braces", message("{} is full", "a{}b"), "a{}b is full");
        row("a clause",
            message("{}: {}", "a.png", message("byte {} is odd", 7)),
            "a.png: byte 7 is odd");
        row("a phrase", message("{}; {}", "odd", phrase("choose a file")), "odd; choose a file");
        row("one", plural(1, "{} file is missing", "{} files are missing", 1), "1 file is missing");
        row("several",
            plural(2, "{} file is missing", "{} files are missing", 2),
            "2 files are missing");
        row("none", plural(0, "{} file of {}", "{} files of {}", 0, "x"), "0 files of x");
        const std::vector<Message> list{message("it is {}", "old"), Message("b c")};
        row("a list", joined(list, "; "), "it is old; b c");
        row("a list of nothing", joined({}, "; "), "");
    }

    void theFormatAndItsArgumentsMakeTheText() {
        QFETCH(QString, made);
        QTEST(made, "text");
    }

    void numbersDoNotFollowTheLocale() {
        const std::locale before = std::locale::global(std::locale(std::locale(), new German));
        const std::string text = message("{} and {}", 1234567, 1.5).str();
        std::locale::global(before);
        QCOMPARE(text, std::string("1234567 and 1.5"));
    }

    void aWrongFormatDoesNotCompile_data() {
        const testing::Rows<QByteArray, int> row("format", "placeholders");
        row("none", "it is full", 0);
        row("two", "{} of {}", 2);
        row("doubled", "{{}} {{{}}}", 1);
        row("open", "{ of", -1);
        row("closed", "of }", -1);
        row("open at the end", "of {", -1);
        row("numbered", "{0}", -1);
    }

    /// MessageFormat's constructor runs this at compile time.
    void aWrongFormatDoesNotCompile() {
        QFETCH(QByteArray, format);
        QTEST(countPlaceholders(format.toStdString()), "placeholders");
    }

    void translationsNumberTheirPlaceholders_data() {
        const testing::Rows<QByteArray, QString> row("format", "pieces");
        row("in order", "a {} b {}", "a |#0| b |#1");
        row("in another order", "{1}a{0}", "#1|a|#0");
        row("braces", "{{0}} {{{}}}", "{0} {|#0|}");
        row("no placeholder", "{ a} {1 {x}", "{ a} {1 {x}");
    }

    void translationsNumberTheirPlaceholders() {
        QFETCH(QByteArray, format);
        QStringList pieces;
        for (const FormatPiece& piece : piecesOf(format.toStdString())) {
            pieces << (piece.argument ? QString("#%1").arg(*piece.argument)
                                      : QString::fromStdString(piece.text));
        }
        QTEST(pieces.join(u'|'), "pieces");
    }

    void aHostGetsFormatAndArguments_data() {
        const testing::Rows<QString, QString> add("parts", "wanted");
        const auto row = [&](const char* name, const Message& made, const char* wanted) {
            add(name, textOf(partsOf(made)), textOf(Json::parse(wanted)));
        };
        row("a clause",
            message("{} of {}: {}", 3, "a.png", message("{} is odd", 1.5)),
            R"({"format": "{} of {}: {}", "arguments": [3, "a.png",
                {"format": "{} is odd", "arguments": [1.5]}]})");
        row("a plural",
            plural(2, "{} file", "{} files", 2),
            R"({"format": "{} file", "plural": "{} files", "count": 2, "arguments": [2]})");
        row("a list",
            joined(std::vector<Message>{Message("a"), Message("b")}, ", "),
            R"({"separator": ", ", "arguments": ["a", "b"]})");
        row("a text", Message("as it is: {}"), "null");
        row("a text as an argument",
            message("{}", Message("a")),
            R"({"format": "{}", "arguments": ["a"]})");
    }

    void aHostGetsFormatAndArguments() {
        QFETCH(QString, parts);
        QTEST(parts, "wanted");
    }

    void aHostReadsWhatWasWritten() {
        const std::vector<Message> list{message("{} is {}", "a", -1), Message("b")};
        for (const Message& made : {message("{}: {}", 0.1, joined(list, "; ")),
                                    plural(1, "{} file", "{} files", 1),
                                    Message("as it is: {}"),
                                    Message()}) {
            const Message read = throughJson(made);
            QCOMPARE(read.str(), made.str());
            QCOMPARE(partsOf(read), partsOf(made));
        }
    }

    void aListIsReadAsItWasWritten() {
        const std::vector<Message> list{message("{} is odd", 1), Message("as it is"), Message()};
        Json object = Json::object();
        putMessages(object, "notes", list);
        QCOMPARE(textOf(object["notes"]), QString(R"(["1 is odd","as it is",""])"));
        const std::vector<Message> read = messagesIn(object, "notes");
        QCOMPARE(read.size(), list.size());
        for (size_t i = 0; i < list.size(); ++i) {
            QCOMPARE(read[i].str(), list[i].str());
            QCOMPARE(partsOf(read[i]), partsOf(list[i]));
        }
        object["notesParts"].erase(2);
        QCOMPARE(messagesIn(object, "notes").size(), list.size());
        putMessages(object, "texts", std::vector<Message>{Message("a")});
        QVERIFY(!object.contains("textsParts"));
        QVERIFY(messagesIn(object, "absent").empty());
    }

    void partsThatDoNotMakeTheTextAreLeftOut_data() {
        const testing::Rows<QByteArray> row("parts");
        row("another text", QByteArray(R"({"format": "{} b", "arguments": ["c"]})"));
        row("too few", QByteArray(R"({"format": "a {}", "arguments": []})"));
        row("too many", QByteArray(R"({"format": "a b", "arguments": ["c"]})"));
        row("no list", QByteArray(R"({"format": "a b", "arguments": 1})"));
        row("no object", "7");
        row("an odd argument", QByteArray(R"({"format": "a {}", "arguments": [null]})"));
        row("a plural with too few",
            QByteArray(R"({"format": "a {}", "plural": "a", "arguments": ["b"], "count": 2})"));
        QByteArray deep = R"({"format": "a b", "arguments": []})";
        for (int i = 0; i < 40; ++i) {
            deep = R"({"format": "{}", "arguments": [)" + deep + "]}";
        }
        row("clauses without end", deep);
    }

    void partsThatDoNotMakeTheTextAreLeftOut() {
        QFETCH(QByteArray, parts);
        const Message read = messageIn(
            Json{{"hint", "a b"}, {"hintParts", Json::parse(parts.toStdString())}}, "hint");
        QCOMPARE(read.str(), std::string("a b"));
        QVERIFY(!read.parts());
    }

    void whatIsNoTextIsNoMessage() {
        QVERIFY(messageIn(Json{{"hint", 7}}, "hint").empty());
        QVERIFY(messageIn(Json::array(), "hint").empty());
    }
};

LOWTIDE_TEST(MessageTest)

}  // namespace message_test

#include "message_test.moc"
