#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace json_test {

using namespace lowtide;
using lowtide::testing::errorOf;

namespace {

constexpr const char* kPythonNumbers =
    "{\"a\": -Infinity, \"b\": [NaN, Infinity], \"NaN\": \"as \\\"NaN\\\", -Infinity\", \"c\": 1}";

}  // namespace

class JsonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void seedsOf64BitsSurvive() {
        const Json json =
            parseJson(R"({"a": 18446744073709551615, "b": -9223372036854775808})", "graph");
        QCOMPARE(json["a"].get<uint64_t>(), UINT64_MAX);
        QCOMPARE(json["b"].get<int64_t>(), INT64_MIN);
    }

    void pythonNumbersAreNull_whereAskedFor() {
        const Json json = parseJson(kPythonNumbers, "config", {.readPythonNumbers = true});
        QVERIFY(json["a"].is_null() && json["b"][0].is_null() && json["b"][1].is_null());
        QVERIFY(json["NaN"] == "as \"NaN\", -Infinity");
        QCOMPARE(json["c"].get<int>(), 1);
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(parseJson(kPythonNumbers, "graph")), Error);
    }

    void refusesWhatIsNotJson_data() {
        const testing::Rows<QByteArray, QString> row("text", "complaint");
        row("empty", "", "line 1");
        row("bare word", "hello", "line 1, column 1");
        row("second line", "{\"a\": 1,\n  oops}", "line 2, column 3");
        row("trailing comma", "[1,]", "line 1, column 4");
        row("comment", "[1] // one", "line 1, column 5");
        row("two values", "[1] [2]", "line 1, column 5");
        row("NaN", "[NaN]", "line 1, column 2");
        row("infinite number", "[1e999]", "number");
        row("not UTF-8", "[\"\xff\"]", "line 1");
        row("lone surrogate", "[\"\\ud800\"]", "line 1");
        row("NUL behind the end", QByteArray("[1]\0[2]", 7), "NUL character at line 1, column 4");
        row("NUL inside", QByteArray("[1,\n\0 2]", 8), "NUL character at line 2, column 1");
        row("key twice", R"({"a": {"b": 1, "c": 2, "b": 3}})", "\"b\" twice");
        row("key twice, escaped", R"({"a": 1, "\u0061": 2})", "\"a\" twice");
    }

    void refusesWhatIsNotJson() {
        QFETCH(QByteArray, text);
        QFETCH(QString, complaint);
        const auto error = errorOf([&] { (void)parseJson(text.toStdString(), "the graph"); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
        const QString message = QString::fromStdString(error->message().str());
        QVERIFY2(message.startsWith("the graph "), qPrintable(message));
        QVERIFY2(message.contains(complaint), qPrintable(message));
    }

    void sameKeyInTwoObjectsIsFine() {
        const Json json =
            parseJson(R"({"a": {"b": 1}, "c": {"b": 2}, "b": [{"b": 3}, {"b": 4}]})", "graph");
        QCOMPARE(json["b"][1]["b"].get<int>(), 4);
    }

    void depthIsLimited() {
        const JsonLimits limits{.maxDepth = 3};
        QVERIFY(!errorOf([&] { (void)parseJson("[[[1]]]", "graph", limits); }));
        QVERIFY(errorOf([&] { (void)parseJson("[[[[1]]]]", "graph", limits); }));
    }

    void aMillionBracketsDoNotOverflowTheStack() {
        const auto error = errorOf([] { (void)parseJson(std::string(1'000'000, '['), "graph"); });
        QVERIFY(error);
        QVERIFY(error->message().str().find("nested deeper than 64") != std::string::npos);
    }

    /// As the header of a file with as many tensors: time grows with them, not with their square.
    void manyObjectsAreReadInTime() {
        constexpr int kObjects = 300'000;
        constexpr int kMostMilliseconds = 5'000;
        std::string text = "{";
        for (int i = 0; i < kObjects; ++i) {
            text += "\"" + std::to_string(i) + "\":{},";
        }
        text += "\"end\":[{},{}]}";
        testing::CpuTimer timer;
        const Json json = parseJson(text, "header");
        qInfo("%d objects in %.0f ms", kObjects, timer.milliseconds());
        QCOMPARE(json.size(), size_t{kObjects + 1});
        QVERIFY(timer.milliseconds() < kMostMilliseconds);
    }

    void sizeIsLimited() {
        const JsonLimits limits{.maxBytes = 4};
        QVERIFY(!errorOf([&] { (void)parseJson("[10]", "graph", limits); }));
        const auto error = errorOf([&] { (void)parseJson("[100]", "graph", limits); });
        QVERIFY(error);
        QVERIFY(error->message().str().find("5 B") != std::string::npos);
    }

    void readerGivesNothingForAbsentAndNull() {
        const Json json = Json::parse(R"({"a": null})");
        const JsonReader reader(json, "config");
        QVERIFY(!reader.has("a"));
        QVERIFY(!reader.integer("a"));
        QVERIFY(!reader.text("b"));
        QVERIFY(!reader.numbers("b"));
    }

    void readerGivesWhatIsThere() {
        const Json json = Json::parse(
            R"({"i": -3, "n": 0.5, "b": true, "t": "x", "li": [1, 2], "ln": [1, 0.5], "lt": ["p", "q"]})");
        const JsonReader reader(json, "config");
        QCOMPARE(reader.integer("i"), std::optional<int64_t>(-3));
        QCOMPARE(reader.number("n"), std::optional<double>(0.5));
        QCOMPARE(reader.number("i"), std::optional<double>(-3.0));
        QCOMPARE(reader.boolean("b"), std::optional<bool>(true));
        QCOMPARE(reader.text("t"), std::optional<std::string>("x"));
        QCOMPARE(reader.integers("li"), std::optional(std::vector<int64_t>{1, 2}));
        QCOMPARE(reader.integers("i"), std::optional(std::vector<int64_t>{-3}));
        QCOMPARE(reader.numbers("ln"), std::optional(std::vector<double>{1, 0.5}));
        QCOMPARE(reader.texts("lt"), std::optional(std::vector<std::string>{"p", "q"}));
    }

    void readerRefusesAnotherType_data() {
        const testing::Rows<QString, QString> row("value", "wanted");
        row("text for integer", "\"1\"", "integer");
        row("fraction for integer", "1.0", "integer");
        row("too large for integer", "9223372036854775808", "integer");
        row("text for number", "\"1\"", "number");
        row("integer for boolean", "1", "boolean");
        row("integer for text", "1", "text");
        row("fractions for integers", "[1, 2.5]", "integers");
        row("too large for integers", "[9223372036854775808]", "integers");
        row("one too large for integers", "9223372036854775808", "integers");
        row("object for integers", "{\"a\": 1}", "integers");
        row("text for numbers", "[\"1\"]", "numbers");
        row("number for numbers", "1", "numbers");
        row("integers for texts", "[1]", "texts");
    }

    void readerRefusesAnotherType() {
        QFETCH(QString, value);
        QFETCH(QString, wanted);
        const Json json = Json::parse("{\"key\": " + value.toStdString() + "}");
        const JsonReader reader(json, "unet/config.json");
        const auto error = errorOf([&] {
            if (wanted == "integer")
                (void)reader.integer("key");
            if (wanted == "number")
                (void)reader.number("key");
            if (wanted == "boolean")
                (void)reader.boolean("key");
            if (wanted == "text")
                (void)reader.text("key");
            if (wanted == "integers")
                (void)reader.integers("key");
            if (wanted == "numbers")
                (void)reader.numbers("key");
            if (wanted == "texts")
                (void)reader.texts("key");
        });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
        QVERIFY(error->message().str().find("unet/config.json: \"key\"") == 0);
    }

    void messagesAreUtf8EvenWhereAValueIsCut() {
        std::string value;
        for (int i = 0; i < 40; ++i) {
            value += "\xC3\xA9";
        }
        const Json json = {{"key", value}};
        const auto error = errorOf([&] { (void)JsonReader(json, "config").integer("key"); });
        QVERIFY(error);
        QVERIFY(QString::fromStdString(error->message().str()).toStdString() == error->message());
    }

    void keysThatNobodyReadsAreRefused() {
        constexpr std::string_view kKnown[] = {"memoryBudget", "repeat"};
        requireKnownKeys({{"memoryBudget", "1GiB"}, {"repeat", nullptr}}, "options", kKnown);
        const auto near = errorOf([&] {
            requireKnownKeys({{"memory_budget", "1GiB"}}, "options", kKnown);
        });
        QVERIFY(near);
        QCOMPARE(near->kind(), ErrorKind::InvalidInput);
        QCOMPARE(near->message().str(), std::string("\"memory_budget\" is no key of the options"));
        QCOMPARE(near->hint().str(), std::string("did you mean \"memoryBudget\"?"));
        const auto far = errorOf([&] { requireKnownKeys({{"a\xff", 1}}, "options", kKnown); });
        QVERIFY(far);
        QCOMPARE(far->message().str(), std::string("\"a?\" is no key of the options"));
        QCOMPARE(far->hint().str(), std::string("write one of memoryBudget, repeat"));
    }

    void integersHaveBounds_data() {
        const testing::Rows<QByteArray, bool> row("value", "isTaken");
        row("least", "1", true);
        row("most", "1024", true);
        row("absent", "null", true);
        row("too small", "0", false);
        row("too large", "1025", false);
        row("2^32 + 1", "4294967297", false);
        row("-2^63", "-9223372036854775808", false);
    }

    void integersHaveBounds() {
        QFETCH(QByteArray, value);
        QFETCH(bool, isTaken);
        const Json json = parseJson("{\"threads\": " + value.toStdString() + "}", "settings");
        const JsonReader reader(json, "settings");
        const auto error = errorOf([&] { (void)integerWithin(reader, "threads", 1, 1024); });
        QCOMPARE(!error, isTaken);
        if (error) {
            QCOMPARE(error->kind(), ErrorKind::InvalidInput);
            QCOMPARE(error->message().str(),
                     "settings: \"threads\" is " + value.toStdString() + ", it takes 1 to 1024");
        }
    }

    void readerRefusesWhatIsNoObject() {
        const Json json = Json::array();
        const auto error = errorOf([&] { (void)JsonReader(json, "config"); });
        QVERIFY(error);
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
    }
};

LOWTIDE_TEST(JsonTest)

}  // namespace json_test

#include "json_test.moc"
