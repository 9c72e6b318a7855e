#include "plugin/base/error.hpp"
#include "plugin/residency/copy_lane.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

#include <atomic>
#include <chrono>

namespace copy_lane_test {

using namespace lowtide;
using residency::CopyLane;
using residency::LaneEvent;

namespace {

std::shared_ptr<LaneEvent> markOn(CopyLane& lane) {
    auto event = std::make_shared<LaneEvent>();
    lane.mark(event);
    return event;
}

void sleepShortly() {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

class CopyLaneTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void runsJobsInTheirOrder() {
        std::vector<int> order;
        CopyLane lane;
        for (int i = 0; i < 100; ++i) {
            lane.enqueue([&order, i] { order.push_back(i); });
        }
        markOn(lane)->wait();
        QCOMPARE(order.size(), 100u);
        QVERIFY(std::is_sorted(order.begin(), order.end()));
    }

    void completesAnEventOnlyBehindTheJobsBeforeIt() {
        std::atomic<bool> isDone{false};
        CopyLane lane;
        lane.enqueue([&] {
            sleepShortly();
            isDone = true;
        });
        const auto event = markOn(lane);
        QVERIFY(!event->isComplete());
        event->wait();
        QVERIFY(isDone);
    }

    void givesTheFirstFailureToEveryWaiterBehindIt() {
        CopyLane lane;
        const auto before = markOn(lane);
        lane.enqueue([] { throw Error(ErrorKind::Corrupt, Message("first")); });
        lane.enqueue([] { throw Error(ErrorKind::Corrupt, Message("second")); });
        const auto behind = markOn(lane);
        before->wait();
        for (int i = 0; i < 2; ++i) {
            try {
                behind->wait();
                QFAIL("no failure");
            } catch (const Error& error) {
                QCOMPARE(error.message().str(), std::string("first"));
            }
        }
    }

    void skipsJobsBehindAFailureUntilDrained() {
        std::atomic<int> ran{0};
        CopyLane lane;
        lane.enqueue([] { throw Error(ErrorKind::Cancelled, Message("stop")); });
        lane.enqueue([&] { ++ran; });
        lane.drain();
        QCOMPARE(ran.load(), 0);

        lane.enqueue([&] { ++ran; });
        markOn(lane)->wait();
        QCOMPARE(ran.load(), 1);
    }

    void waitsForAnEventOfAnotherLane() {
        std::atomic<bool> isDone{false};
        std::atomic<bool> wasDoneFirst{false};
        CopyLane first;
        CopyLane second;
        first.enqueue([&] {
            sleepShortly();
            isDone = true;
        });
        second.waitFor(markOn(first));
        second.enqueue([&] { wasDoneFirst = isDone.load(); });
        second.drain();
        QVERIFY(wasDoneFirst);
    }

    void drainsUntilIdle() {
        std::atomic<int> ran{0};
        CopyLane lane;
        for (int i = 0; i < 3; ++i) {
            lane.enqueue([&] {
                sleepShortly();
                ++ran;
            });
        }
        lane.drain();
        QCOMPARE(ran.load(), 3);
    }

    /// Copies count as work, everything else that the lane does counts nothing.
    void measuresCopiesAndWaits() {
        CopyLane lane;
        lane.enqueue(sleepShortly);
        lane.drain();
        const double waited = lane.times().wait;
        QCOMPARE(lane.times().copy, 0.0);
        QVERIFY2(waited >= 0.005, qPrintable(QString::number(waited)));

        lane.copy(sleepShortly);
        lane.copy(sleepShortly);
        const auto event = markOn(lane);
        lane.await(*event);

        const memory::LaneTimes times = lane.times();
        QVERIFY2(times.copy >= 0.010, qPrintable(QString::number(times.copy)));
        QVERIFY2(times.wait >= waited + 0.009, qPrintable(QString::number(times.wait)));
    }

    void knowsACopyThatIsGoingOn() {
        std::atomic<bool> mayEnd{false};
        CopyLane lane;
        lane.copy([&] {
            while (!mayEnd) {
                sleepShortly();
            }
        });
        sleepShortly();
        while (lane.times().copy == 0) {
            sleepShortly();
        }
        const double first = lane.times().copy;
        sleepShortly();
        QVERIFY(lane.times().copy >= first + 0.005);
        mayEnd = true;
    }

    void dropsWhatHasNotBegunWhenItDies() {
        std::atomic<int> ran{0};
        std::shared_ptr<LaneEvent> event;
        {
            CopyLane lane;
            for (int i = 0; i < 1000; ++i) {
                lane.enqueue([&] {
                    sleepShortly();
                    ++ran;
                });
            }
            event = markOn(lane);
        }
        QVERIFY(event->isComplete());
        QVERIFY(ran < 100);
    }
};

LOWTIDE_TEST(CopyLaneTest)

}  // namespace copy_lane_test

#include "copy_lane_test.moc"
