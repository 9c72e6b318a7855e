// What the queue of a run's events does where nobody reads.

#include "service/followed_run.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace event_queue_test {

using namespace lowtide;
using service::EventQueue;

namespace {

constexpr std::chrono::milliseconds kNoPatience{0};
// Of a node that is named as if it were an event that may be missed.
const char* const kNameLikeAnEvent =
    "{\"event\":\"nodeFinished\",\"node\":\"\\\"event\\\":\\\"memory\\\"\"}";

std::vector<std::string> allOf(EventQueue& queue) {
    std::vector<std::string> all;
    while (auto news = queue.next(kNoPatience)) {
        all.push_back(std::move(news->event));
    }
    return all;
}

}  // namespace

class EventQueueTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void handsEventsOnInTheirOrder() {
        EventQueue queue;
        queue.event(R"({"event":"runStarted"})");
        queue.event(R"({"event":"nodeProgress"})");
        QCOMPARE(
            allOf(queue),
            (std::vector<std::string>{R"({"event":"runStarted"})", R"({"event":"nodeProgress"})"}));
        QCOMPARE(queue.missedCount(), size_t(0));
    }

    void doesNotGrow_whereNobodyReads() {
        constexpr size_t kMany = 100000;
        EventQueue queue;
        for (size_t i = 0; i < kMany; ++i) {
            queue.event(R"({"event":"nodeProgress","node":"denoise"})");
        }
        queue.event(kNameLikeAnEvent);
        queue.event(R"({"event":"runFinished"})");
        QCOMPARE(queue.missedCount(), kMany - EventQueue::kMostWaiting);
        const std::vector<std::string> kept = allOf(queue);
        QCOMPARE(kept.size(), EventQueue::kMostWaiting + 2);
        QCOMPARE(kept.back(), std::string(R"({"event":"runFinished"})"));
    }
};

LOWTIDE_TEST(EventQueueTest)

}  // namespace event_queue_test

#include "event_queue_test.moc"
