// Programs that are killed while they write the file of the queue: what they reported as done is
// there.
#include "tests/fixtures/test_program.hpp"
#include "ui/queue/queue_store.hpp"

#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <array>
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace queue_killed_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kDeaths = 40;
constexpr int kMostMilliseconds = 60;
constexpr int64_t kLater = 1'000'000;

/// What a child did, one number after the other, each reported when it is done.
enum Step : int { Added, Begun, Ended, kSteps };

std::string ownerOf(int child) {
    return std::to_string(child) + ":";
}

std::string keyOf(int child, int run) {
    return ownerOf(child) + std::to_string(run);
}

/// A hundred pages of the file, so that most of a child's time is spent writing.
std::string optionsOf(int child, int run) {
    constexpr size_t kBytes = 400'000;
    static const std::string many(kBytes, 'o');
    return keyOf(child, run) + many;
}

void doStep(QueueStore& store, int child, int run, Step step) {
    QueueEntry entry;
    entry.key = keyOf(child, run);
    switch (step) {
        case Added:
            entry.graph = std::string(20'000, 'g');
            entry.options = optionsOf(child, run);
            store.add({{entry}});
            break;
        case Begun:
            if (store.beginNext(ownerOf(child), 1)->key != entry.key) {
                _exit(4);
            }
            break;
        default:
            entry.state = RunState::Finished;
            entry.ended = 3;
            entry.result = "{\"files\": []}";
            store.end({{entry}});
    }
}

/// Of a child process: writes until it is killed.
[[noreturn]] void writeForEver(const std::string& file, int child, int reported) {
    try {
        QueueStore store(file);
        for (int done = 0;; ++done) {
            doStep(store, child, done / kSteps, static_cast<Step>(done % kSteps));
            if (write(reported, &done, sizeof done) != sizeof done) {
                _exit(2);
            }
        }
    } catch (...) {
        _exit(3);
    }
}

}  // namespace

class QueueKilledTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void whatWasReportedIsThere() {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("runs.sqlite").toStdString();
        int steps = 0;
        int interrupted = 0;
        for (int child = 0; child < kDeaths; ++child) {
            std::array<int, 2> ends{};
            QCOMPARE(pipe(ends.data()), 0);
            const pid_t pid = fork();
            if (pid == 0) {
                close(ends[0]);
                writeForEver(file, child, ends[1]);
            }
            close(ends[1]);
            int last = -1;
            // The first word: it has begun. Then any moment.
            QCOMPARE(read(ends[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
            QTest::qSleep(QRandomGenerator::global()->bounded(kMostMilliseconds));
            kill(pid, SIGKILL);
            int status = 0;
            waitpid(pid, &status, 0);
            QVERIFY(WIFSIGNALED(status));
            for (int done = 0; read(ends[0], &done, sizeof done) == sizeof done;) {
                last = done;
            }
            close(ends[0]);
            steps += last + 1;
            checkThere(file, child, last);
            interrupted += takeUp(file, child, last);
        }
        qInfo("%d steps were reported by %d programs that were killed, %d in the middle of a run",
              steps,
              kDeaths,
              interrupted);
        QVERIFY(steps > kDeaths);
    }

private:
    /// All steps up to `last`; of a later one all or nothing.
    static void checkThere(const std::string& file, int child, int last) {
        QueueStore store(file);
        for (int done = 0; done <= last; ++done) {
            const std::optional<QueueEntry> run = store.entry(keyOf(child, done / kSteps));
            QVERIFY(run);
            QCOMPARE(run->graph.size(), size_t{20'000});
            QVERIFY(run->options == optionsOf(child, done / kSteps));
            if (done % kSteps == Ended) {
                QCOMPARE(run->state, RunState::Finished);
                QCOMPARE(run->result, std::string("{\"files\": []}"));
            }
        }
        Statement check = store.database().prepare("PRAGMA integrity_check");
        QVERIFY(check.next());
        QCOMPARE(check.text(0), std::string("ok"));
    }

    /// What the child left open is one run at most, in the state of its last step or the next one;
    /// it waits again then. Whether it was interrupted.
    static int takeUp(const std::string& file, int child, int last) {
        QueueStore store(file);
        const std::vector<QueueEntry> left = store.leftOpen(std::vector<std::string>{"again:"});
        const auto check = [&] {
            QVERIFY(left.size() <= 1);
            if (last % kSteps == Begun && !left.empty()) {
                QCOMPARE(left.front().state, RunState::Running);
            }
            if (!left.empty()) {
                const std::string key = "again:" + std::to_string(child);
                QCOMPARE(store.takeOver({{{left.front().key, key}}}, kLater),
                         std::vector<std::string>{key});
                QCOMPARE(store.entry(key)->graph, left.front().graph);
            }
            QVERIFY(store.leftOpen(std::vector<std::string>{"again:"}).empty());
        };
        check();
        return !left.empty() && left.front().state == RunState::Running ? 1 : 0;
    }
};

LOWTIDE_TEST(QueueKilledTest)

}  // namespace queue_killed_test

#include "queue_killed_test.moc"
