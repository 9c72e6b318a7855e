// Programs that are killed while they keep masks: what they reported as kept is there, complete.
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/painting/some_mask.hpp"
#include "ui/painting/kept_image.hpp"

#include <QtTest/QtTest>

#include <array>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace kept_killed_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kDeaths = 40;
constexpr int kMostAwaited = 4;  ///< masks: however slow the machine is, some are kept
constexpr int kMostMilliseconds = 60;
constexpr QSize kSize(700, 500);

QImage maskOf(int number) {
    return someMask(kSize.width(), kSize.height(), static_cast<quint32>(number + 1), 40);
}

QString imageOf(int child) {
    return QString("/pictures/%1.png").arg(child);
}

/// For a child process: keeps a mask as a file, then as an unfinished one; reports each when done.
[[noreturn]] void keepForEver(const QString& folder, int child, int reported) {
    const UnfinishedMasks unfinished(folder + "/unfinished");
    for (int number = 0;; ++number) {
        const QImage mask = maskOf(number);
        const QString problem = number % 2 == 0 ? keepImage(folder + "/files", "mask", mask).problem
                                                : unfinished.keep(imageOf(child), mask);
        if (!problem.isEmpty() || write(reported, &number, sizeof number) != sizeof number) {
            _exit(2);
        }
    }
}

/// The last number that a child reported before it was killed, which was so many milliseconds after
/// it had reported so many; -1: none.
int lastReportedBefore(int awaited, int milliseconds, const QString& folder, int child) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        qFatal("no pipe");
    }
    const pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        keepForEver(folder, child, ends[1]);
    }
    close(ends[1]);
    int last = -1;
    for (int number = 0; last + 1 < awaited && read(ends[0], &number, sizeof number) > 0;) {
        last = number;
    }
    QTest::qSleep(milliseconds);
    kill(process, SIGKILL);
    int status = 0;
    waitpid(process, &status, 0);
    [&] { QVERIFY(WIFSIGNALED(status)); }();
    for (int number = 0; read(ends[0], &number, sizeof number) == sizeof number;) {
        last = number;
    }
    close(ends[0]);
    return last;
}

QImage grey(const QString& path) {
    return QImage(path).convertToFormat(QImage::Format_Grayscale8);
}

}  // namespace

class KeptKilledTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void whatWasReportedIsThere() {
        QTemporaryDir folder;
        const UnfinishedMasks unfinished(folder.filePath("unfinished"));
        QRandomGenerator random(1);
        int reported = 0;
        for (int child = 0; child < kDeaths; ++child) {
            const int awaited = random.bounded(kMostAwaited);
            const int last = lastReportedBefore(
                awaited, random.bounded(kMostMilliseconds), folder.path(), child);
            reported += last + 1;
            for (int number = 0; number <= last; number += 2) {
                const KeptImage kept = keepImage(folder.filePath("files"), "mask", maskOf(number));
                QCOMPARE(kept.problem, QString());
            }
            if (last >= 1) {
                const QImage there = unfinished.of(imageOf(child), kSize);
                const int newest = last % 2 == 1 ? last : last - 1;
                QVERIFY(there == maskOf(newest) || there == maskOf(newest + 2));
            }
        }
        // Nothing that bears a name is half of something, and nothing was written twice.
        const QDir files(folder.filePath("files"));
        for (const QString& name : files.entryList({"*.png"}, QDir::Files)) {
            QCOMPARE(grey(files.filePath(name)).size(), kSize);
            QCOMPARE(name.count('-'), 1);
        }
        qInfo("%d masks were reported as kept before %d deaths", reported, kDeaths);
        QVERIFY(reported > kDeaths);
    }
};

LOWTIDE_TEST(KeptKilledTest)

}  // namespace kept_killed_test

#include "kept_killed_test.moc"
