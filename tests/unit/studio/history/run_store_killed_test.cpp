// Programs that are killed while they write the file of runs: what they reported as done is there.
#include "tests/fixtures/test_program.hpp"
#include "ui/history/run_store.hpp"

#include <QtTest/QtTest>

#include <array>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace run_store_killed_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kDeaths = 40;
constexpr int kMostMilliseconds = 60;

/// What a child did, one number after the other, each reported when it is done.
enum Step : int { Added, Begun, Imaged, Thumbed, Starred, Ended, kSteps };

QString keyOf(int child, int run) {
    return QString("%1:%2").arg(child).arg(run);
}

QString pathOf(int child, int run) {
    return QString("/p/%1_%2.png").arg(child).arg(run);
}

void doStep(RunStore& store, int child, int run, Step step) {
    const QString key = keyOf(child, run);
    const auto image = [&] {
        return store.images({.words = QString("%1_%2.png").arg(child).arg(run)}).front().id;
    };
    switch (step) {
        case Added:
            store.add(
                {{.key = key, .title = "t", .graph = std::string(20'000, 'g'), .options = "{}"}});
            break;
        case Begun:
            store.begin(key, 1);
            break;
        case Imaged:
            store.addImages(key, {pathOf(child, run)}, ImageClaim::Wrote, 2);
            break;
        case Thumbed:
            store.setThumbnail(image(), {8, 8}, QByteArray(9000, 'p'));
            break;
        case Starred:
            store.setStarred({image()}, true);
            break;
        default:
            store.end({{.key = key, .state = RunState::Finished, .ended = 3}});
    }
}

/// Of a child process: writes until it is killed.
[[noreturn]] void writeForEver(const QString& file, int child, int reported) {
    try {
        RunStore store(file);
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

class RunStoreKilledTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void whatWasReportedIsThere() {
        const QTemporaryDir folder;
        const QString file = folder.filePath("runs.sqlite");
        int steps = 0;
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
        }
        qInfo("%d steps were reported by %d programs that were killed", steps, kDeaths);
        QVERIFY(steps > kDeaths);
    }

private:
    /// All steps up to `last`; of a later one all or nothing.
    static void checkThere(const QString& file, int child, int last) {
        RunStore store(file);
        for (int done = 0; done <= last; ++done) {
            const int number = done / kSteps;
            const std::optional<RunRecord> run = store.run(keyOf(child, number));
            QVERIFY(run);
            QCOMPARE(run->graph.size(), size_t{20'000});
            if (done % kSteps == Ended) {
                QCOMPARE(run->state, RunState::Finished);
            }
            if (done % kSteps == Starred) {
                const auto images =
                    store.images({.words = QString("%1_%2.png").arg(child).arg(number)});
                QCOMPARE(images.size(), size_t{1});
                QVERIFY(images.front().isStarred);
                QCOMPARE(store.thumbnail(images.front().id).size(), 9000);
            }
        }
        Database database(file.toStdString());
        Statement check = database.prepare("PRAGMA integrity_check");
        QVERIFY(check.next());
        QCOMPARE(check.text(0), std::string("ok"));
    }
};

LOWTIDE_TEST(RunStoreKilledTest)

}  // namespace run_store_killed_test

#include "run_store_killed_test.moc"
