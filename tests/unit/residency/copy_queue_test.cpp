#include "plugin/base/error.hpp"
#include "plugin/residency/copy_queue.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

#include <atomic>
#include <chrono>

namespace copy_queue_test {

using namespace lowtide;
using residency::CopyQueue;
using residency::QueueEvent;

namespace {

std::shared_ptr<QueueEvent> markOn(CopyQueue& queue) {
    auto event = std::make_shared<QueueEvent>();
    queue.mark(event);
    return event;
}

void sleepShortly() {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

class CopyQueueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void runsJobsInTheirOrder() {
        std::vector<int> order;
        CopyQueue queue;
        for (int i = 0; i < 100; ++i) {
            queue.enqueue([&order, i] { order.push_back(i); });
        }
        markOn(queue)->wait();
        QCOMPARE(order.size(), 100u);
        QVERIFY(std::is_sorted(order.begin(), order.end()));
    }

    void completesAnEventOnlyBehindTheJobsBeforeIt() {
        std::atomic<bool> isDone{false};
        CopyQueue queue;
        queue.enqueue([&] {
            sleepShortly();
            isDone = true;
        });
        const auto event = markOn(queue);
        QVERIFY(!event->isComplete());
        event->wait();
        QVERIFY(isDone);
    }

    void givesTheFirstFailureToEveryWaiterBehindIt() {
        CopyQueue queue;
        const auto before = markOn(queue);
        queue.enqueue([] { throw Error(ErrorKind::Corrupt, Message("first")); });
        queue.enqueue([] { throw Error(ErrorKind::Corrupt, Message("second")); });
        const auto behind = markOn(queue);
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
        CopyQueue queue;
        queue.enqueue([] { throw Error(ErrorKind::Cancelled, Message("stop")); });
        queue.enqueue([&] { ++ran; });
        queue.drain();
        QCOMPARE(ran.load(), 0);

        queue.enqueue([&] { ++ran; });
        markOn(queue)->wait();
        QCOMPARE(ran.load(), 1);
    }

    void waitsForAnEventOfAnotherQueue() {
        std::atomic<bool> isDone{false};
        std::atomic<bool> wasDoneFirst{false};
        CopyQueue first;
        CopyQueue second;
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
        CopyQueue queue;
        for (int i = 0; i < 3; ++i) {
            queue.enqueue([&] {
                sleepShortly();
                ++ran;
            });
        }
        queue.drain();
        QCOMPARE(ran.load(), 3);
    }

    /// Copies count as work, everything else that the copy queue does counts nothing.
    void measuresCopiesAndWaits() {
        CopyQueue queue;
        queue.enqueue(sleepShortly);
        queue.drain();
        const double waited = queue.times().wait;
        QCOMPARE(queue.times().copy, 0.0);
        QVERIFY2(waited >= 0.005, qPrintable(QString::number(waited)));

        queue.copy(sleepShortly);
        queue.copy(sleepShortly);
        const auto event = markOn(queue);
        queue.await(*event);

        const memory::CopyTimes times = queue.times();
        QVERIFY2(times.copy >= 0.010, qPrintable(QString::number(times.copy)));
        QVERIFY2(times.wait >= waited + 0.009, qPrintable(QString::number(times.wait)));
    }

    void knowsACopyThatIsGoingOn() {
        std::atomic<bool> mayEnd{false};
        CopyQueue queue;
        queue.copy([&] {
            while (!mayEnd) {
                sleepShortly();
            }
        });
        sleepShortly();
        while (queue.times().copy == 0) {
            sleepShortly();
        }
        const double first = queue.times().copy;
        sleepShortly();
        QVERIFY(queue.times().copy >= first + 0.005);
        mayEnd = true;
    }

    void dropsWhatHasNotBegunWhenItDies() {
        std::atomic<int> ran{0};
        std::shared_ptr<QueueEvent> event;
        {
            CopyQueue queue;
            for (int i = 0; i < 1000; ++i) {
                queue.enqueue([&] {
                    sleepShortly();
                    ++ran;
                });
            }
            event = markOn(queue);
        }
        QVERIFY(event->isComplete());
        QVERIFY(ran < 100);
    }
};

LOWTIDE_TEST(CopyQueueTest)

}  // namespace copy_queue_test

#include "copy_queue_test.moc"
