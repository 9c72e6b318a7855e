#include "plugin/files/pickle.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/files/pickle_bytes.hpp"
#include "tests/unit/files/refused_bytes.hpp"

#include <QtTest/QtTest>

namespace pickle_test {

using namespace lowtide;
using namespace lowtide::files;
using namespace lowtide::testing;

namespace {

constexpr std::string_view kAllowed[] = {"collections OrderedDict", "lib make"};

Pickle read(const std::string& bytes, const PickleLimits& limits = {}) {
    return readPickle(std::as_bytes(std::span(bytes)), "data.pkl", kAllowed, limits);
}

const PickleValue& rootOf(const Pickle& pickle) {
    return pickle.values[pickle.root];
}

const PickleValue& itemOf(const Pickle& pickle, const PickleValue& value, size_t index) {
    return pickle.values[value.items[index]];
}

std::string repeated(const std::string& part, int count) {
    std::string bytes;
    for (int i = 0; i < count; ++i) {
        bytes += part;
    }
    return bytes;
}

std::vector<RefusedBytes> allBad() {
    using enum ErrorKind;
    const std::string make = pickledGlobal("lib", "make");
    return {
        {"code", pickled(pickledGlobal("os", "system") + ")R"), Unsupported, "os system"},
        {"code by name",
         pickled(pickledText("builtins") + pickledText("eval") + "\x93"),
         Unsupported,
         "builtins eval"},
        {"instance", pickled("(ios\nsystem\n"), Unsupported, "0x69"},
        {"object", pickled("(o"), Unsupported, "0x6f"},
        {"new object", pickled(pickledGlobal("os", "popen") + ")\x81"), Unsupported, "os popen"},
        {"new object with names", pickled(make + ")}\x92"), Unsupported, "0x92"},
        {"extension registry", pickled("\x82\x01"), Unsupported, "0x82"},
        {"text persistent id", pickled("P0\n"), Unsupported, "0x50"},
        {"protocol 1", "}.", Unsupported, "protocol"},
        {"protocol 6", "\x80\x06}.", Unsupported, "protocol"},
        {"nothing", "", Corrupt, "ends at byte 0"},
        {"no end", "\x80\x02}", Corrupt, "ends at byte 3"},
        {"empty stack", pickled(""), Corrupt, "empty stack"},
        {"values left", pickled("NN"), Corrupt, "leaves 1 values"},
        {"mark left", pickled("(N"), Corrupt, "leaves"},
        {"tuple of nothing", pickled("\x86"), Corrupt, "empty stack"},
        {"below the mark", pickled("N(\x85"), Corrupt, "empty stack"},
        {"no mark", pickled("t"), Corrupt, "mark"},
        {"append to a dict", pickled("}Na"), Corrupt, "no list or dict"},
        {"an odd dict", pickled("}(Nu"), Corrupt, "no list or dict"},
        {"set in a list", pickled("]NNs"), Corrupt, "no list or dict"},
        {"call of a text", pickled(pickledText("x") + ")R"), Corrupt, "calls what"},
        {"call with a list", pickled(make + "]R"), Corrupt, "calls what"},
        {"state of a number", pickled("K\x01}b"), Corrupt, "state"},
        {"memory of nothing", pickled("h\x05"), Corrupt, "position 5"},
        {"memory far away", pickled("Nr\xff\xff\xff\xff"), Corrupt, "position 4294967295"},
        {"text without end", pickled("X\xff\xff\xff\xffhello"), Corrupt, "4294967295 more"},
        {"global without end",
         "\x80\x02"
         "clib",
         Corrupt,
         "ends at byte"},
        {"global that is no text", pickled("NN\x93"), Corrupt, "no text"},
        {"pairs that are none",
         pickled(pickledGlobal("collections", "OrderedDict") + "]Na\x85R"),
         Corrupt,
         "list of pairs"},
    };
}

}  // namespace

/// The reader of pickles: values as they are, nothing is run, nothing without end.
class PickleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsWhatTorchWrites() {
        const Pickle pickle = read(pickled(pickledDict({{"n", "K\x07"},
                                                        {"m", "J\xfe\xff\xff\xff"},
                                                        {"w", "M\x01\x02"},
                                                        {"f", "G\x3f\xf8" + std::string(6, '\0')},
                                                        {"y", "\x88"},
                                                        {"l", "](NNe"}})));
        const PickleValue& root = rootOf(pickle);
        QVERIFY(root.kind == PickleKind::Dict);
        QCOMPARE(root.items.size(), 12u);
        QCOMPARE(itemOf(pickle, root, 0).text, std::string("n"));
        QCOMPARE(itemOf(pickle, root, 1).integer, 7);
        QCOMPARE(itemOf(pickle, root, 3).integer, -2);
        QCOMPARE(itemOf(pickle, root, 5).integer, 513);
        QCOMPARE(itemOf(pickle, root, 7).real, 1.5);
        QVERIFY(itemOf(pickle, root, 9).kind == PickleKind::Bool);
        QCOMPARE(itemOf(pickle, root, 11).items.size(), 2u);
    }

