#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace tiny_host_test {

using namespace lowtide;

namespace {

testing::Ended runTinyHost(const QStringList& arguments) {
    return testing::runProgram(testing::buildPath("bin/tiny_host"), arguments);
}

QString modulePath() {
    return testing::buildPath("lib/liblowtide_plugin.so");
}

}  // namespace

/// The smallest host: a policy for every stage, its own graph file, the command's very image.
class TinyHostTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void makesTheImageOfTheCommand() {
        const QTemporaryDir hosted;
        const QTemporaryDir commanded;
        const testing::Ended host = runTinyHost({modulePath(), hosted.path()});
        QVERIFY2(host.exitCode == 0, qPrintable(host.errors));
        QCOMPARE(host.output.trimmed(), hosted.filePath("tiny_host_00001.png"));
        const testing::CommandResult command =
            testing::runLowtide({"run", hosted.filePath("graph.json"), "--out", commanded.path()});
        QVERIFY2(command.exitCode == 0, qPrintable(command.errors));
        const QByteArray image = testing::contentsOf(host.output.trimmed());
        QVERIFY(image.size() > 1000);
        QVERIFY(image == testing::contentsOf(command.output.trimmed()));
    }

    void reportsWhatWentWrong_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("message");
        QTest::newRow("no arguments") << QStringList() << "usage: tiny_host";
        QTest::newRow("no module") << QStringList{"nowhere.so", "."} << "nowhere.so";
        QTest::newRow("another library")
            << QStringList{testing::buildPath("lib/liblowtide_qt.so"), "."} << "no Lowtide module";
        QTest::newRow("no folder") << QStringList{modulePath(), "/dev/null/folder"}
                                   << "/dev/null/folder/graph.json cannot be written";
    }

    void reportsWhatWentWrong() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, message);
        const testing::Ended host = runTinyHost(arguments);
        QCOMPARE(host.exitCode, 1);
        QVERIFY2(host.errors.contains(message), qPrintable(host.errors));
    }
};

LOWTIDE_TEST(TinyHostTest)

}  // namespace tiny_host_test

#include "tiny_host_test.moc"
