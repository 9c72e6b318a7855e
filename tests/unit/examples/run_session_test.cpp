#include "plugin/base/json.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QSignalSpy>
#include <QtTest/QtTest>

#include <thread>

#include "examples/qtnodes_host/host/run_session.hpp"

namespace run_session_test {

using namespace lowtide;
using namespace lowtide::qtnodes_host;

namespace {

/// Answers as the module does: events come from a thread of its own.
class FakeRunner final : public Runner {
public:
    ~FakeRunner() override { join(); }

    Status check(std::string_view graph, std::string_view, std::string& result) noexcept override {
        result = graph == "broken answer"
                     ? "{"
                     : "{\"issues\": [{\"severity\": \"warning\", \"message\": \"about " +
                           std::string(graph) + "\"}]}";
        return Status::Ok;
    }

    Status plan(std::string_view, std::string_view, std::string&) noexcept override {
        return Status::Failed;
    }

    Status start(std::string_view graph,
                 std::string_view,
                 Observer& observer,
                 RunId& run,
                 std::string& result) noexcept override {
        if (graph == "refused") {
            result = R"({"issues": [{"severity": "error", "message": "no"}]})";
            return Status::Invalid;
        }
        join();
        run = 7;
        thread_ = std::thread([this, &observer] {
            observer.event(R"({"event": "runStarted", "nodes": []})");
            const auto pixels = std::make_shared<uint8_t[]>(6);
            pixels[3] = 255;  // the second pixel is red
            observer.preview(7, "save", {.widthPixels = 2, .heightPixels = 1, .pixels = pixels});
            while (waitsForCancel && !cancelled) {
                std::this_thread::yield();
            }
            observer.event(R"({"event": "runFinished", "status": "ok"})");
        });
        return Status::Ok;
    }

    Status cancel(RunId run, CancelMode mode) noexcept override {
        cancelled = run == 7 && mode == CancelMode::Now;
        return Status::Ok;
    }

    Status wait(RunId, std::string&) noexcept override {
        join();
        return Status::Ok;
    }

    Status memory(std::string&) noexcept override { return Status::Failed; }

    Status release(std::string_view) noexcept override { return Status::Failed; }

    Status devices(std::string&) noexcept override { return Status::Failed; }

    Status stop() noexcept override { return Status::Ok; }

    std::atomic<bool> waitsForCancel = false;
    std::atomic<bool> cancelled = false;

private:
    void join() {
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    std::thread thread_;
};

}  // namespace

class RunSessionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void bringsEventsAndImages_toTheGuiThread() {
        FakeRunner runner;
        RunSession session(runner);
        std::vector<std::string> names;
        QImage shownImage;
        connect(&session, &RunSession::happened, this, [&](const Json& event) {
            QCOMPARE(QThread::currentThread(), thread());
            names.push_back(event.at("event"));
        });
        connect(&session, &RunSession::shown, this, [&](const QString& node, const QImage& image) {
            QCOMPARE(QThread::currentThread(), thread());
            QCOMPARE(node, QString("save"));
            shownImage = image;
        });
        Json issues;

        QVERIFY(session.start("graph", "{}", issues));
        QTRY_VERIFY(!session.isRunning());

        QCOMPARE(names, (std::vector<std::string>{"runStarted", "runFinished"}));
        QCOMPARE(shownImage.size(), QSize(2, 1));
        QCOMPARE(shownImage.pixel(0, 0), qRgb(0, 0, 0));
        QCOMPARE(shownImage.pixel(1, 0), qRgb(255, 0, 0));
    }

    void handsOnWhyARunWasRefused() {
        FakeRunner runner;
        RunSession session(runner);
        Json issues;

        QVERIFY(!session.start("refused", "{}", issues));

        QCOMPARE(issues.at(0).at("message"), Json("no"));
        QVERIFY(!session.isRunning());
    }

    void runsOneAtATime_andCancels() {
        FakeRunner runner;
        runner.waitsForCancel = true;
        RunSession session(runner);
        Json issues;
        session.cancel();
        QVERIFY(!runner.cancelled);
        QVERIFY(session.start("graph", "{}", issues));
        QVERIFY(!session.start("graph", "{}", issues));

        session.cancel();

        QTRY_VERIFY(!session.isRunning());
        QVERIFY(session.start("graph", "{}", issues));
    }

    void waitsForItsRun_whenTheWindowCloses() {
        FakeRunner runner;
        runner.waitsForCancel = true;
        {
            RunSession session(runner);
            Json issues;
            QVERIFY(session.start("graph", "{}", issues));
        }
        QVERIFY(runner.cancelled);
    }

    void answersOnlyTheLastQuestion() {
        FakeRunner runner;
        RunSession session(runner);
        std::vector<std::string> answers;
        connect(&session, &RunSession::checked, this, [&](const Json& issues) {
            answers.push_back(issues.at(0).at("message"));
        });

        for (int i = 0; i <= 20; ++i) {
            session.check("graph " + std::to_string(i), "{}");
        }

        QTRY_VERIFY(!answers.empty());
        QTest::qWait(50);
        QCOMPARE(answers, std::vector<std::string>{"about graph 20"});
    }

    void reportsThatAnAnswerCannotBeRead() {
        FakeRunner runner;
        RunSession session(runner);
        Json answer;
        connect(&session, &RunSession::checked, this, [&](const Json& issues) { answer = issues; });

        session.check("broken answer", "{}");

        QTRY_VERIFY(!answer.is_null());
        QCOMPARE(answer.at(0).at("severity"), Json("error"));
    }
};

LOWTIDE_TEST(RunSessionTest)

}  // namespace run_session_test

#include "run_session_test.moc"
