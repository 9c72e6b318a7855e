// What a part of the studio throws, past every catch of its own.
#include "plugin/base/error.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/ended_program.hpp"
#include "ui/studio/event_loop.hpp"

#include <QApplication>
#include <QTemporaryDir>
#include <QTimer>
#include <QWidget>
#include <QtTest/QtTest>

#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

namespace event_loop_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

class ThrowingWidget final : public QWidget {
protected:
    void closeEvent(QCloseEvent*) override { throw std::out_of_range("no such node"); }
};

}  // namespace

class EventLoopTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aPartThatThrowsEndsTheProgramWithASentence_data() {
        QTest::addColumn<std::function<void()>>("act");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("a slot") << std::function<void()>([] {
            throw Error(ErrorKind::Internal, "a row is gone");
        }) << QByteArray("a row is gone");
        QTest::newRow("an event of a widget")
            << std::function<void()>([] { ThrowingWidget().close(); })
            << QByteArray("no such node");
    }

    void aPartThatThrowsEndsTheProgramWithASentence() {
        QFETCH(std::function<void()>, act);
        QFETCH(QByteArray, says);
        const QTemporaryDir folder;
        const QString told = folder.filePath("stderr");

        const int status = testing::runAndEnd([&] {
            ::dup2(::open(qPrintable(told), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
            QTimer::singleShot(0, qApp, act);
            testing::endAtOnce(runEventLoop());
        });

        const QByteArray text = testing::contentsOf(told);
        QCOMPARE(status, kFailedExit);
        QVERIFY2(text.contains(says), text.constData());
        QVERIFY2(text.contains("not saved"), text.constData());
    }

    void itsStatusIsThatOfTheApplication() {
        QCOMPARE(testing::runAndEnd([] {
                     QTimer::singleShot(0, qApp, [] { QApplication::exit(3); });
                     testing::endAtOnce(runEventLoop());
                 }),
                 3);
    }
};

LOWTIDE_WINDOW_TEST(EventLoopTest)

}  // namespace event_loop_test

#include "event_loop_test.moc"
