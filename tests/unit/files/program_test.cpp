#include "plugin/files/program.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <csignal>
#include <pthread.h>
#include <sys/wait.h>
#include <thread>

namespace program_test {

using namespace lowtide;
using namespace lowtide::files;
using lowtide::testing::errorOf;

namespace {

constexpr size_t kMost = 1u << 20;

Program::Start shell(const std::string& commands) {
    return {.path = *findProgram("sh"), .arguments = {"-c", commands}};
}

StopToken cancelled() {
    StopSource source;
    source.cancel(CancelMode::Now);
    return source.token();
}

qsizetype openHandles() {
    return QDir("/proc/self/fd").entryList(QDir::AllEntries | QDir::System).size();
}

}  // namespace

class ProgramTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void findsWhatIsOnThePath() {
        QVERIFY(findProgram("sh").has_value());
        QVERIFY(!findProgram("no-such-program-anywhere").has_value());
    }

    void answers() {
        QCOMPARE(answerOf(shell("printf 'a b'; printf c >&2"), kMost, {}).text, std::string("a b"));
    }

    void worksInAFolderAndReadsTheThird() {
        const QTemporaryDir folder;
        Program::Start start = shell("pwd; cat <&3");
        start.folder = folder.path().toStdString();
        start.third = std::string(100'000, 'x');
        const std::string answer = answerOf(start, kMost, {}).text;
        QCOMPARE(answer, QDir(folder.path()).canonicalPath().toStdString() + "\n" + start.third);
    }

    void readsAllThatIsWritten() {
        Program program(shell("wc -c"));
        const std::string part(300'000, 'x');
        program.write(std::as_bytes(std::span(part)), {});
        program.write(std::as_bytes(std::span(part)), {});
        program.finish({});
        std::array<std::byte, 64> answer{};
        const size_t count = program.read(answer, {});
        QCOMPARE(
            QByteArray(reinterpret_cast<const char*>(answer.data()), static_cast<qsizetype>(count))
                .trimmed(),
            QByteArray("600000"));
    }

    void reportsHowItFailed_data() {
        const testing::Rows<QString, QString> row("commands", "message");
        row("code",
            "echo one >&2; echo two >&2; exit 3",
            "the program \"sh\" failed with code 3: one; two");
        row("signal", "kill -9 $$", "the program \"sh\" was ended by signal 9");
        row("no words", "exit 1", "the program \"sh\" failed with code 1");
        row("no text", "printf '\\377' >&2; exit 1", "the program \"sh\" failed with code 1");
    }

    void reportsHowItFailed() {
        QFETCH(QString, commands);
        QFETCH(QString, message);
        const auto error =
            errorOf([&] { (void)answerOf(shell(commands.toStdString()), kMost, {}); });
        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::Device);
        QCOMPARE(QString::fromStdString(error->message().str()), message);
    }

    /// It is an error of the run, no signal that ends the process.
    void survivesAProgramThatReadsNothing() {
        const std::string much(1u << 20, 'x');
        const auto ended = errorOf([&] {
            Program program(shell("exit 0"));
            program.write(std::as_bytes(std::span(much)), {});
        });
        QVERIFY(ended.has_value());
        QVERIFY(QString::fromStdString(ended->message().str()).contains("before it had read all"));
        const auto failed = errorOf([&] {
            Program program(shell("echo no space >&2; exit 1"));
            program.write(std::as_bytes(std::span(much)), {});
        });
        QVERIFY(failed.has_value());
        QVERIFY(QString::fromStdString(failed->message().str()).contains("no space"));
    }

    void refusesWhatCannotBeStarted() {
        const auto error = errorOf([] { const Program program({.path = "/no/such/program"}); });
        QVERIFY(error.has_value());
        QCOMPARE(QString::fromStdString(error->message().str()),
                 QString("the program \"program\" cannot be started: No such file or directory"));
    }

    void refusesLongAnswers() {
        const auto error = errorOf([] { (void)answerOf(shell("yes | head -c 100000"), 1000, {}); });
        QVERIFY(error.has_value());
        QVERIFY(QString::fromStdString(error->message().str()).contains("more than 1000"));
    }

    /// Whatever it waits for.
    void endsWhenTheRunIsCancelled() {
        QElapsedTimer timer;
        timer.start();
        const std::string much(1u << 22, 'x');
        std::array<std::byte, 64> answer{};
        const std::vector<std::function<void(Program&)>> waits = {
            [&](Program& program) { program.write(std::as_bytes(std::span(much)), cancelled()); },
            [&](Program& program) { (void)program.read(answer, cancelled()); },
            [&](Program& program) { program.finish(cancelled()); }};
        for (const auto& wait : waits) {
            const auto error = errorOf([&] {
                Program program(shell("sleep 100"));
                wait(program);
            });
            QVERIFY(error.has_value());
            QCOMPARE(error->kind(), ErrorKind::Cancelled);
        }
        QVERIFY(timer.elapsed() < 20'000);
    }

    /// A host that ignores SIGCHLD, or waits for every child, takes the code away: the program is
    /// judged by what it printed.
    void isWatched_whereAHostTakesItsCode() {
        struct sigaction before {};

        struct sigaction ignoring {};

        ignoring.sa_handler = SIG_IGN;
        QCOMPARE(::sigaction(SIGCHLD, &ignoring, &before), 0);
        std::string answer;
        const auto good = errorOf([&] { answer = answerOf(shell("printf abc"), kMost, {}).text; });
        const auto bad =
            errorOf([] { (void)answerOf(shell("echo no space >&2; exit 1"), kMost, {}); });
        ::sigaction(SIGCHLD, &before, nullptr);
        QVERIFY2(!good, good ? good->message().str().c_str() : "");
        QCOMPARE(answer, std::string("abc"));
        QVERIFY(bad.has_value());
        QCOMPARE(bad->message().str(), std::string("the program \"sh\" failed: no space"));
    }

    /// What a program started and left behind holds its answer open, and ends with it.
    void whatItLeftBehindEndsWithIt() {
        QElapsedTimer timer;
        timer.start();
        const std::string child = answerOf(shell("sleep 100 & echo $!"), kMost, {}).text;
        QVERIFY(timer.elapsed() < 10'000);
        QTRY_VERIFY(!QDir("/proc/" + QString::fromStdString(child).trimmed()).exists());
    }

    void oneThatHangsIsEnded_data() {
        QTest::addColumn<QString>("commands");
        QTest::newRow("prints nothing") << "sleep 100";
        QTest::newRow("stops in the middle") << "echo one; sleep 100";
        QTest::newRow("closes its answer and does not exit") << "exec >&-; sleep 100";
        QTest::newRow("takes no signal but one") << "trap '' TERM INT HUP; sleep 100";
    }

    void oneThatHangsIsEnded() {
        QFETCH(QString, commands);
        Program::Start start = shell(commands.toStdString());
        start.patience = std::chrono::milliseconds(100);
        const auto error = errorOf([&] { (void)answerOf(start, kMost, {}); });
        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::Device);
        QVERIFY2(error->message().str().find("does not answer") != std::string::npos,
                 error->what());
    }

    /// A signal that interrupts a wait is no answer: the read goes on and can be cancelled.
    void aSignalEndsNoWait() {
        struct sigaction before {};

        struct sigaction handling {};

        handling.sa_handler = [](int) {};  // without SA_RESTART
        QCOMPARE(::sigaction(SIGUSR1, &handling, &before), 0);
        StopSource source;
        std::optional<Error> error;
        std::thread waiting([&] {
            error = errorOf([&] { (void)answerOf(shell("sleep 100"), kMost, source.token()); });
        });
        for (int i = 0; i < 20; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            ::pthread_kill(waiting.native_handle(), SIGUSR1);
        }
        source.cancel(CancelMode::Now);
        waiting.join();
        ::sigaction(SIGUSR1, &before, nullptr);
        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::Cancelled);
    }

    void leavesNothingBehind() {
        const qsizetype before = openHandles();
        for (int i = 0; i < 20; ++i) {
            const auto error = errorOf([] {
                Program program(shell("sleep 100"));
                program.finish(cancelled());
            });
            QVERIFY(error.has_value());
        }
        QCOMPARE(openHandles(), before);
        QCOMPARE(::waitpid(-1, nullptr, WNOHANG), -1);  // no child is left, not even an ended one
    }
};

LOWTIDE_TEST(ProgramTest)

}  // namespace program_test

#include "program_test.moc"
