// Runs of several clients, one after the other, with a module that is played.

#include "service/run_queue.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <mutex>
#include <thread>

namespace run_queue_test {

using namespace lowtide;
using service::RunQueue;
using service::RunState;

namespace {

/// A module whose runs end when they are allowed to; the graph is what they are called.
class PlayedRunner final : public Runner {
public:
    ~PlayedRunner() override {
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    Status start(std::string_view graph,
                 std::string_view,
                 Observer& observer,
                 RunId& run,
                 std::string& result) noexcept override {
        const std::lock_guard lock(mutex_);
        if (graph == "refused") {
            result = R"({"issues": [{"severity": "error", "code": "missing_node_type"}]})";
            return Status::Invalid;
        }
        run = ++last_;
        isCancelled_ = false;
        order += std::string(graph) + " ";
        result = R"({"issues": []})";
        threads_.emplace_back([this, &observer] { play(observer); });
        return Status::Ok;
    }

    Status cancel(RunId, CancelMode) noexcept override {
        isCancelled_ = true;
        return Status::Ok;
    }

    Status wait(RunId, std::string& result) noexcept override {
        const char* const status = isCancelled_ ? "cancelled" : "ok";
        result = std::string(R"({"status": ")") + status +
                 R"(", "issues": [], "repetitions": [], "files": []})";
        return isCancelled_ ? Status::Cancelled : Status::Ok;
    }

    Status check(std::string_view, std::string_view, std::string&) noexcept override {
        return Status::Ok;
    }

    Status plan(std::string_view, std::string_view, std::string&) noexcept override {
        return Status::Ok;
    }

    Status memory(std::string&) noexcept override { return Status::Ok; }

    Status release(std::string_view) noexcept override { return Status::Ok; }

    Status devices(std::string&) noexcept override { return Status::Ok; }

    Status stop() noexcept override { return Status::Ok; }

    std::atomic<bool> isHeld = false;  ///< runs wait
    std::string order;

private:
    void play(Observer& observer) {
        observer.event(R"({"event":"runStarted","run":1})");
        while (isHeld && !isCancelled_) {
            observer.event(R"({"event":"nodeProgress","run":1})");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        observer.event(R"({"event":"runFinished","run":1,"status":"ok"})");
    }

    std::mutex mutex_;
    std::vector<std::thread> threads_;
    RunId last_ = 0;
    std::atomic<bool> isCancelled_ = false;
};

/// Fails whenever it is called.
class FailingListener final : public service::RunListener {
public:
    void queueChanged(size_t) override { fail(); }

    void started(const service::StoredRun&) override { fail(); }

    void event(const service::StoredRun&, const Json&) override { fail(); }

    void image(const service::StoredRun&, const Json&, const Image8&) override { fail(); }

    void ended(const service::StoredRun&, Json&) override { fail(); }

    void settled(const service::StoredRun&) override { fail(); }

private:
    [[noreturn]] static void fail() { throw std::runtime_error("made to fail"); }
};

RunState stateOf(const RunQueue& queue, const std::string& id) {
    const auto run = queue.find(id);
    return run ? run->state : RunState::Waiting;
}

}  // namespace

class RunQueueTest : public QObject {
    Q_OBJECT

    std::unique_ptr<PlayedRunner> runner_;
    std::unique_ptr<RunQueue> queue_;

    std::string add(const char* graph, bool isFirst = false) {
        return queue_->add({.graph = graph, .options = Json::object(), .isFirst = isFirst}).id;
    }

    bool becomes(const std::string& id, RunState state) {
        return QTest::qWaitFor([&] { return stateOf(*queue_, id) == state; }, 10000);
    }

private Q_SLOTS:

    void init() {
        runner_ = std::make_unique<PlayedRunner>();
        queue_ = std::make_unique<RunQueue>(*runner_, service::makeMemoryStore(3));
    }

    void cleanup() {
        queue_.reset();
        runner_.reset();
    }

    void runsInOrder() {
        runner_->isHeld = true;
        const std::string first = add("a");
        QVERIFY(becomes(first, RunState::Running));
        (void)add("b");
        const std::string last = add("c");
        (void)add("d", true);
        QCOMPARE(queue_->remaining(), size_t(4));
        runner_->isHeld = false;
        QVERIFY(becomes(last, RunState::Finished));
        QCOMPARE(runner_->order, std::string("a d b c "));
    }

    void cancelsWhatRunsAndWhatWaits() {
        runner_->isHeld = true;
        const std::string running = add("a");
        const std::string waiting = add("b");
        QVERIFY(becomes(running, RunState::Running));
        QVERIFY(queue_->cancel(waiting, CancelMode::Now));
        QCOMPARE(stateOf(*queue_, waiting), RunState::Cancelled);
        QVERIFY(queue_->cancel(running, CancelMode::Now));
        QVERIFY(becomes(running, RunState::Cancelled));
        QVERIFY(!queue_->cancel(running, CancelMode::Now));
        QVERIFY(!queue_->cancel("none", CancelMode::Now));
        QCOMPARE(runner_->order, std::string("a "));
    }

    void goesOnBehindARefusedRun() {
        const std::string refused = add("refused");
        const std::string next = add("a");
        QVERIFY(becomes(next, RunState::Finished));
        QCOMPARE(stateOf(*queue_, refused), RunState::Refused);
        QCOMPARE(queue_->events(refused, 0).back().at("event"), Json("runFinished"));
        QVERIFY(queue_->report(refused).is_null());
        QVERIFY(queue_->report(next).is_object());
    }

    void goesOnWhereAListenerFails() {
        FailingListener listener;
        queue_->listen(listener);
        const std::string id = add("a");
        QVERIFY(becomes(id, RunState::Finished));
        queue_->stop();
    }

    void keepsEventsThatMatter() {
        runner_->isHeld = true;
        const std::string id = add("a");
        QVERIFY(becomes(id, RunState::Running));
        QTest::qWait(100);
        runner_->isHeld = false;
        QVERIFY(becomes(id, RunState::Finished));
        const std::vector<Json> events = queue_->events(id, 0);
        QCOMPARE(events.size(), size_t(2));
        QCOMPARE(events[1].at("number"), Json(1));
        QCOMPARE(events[1].at("run"), Json(id));
        QCOMPARE(queue_->events(id, 1).size(), size_t(1));
        QVERIFY(queue_->events(id, 9).empty());
    }

    void forgetsTheOldestThatHaveEnded() {
        const std::string first = add("a");
        for (const char* graph : {"b", "c", "d"}) {
            QVERIFY(becomes(add(graph), RunState::Finished));
        }
        QVERIFY(QTest::qWaitFor([&] { return !queue_->find(first); }, 10000));
        QCOMPARE(queue_->list().size(), size_t(3));
    }

    void refusesAnIdTwice() {
        (void)queue_->add({.graph = "a", .options = Json::object(), .id = "mine"});
        QVERIFY_EXCEPTION_THROWN(
            (void)queue_->add({.graph = "a", .options = Json::object(), .id = "mine"}),
            std::exception);
    }

    void endsWhileARunIsAtWork() {
        runner_->isHeld = true;
        QVERIFY(becomes(add("a"), RunState::Running));
        (void)add("b");
        queue_->stop();
        QCOMPARE(runner_->order, std::string("a "));
    }
};

LOWTIDE_TEST(RunQueueTest)

}  // namespace run_queue_test

#include "run_queue_test.moc"
