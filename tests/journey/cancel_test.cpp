#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cancel_test {

using namespace lowtide;

namespace {

/// A run that nobody waits for.
QStringList longRun(const QTemporaryDir& folder) {
    return {"run",
            testing::exampleGraph("text_to_image"),
            "--out",
            folder.filePath("out"),
            "--events",
            "--set",
            "denoise.steps=900"};
}

}  // namespace

/// Ctrl-C while a run is at work: exit 130, one message, nothing half-written.
class CancelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void interruptEndsTheRunWithoutLeftovers_data() {
        testing::addTable<QString>({"phase"},
                                   {{"denoise", "\"node\":\"denoise\""}, {"start", "runStarted"}});
    }

    /// Nor may a thread still be at work when the process ends.
    void interruptEndsTheRunWithoutLeftovers() {
        QFETCH(QString, phase);
        const QTemporaryDir folder;
        QProcess process;
        process.start(testing::buildPath("bin/lowtide"), longRun(folder));
        QByteArray seen;
        while (!seen.contains(phase.toUtf8())) {
            QVERIFY2(process.waitForReadyRead(30000), process.readAllStandardError().constData());
            seen += process.readAllStandardOutput();
        }
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(process.waitForFinished(20000));
        qInfo("ended %lld ms after Ctrl-C", timer.elapsed());
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(!QDir(folder.filePath("out")).exists() || QDir(folder.filePath("out")).isEmpty());
    }

    /// Who reads its events has stopped: the command waits where it cannot see the first one.
    void theSecondInterruptEndsACommandThatNobodyReads() {
        const QTemporaryDir folder;
        const QByteArray path = folder.filePath("events").toUtf8();
        QCOMPARE(::mkfifo(path.constData(), 0600), 0);
        const int pipe = ::open(path.constData(), O_RDWR | O_NONBLOCK);
        QVERIFY(pipe >= 0);
        constexpr int kSmallest = 4096;
        QCOMPARE(::fcntl(pipe, F_SETPIPE_SZ, kSmallest), kSmallest);
        QProcess process;
        process.setStandardOutputFile(QString::fromUtf8(path));
        process.start(testing::buildPath("bin/lowtide"), longRun(folder));
        // One more line does not fit: what waits there remains the same while the run goes on.
        const auto isStuck = [pipe] {
            int before = 0;
            int after = 0;
            const bool isAsked = ::ioctl(pipe, FIONREAD, &before) == 0;
            QTest::qWait(500);
            return isAsked && ::ioctl(pipe, FIONREAD, &after) == 0 && before == after && after > 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isStuck(), 60000);
        const auto pid = static_cast<pid_t>(process.processId());
        ::kill(pid, SIGINT);
        QTest::qWait(500);
        QCOMPARE(process.state(), QProcess::Running);
        ::kill(pid, SIGINT);
        QVERIFY(process.waitForFinished(10000));
        QCOMPARE(process.exitStatus(), QProcess::CrashExit);  // by the signal
        ::close(pipe);
    }
};

LOWTIDE_TEST(CancelTest)

}  // namespace cancel_test

#include "cancel_test.moc"