    void remembersAndRecalls() {
        const Pickle pickle = read(pickled(pickledText("x") + "q\x03h\x03\x86"));
        const PickleValue& root = rootOf(pickle);
        QCOMPARE(root.items.size(), 2u);
        QCOMPARE(root.items[0], root.items[1]);
    }

    void readsTheShortFormsOfProtocol4() {
        const std::string frame = "\x95" + littleEndian(20, 8);
        const Pickle pickle = read("\x80\x04" + frame + "\x8c\x01x\x94" + "\x8c\x03lib" +
                                   "\x8c\x04make\x93\x94" + "h\x01\x87.");
        const PickleValue& root = rootOf(pickle);
        QCOMPARE(itemOf(pickle, root, 0).text, std::string("x"));
        QCOMPARE(itemOf(pickle, root, 1).text, std::string("lib make"));
        QCOMPARE(itemOf(pickle, root, 2).text, std::string("lib make"));
    }

    void writesCallsDown_andMakesNone_data() {
        QTest::addColumn<QByteArray>("call");
        QTest::newRow("call") << QByteArray("R");
        QTest::newRow("new object") << QByteArray("\x81");
    }

    void writesCallsDown_andMakesNone() {
        QFETCH(QByteArray, call);
        const Pickle pickle =
            read(pickled(pickledGlobal("lib", "make") + "K\x05\x85" + call.toStdString() +
                         "K\x07"
                         "b"));
        const PickleValue& root = rootOf(pickle);
        QVERIFY(root.kind == PickleKind::Made);
        QCOMPARE(root.text, std::string("lib make"));
        QCOMPARE(itemOf(pickle, itemOf(pickle, root, 0), 0).integer, 5);
        QCOMPARE(itemOf(pickle, root, 1).integer, 7);
    }

    void ordersDictsAsPython2WritesThem() {
        const Pickle pickle =
            read(pickled(pickledGlobal("collections", "OrderedDict") + "](](" + pickledText("k") +
                         "K\x01"
                         "ee\x85R"));
        const PickleValue& root = rootOf(pickle);
        QVERIFY(root.kind == PickleKind::Dict);
        QCOMPARE(itemOf(pickle, root, 0).text, std::string("k"));
        QCOMPARE(itemOf(pickle, root, 1).integer, 1);
    }

    void refusesWhatIsNotRead_data() { addRows(allBad()); }

    void refusesWhatIsNotRead() {
        checkRow(allBad(), "data.pkl", [](const std::string& bytes) { (void)read(bytes); });
    }

    void nestsWithoutEnd() {
        constexpr int kDepth = 500'000;
        const Pickle pickle = read(pickled("N" + repeated("\x85", kDepth)));
        QCOMPARE(pickle.values.size(), static_cast<size_t>(kDepth) + 1);
    }

    void holdsItself() {
        const Pickle pickle =
            read(pickled("]q\x01h\x01"
                         "a"));
        QCOMPARE(rootOf(pickle).items.front(), pickle.root);
    }

    void keepsBelowItsLimits_data() {
        const testing::Rows<QByteArray, QString> add("bytes", "expected");
        const auto row = [&](const char* name, const std::string& body, const char* expected) {
            add(name, QByteArray::fromStdString(pickled(body)), expected);
        };
        row("values", "(" + repeated("]", 40), "more than 32 values");
        row("stack", "Nq\x01(" + repeated("h\x01", 40), "stacks more");
        row("marks", repeated("(", 40), "marks");
        // Each list takes the entries of all before it once more.
        row("entries",
            "](NNNNNNNNNNeq\x01" + pickledGlobal("collections", "OrderedDict") + "q\x02" +
                repeated("(h\x01h\x01h\x01h\x01h\x01t", 20),
            "entries");
        row("memory", "Nr" + littleEndian(64, 4), "position 64");
    }

    void keepsBelowItsLimits() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, expected);
        const PickleLimits limits{.values = 32, .items = 64, .stack = 32, .memo = 64};
        const auto error = errorOf([&] { (void)read(bytes.toStdString(), limits); });
        QVERIFY(error);
        QVERIFY2(QString::fromStdString(error->message().str()).contains(expected), error->what());
    }
};

LOWTIDE_TEST(PickleTest)

}  // namespace pickle_test

#include "pickle_test.moc"
