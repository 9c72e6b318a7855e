// A program among all others: as files of earlier versions name it, and what ends with it.
#include "plugin/base/error.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/programs/program_record.hpp"

#include <QSysInfo>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace program_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

void killAndWait(pid_t child) {
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
}

}  // namespace

class ProgramTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Journals and locks of earlier versions have what Qt reported.
    void aMachineIsCalledAsQtCallsIt() {
        const os::Program program = os::thisProgram();
        QCOMPARE(program.number, int64_t{::getpid()});
        if (const QByteArray known = QSysInfo::machineUniqueId(); !known.isEmpty()) {
            QCOMPARE(program.machineId, known.toStdString());
        }
        QCOMPARE(program.machine, QSysInfo::machineHostName().toStdString());
        QVERIFY(!program.machineStart.empty() && !program.startedAt.empty());
    }

    void itComesBackFromItsRecord() {
        const os::Program program = os::thisProgram();
        QCOMPARE(toJson(programFrom(toJson(program), "x")).dump(), toJson(program).dump());
        QCOMPARE(os::lifeOf(programFrom(toJson(program), "x")), os::Life::Running);
        Json half = toJson(program);
        half.erase("started_at");
        const auto refused = testing::errorOf([&] { (void)programFrom(half, "lock"); });
        QVERIFY(refused && refused->kind() == ErrorKind::Corrupt);
        QVERIFY(refused->message().str().find("lock") != std::string::npos);
    }

    void theLifeOfAnotherProgramIsKnown() {
        int ready[2];
        QCOMPARE(::pipe(ready), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            const std::string text = toJson(os::thisProgram()).dump();
            [[maybe_unused]] const auto count = ::write(ready[1], text.data(), text.size());
            ::close(ready[1]);
            for (;;) {
                ::pause();
            }
        }
        ::close(ready[1]);
        std::string text(4096, '\0');
        text.resize(static_cast<size_t>(std::max<ssize_t>(::read(ready[0], text.data(), 4096), 0)));
        ::close(ready[0]);
        const os::Program program = programFrom(parseJson(text, "child"), "child");
        QCOMPARE(program.number, int64_t{child});
        QCOMPARE(os::lifeOf(program), os::Life::Running);
        ::kill(child, SIGKILL);
        siginfo_t info{};
        ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);  // nobody read its end
        QCOMPARE(os::lifeOf(program), os::Life::Ended);
        killAndWait(child);
        QCOMPARE(os::lifeOf(program), os::Life::Ended);
    }

    void aLockEndsWithItsProgram() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a.lock").toStdString();
        int ready[2];
        QCOMPARE(::pipe(ready), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            os::FileLock lock;
            const char state = lock.tryLock(path) == os::LockState::Held ? 'y' : 'n';
            [[maybe_unused]] const auto count = ::write(ready[1], &state, 1);
            for (;;) {
                ::pause();
            }
        }
        char state = 0;
        QCOMPARE(::read(ready[0], &state, 1), ssize_t{1});
        ::close(ready[0]);
        ::close(ready[1]);
        os::FileLock lock;
        const os::LockState before = lock.tryLock(path);
        killAndWait(child);
        QCOMPARE(state, 'y');
        QCOMPARE(before, os::LockState::Taken);
        QCOMPARE(lock.tryLock(path), os::LockState::Held);
    }
};

LOWTIDE_TEST(ProgramTest)

}  // namespace program_test

#include "program_test.moc"
