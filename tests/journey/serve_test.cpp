// `lowtide serve` and its clients: serve_client.py, in Python's standard library, is one.

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <csignal>

namespace serve_test {

using namespace lowtide;

namespace {

constexpr const char* kToken = "0123456789abcdef";
constexpr int kStartPatience = 60000;

/// A service that was started, with the lines that it printed.
class Served {
public:
    Served(const QTemporaryDir& folder, const QStringList& more) {
        QStringList arguments = {"serve", "--out", folder.filePath("out"), "--token", kToken};
        process_.start(testing::buildPath("bin/lowtide"), arguments + more);
        while (!printed_.contains("token ") && process_.waitForReadyRead(kStartPatience)) {
            printed_ += process_.readAllStandardOutput();
        }
    }

    ~Served() {
        if (process_.state() != QProcess::NotRunning) {
            process_.kill();
            process_.waitForFinished();
        }
    }

    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

    [[nodiscard]] QString address() const {
        for (const QByteArray& line : printed_.split('\n')) {
            if (line.startsWith("address ")) {
                return QString::fromUtf8(line.mid(8));
            }
        }
        return {};
    }

    [[nodiscard]] pid_t pid() const { return static_cast<pid_t>(process_.processId()); }

    /// The exit code; -1: it crashed, or goes on.
    [[nodiscard]] int end(int signal) {
        ::kill(pid(), signal);
        const bool hasEnded = process_.waitForFinished(30000);
        return hasEnded && process_.exitStatus() == QProcess::NormalExit ? process_.exitCode() : -1;
    }

    /// What is wrong with what the client sees; empty: nothing.
    [[nodiscard]] QString clientErrors(const char* scene) const {
        const testing::Ended ended =
            testing::runProgram(qEnvironmentVariable("LOWTIDE_PYTHON", "python3"),
                                {testing::sourcePath("tests/journey/serve_client.py"),
                                 address(),
                                 kToken,
                                 QString::fromLatin1(scene)});
        return ended.exitCode == 0 ? QString() : scene + (": " + ended.errors);
    }

private:
    QProcess process_;
    QByteArray printed_;
};

const QStringList kFreePort = {"--port", "0"};

testing::Ended refusedServe(const QTemporaryDir& folder, const QStringList& arguments) {
    return testing::runProgram(testing::buildPath("bin/lowtide"),
                               QStringList{"serve", "--out", folder.filePath("other")} + arguments);
}

}  // namespace

class ServeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void servesItsClients_data() {
        testing::addRows("scene", {"own", "comfyui", "refusals", "control"});
    }

    void servesItsClients() {
        QFETCH(QString, scene);
        const QTemporaryDir folder;
        Served served(folder, kFreePort);
        const QString errors = served.clientErrors(scene.toLatin1().constData());
        QVERIFY2(errors.isEmpty(), qPrintable(errors));
        QCOMPARE(served.end(SIGTERM), 0);
    }

    void endsDuringARun() {
        const QTemporaryDir folder;
        Served served(folder, kFreePort);
        const QString errors = served.clientErrors("start");
        QVERIFY2(errors.isEmpty(), qPrintable(errors));
        QCOMPARE(served.end(SIGINT), 0);
        const QStringList images = QDir(folder.filePath("out")).entryList({"*.png"});
        QVERIFY2(images.isEmpty(), qPrintable(images.join(' ')));
    }

    void refusesWhatItCannotHave() {
        const QTemporaryDir folder;
        const QString socket = folder.filePath("s");
        const Served served(folder, kFreePort + QStringList{"--socket", socket});
        const QString port = served.address().section(':', -1);
        const testing::Ended taken = refusedServe(folder, {"--port", port});
        QCOMPARE(taken.exitCode, 2);
        QVERIFY2(taken.errors.contains(port) && taken.errors.contains("--port"),
                 qPrintable(taken.errors));
        const testing::Ended second = refusedServe(folder, {"--socket", socket});
        QCOMPARE(second.exitCode, 2);
        QVERIFY2(second.errors.contains("another service"), qPrintable(second.errors));
        QCOMPARE(refusedServe(folder, {"--token", "short"}).exitCode, 2);
        QCOMPARE(refusedServe(folder, {"--listen", "nowhere"}).exitCode, 2);
    }

    /// Nothing of a killed service stands in the way of the next one.
    void startsAgainAfterItWasKilled() {
        const QTemporaryDir folder;
        const QStringList arguments = kFreePort + QStringList{"--socket", folder.filePath("s")};
        {
            Served killed(folder, arguments);
            QCOMPARE(killed.end(SIGKILL), -1);
            QVERIFY(QFileInfo::exists(folder.filePath("s")));
        }
        Served served(folder, arguments);
        QVERIFY(!served.address().isEmpty());
        QCOMPARE(served.end(SIGTERM), 0);
        QVERIFY(!QFileInfo::exists(folder.filePath("s")));
    }

    void endsWithTheProgramThatStartedIt() {
        const QTemporaryDir folder;
        const QString pidFile = folder.filePath("pid");
        const QString command =
            QString(
                "\"%1\" serve --port 0 --out \"%2\" --exit-with-parent > \"%3\" 2>&1 & "
                "echo $! > \"%4\"; while ! grep -q token \"%3\"; do sleep 0.1; done")
                .arg(testing::buildPath("bin/lowtide"),
                     folder.filePath("out"),
                     folder.filePath("log"),
                     pidFile);
        QCOMPARE(testing::runProgram("/bin/sh", {"-c", command}).exitCode, 0);
        const auto pid = static_cast<pid_t>(testing::contentsOf(pidFile).trimmed().toInt());
        QVERIFY(pid > 0);
        const QString program = QString("/proc/%1/exe").arg(pid);  // not there of a zombie either
        QTRY_VERIFY_WITH_TIMEOUT(!QFileInfo::exists(program), 20000);
    }
};

LOWTIDE_TEST(ServeTest)

}  // namespace serve_test

#include "serve_test.moc"
