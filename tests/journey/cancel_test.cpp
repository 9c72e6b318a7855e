#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <csignal>

namespace cancel_test {

using namespace lowtide;

/// Ctrl-C while a run is at work: exit 130, one message, nothing half-written.
class CancelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void interruptEndsTheRunWithoutLeftovers_data() {
        QTest::addColumn<QString>("phase");
        QTest::newRow("denoise") << "\"node\":\"denoise\"";
        QTest::newRow("start") << "runStarted";
    }

    void interruptEndsTheRunWithoutLeftovers() {
        QFETCH(QString, phase);
        const QTemporaryDir folder;
        QProcess process;
        process.start(testing::buildPath("bin/lowtide"),
                      {"run",
                       testing::exampleGraph("text_to_image"),
                       "--out",
                       folder.filePath("out"),
                       "--events",
                       "--set",
                       "denoise.steps=900"});
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
};

LOWTIDE_TEST(CancelTest)

}  // namespace cancel_test

#include "cancel_test.moc"
