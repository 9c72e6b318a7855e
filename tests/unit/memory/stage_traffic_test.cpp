#include "plugin/memory/measurements.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace stage_traffic_test {

using namespace lowtide;
using namespace lowtide::memory;

/// What is reported about the copy queues of one stage.
class StageTrafficTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void computeIsWhatWasNotWaited() {
        const StageTraffic stage{
            .node = "denoise", .seconds = 10, .copyQueues = {{"fake", {.copy = 4, .wait = 3}}}};

        QCOMPARE(stage.compute(), 7.0);
        QCOMPARE(stage.lowerBound().value(), 7.0);
        QCOMPARE(stage.efficiency().value(), 0.7);
    }

    void theBusierQueueBounds() {
        const StageTraffic stage{
            .seconds = 10,
            .copyQueues = {{"fake", {.copy = 9, .wait = 4}}, {"cpu", {.copy = 1, .wait = 2}}}};

        QCOMPARE(stage.compute(), 4.0);
        QCOMPARE(stage.lowerBound().value(), 9.0);
        QCOMPARE(stage.efficiency().value(), 0.9);
    }

    /// A copy queue may work on for the stage before: never better than all.
    void neverBetterThanTheBound() {
        const StageTraffic stage{.seconds = 1, .copyQueues = {{"fake", {.copy = 1.5, .wait = 0}}}};

        QCOMPARE(stage.efficiency().value(), 1.0);
    }

    /// No figure, and no 0 as if one had been measured.
    void withoutACopyQueueThereIsNoBound() {
        const StageTraffic stage{.node = "decode", .seconds = 2};

        QCOMPARE(stage.compute(), 2.0);
        QVERIFY(!stage.lowerBound() && !stage.efficiency());
        const Json json = toJson(std::vector{stage}).at(0);
        QVERIFY(json.at("bound").is_null() && json.at("efficiency").is_null());
        QVERIFY(json.at("lanes").empty());
    }
};

LOWTIDE_TEST(StageTrafficTest)

}  // namespace stage_traffic_test

#include "stage_traffic_test.moc"
