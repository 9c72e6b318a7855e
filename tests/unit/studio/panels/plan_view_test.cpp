#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/recorded.hpp"
#include "ui/panels/plan_bars.hpp"

#include <QtTest/QtTest>

namespace plan_view_test {

using namespace lowtide;
using namespace lowtide::ui;

class PlanViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsAPlanOfTheModule() {
        const auto view = planViewOf(recorded("plan.json"));
        QVERIFY(view);

        QCOMPARE(view->device, std::string("fake"));
        QCOMPARE(view->budget, 8 * kMiB);
        QCOMPARE(view->peak, 8 * kMiB);
        QCOMPARE(view->minimum, Bytes{3978240});
        QVERIFY(view->isEstimated);
        QCOMPARE(view->stages.size(), size_t{4});
        QCOMPARE(view->stages[1].node, std::string("denoise"));
        QCOMPARE(view->stages[1].total(), 8 * kMiB);
        QCOMPARE(view->stages[1].activations, Bytes{951296});
    }

    void reportsWhatStreams() {
        const auto view = planViewOf(recorded("plan.json"));
        QVERIFY(view);

        QCOMPARE(view->stages[0].streamed, Bytes{0});
        QCOMPARE(view->stages[1].streamed, Bytes{1969152});
        QCOMPARE(view->stages[1].movedInForward, Bytes{11467920});
        // 11467920 of 11467920 + 5434368 + 1587200 + 3342336 bytes
        QCOMPARE(streamedPercent(recorded("plan.json"), view->device), 53);
    }

    void isEmpty_whenThereIsNoPlan_data() {
        QTest::addColumn<QString>("plan");
        QTest::newRow("null") << "null";
        QTest::newRow("a text") << "\"plan\"";
        QTest::newRow("no devices") << R"({"devices": [], "stages": [], "stays": []})";
        QTest::newRow("no stages") << R"({"devices": [{"device": "cpu"}]})";
        QTest::newRow("stages are a number") << R"({"devices": [{}], "stages": 1, "stays": []})";
    }

    void isEmpty_whenThereIsNoPlan() {
        QFETCH(QString, plan);
        QVERIFY(!planViewOf(Json::parse(plan.toStdString())));
    }
};

LOWTIDE_TEST(PlanViewTest)

}  // namespace plan_view_test

#include "plan_view_test.moc"
