#include "plugin/base/json.hpp"
#include "plugin/executor/events.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace events_test {

using namespace lowtide;
using namespace lowtide::executor;

class EventsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void hasTheFieldsOfItsPage_data() {
        const testing::Rows<Event, QString> row("event", "text");
        const Issue issue{
            .code = "odd", .node = "n", .item = "p", .message = Message("m"), .hint = Message("h")};
        row("runStarted",
            RunStarted{{"a", "b"}, 2},
            R"({"event":"runStarted","nodes":["a","b"],"repetitions":2,"run":7})");
        row("nodeCached",
            NodeCached{"a", 1, {"f"}},
            R"({"event":"nodeCached","files":["f"],"node":"a","repetition":1,"run":7})");
        row("nodeStarted",
            NodeStarted{"a", 3},
            R"({"event":"nodeStarted","node":"a","repetition":3,"run":7})");
        row("nodeProgress",
            NodeProgress{"a", "step", 1, 4, 1.5},
            R"({"done":1.0,"eta":1.5,"event":"nodeProgress","node":"a","phase":"step","run":7,"total":4.0})");
        row("nodeProgress at its start",
            NodeProgress{"a", "step", 0, 4, {}},
            R"({"done":0.0,"eta":null,"event":"nodeProgress","node":"a","phase":"step","run":7,"total":4.0})");
        row("nodePreview",
            NodePreview{"a", 8, 4},
            R"({"event":"nodePreview","height":4,"live":false,"node":"a","run":7,"width":8})");
        row("nodePreview of a step",
            NodePreview{"a", 8, 4, PreviewStep{.done = 3, .total = 20, .scale = 8}},
            R"({"done":3,"event":"nodePreview","height":4,"live":true,"node":"a","run":7,"scale":8,"total":20,"width":8})");
        row("nodeFinished",
            NodeFinished{"a", 1, 2.5, 99, {}},
            R"({"event":"nodeFinished","files":[],"ms":2.5,"node":"a","peakBytes":99,"repetition":1,"run":7})");
        row("nodeFailed",
            NodeFailed{issue},
            R"({"event":"nodeFailed","issue":{"code":"odd","hint":"h","item":"p","message":"m","node":"n","severity":"error"},"node":"n","run":7})");
        row("nodeFailed, with what makes its message",
            NodeFailed{Issue{.code = "odd", .node = "n", .message = message("{} is odd", 7)}},
            R"({"event":"nodeFailed","issue":{"code":"odd","message":"7 is odd","messageParts":{"arguments":[7],"format":"{} is odd"},"node":"n","severity":"error"},"node":"n","run":7})");
        row("runFinished",
            RunFinished{Status::Cancelled, 1.5, 3, {}},
            R"({"event":"runFinished","executed":3,"issues":[],"ms":1.5,"run":7,"status":"cancelled"})");
        memory::DeviceLedger held;
        held.total = 50;
        row("memory",
            MemoryUse{"fake", {{"cpu", {}}, {"fake", held}}},
            R"({"allocated":50,"device":"fake","devices":{"cpu":0,"fake":50},"event":"memory","host":0,"run":7})");
    }

    void hasTheFieldsOfItsPage() {
        QFETCH(Event, event);
        QFETCH(QString, text);

        QCOMPARE(QString::fromStdString(toText(7, event)), text);
    }

    void replacesBytesThatAreNotUtf8() {
        const std::string text = toText(1, NodeStarted{"n\xff", 1});

        QCOMPARE(parseJson(text, "event")["node"], Json("n\xEF\xBF\xBD"));
    }
};

LOWTIDE_TEST(EventsTest)

}  // namespace events_test

#include "events_test.moc"
