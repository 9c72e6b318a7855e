// What a part of the studio throws, past every catch of its own.
#include "plugin/base/error.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/ended_program.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/failures.hpp"
#include "ui/studio/end_signals.hpp"
#include "ui/studio/event_loop.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <csignal>
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

    void paintEvent(QPaintEvent*) override {
        throw Error(ErrorKind::Internal, Message("no such row"));
    }

    void keyPressEvent(QKeyEvent*) override { throw 7; }
};

/// Between handlers that are not guarded and the net of runEventLoop().
class BareApplication final : public StudioApplication {
public:
    using StudioApplication::StudioApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        return isBare ? QApplication::notify(receiver, event)
                      : StudioApplication::notify(receiver, event);
    }

    static inline bool isBare = false;
};

}  // namespace

class EventLoopTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void cleanup() { BareApplication::isBare = false; }

    /// The next event follows, and who looks for it hears what went wrong.
    void noHandlerThrowsThroughQt_data() {
        using Act = std::function<void(QWidget&)>;
        QTest::addColumn<Act>("act");
        QTest::addColumn<QString>("expected");
        QTest::newRow("a slot") << Act([](QWidget& widget) {
            QTimer::singleShot(
                0, &widget, [] { throw Error(ErrorKind::Internal, Message("a row is gone")); });
        }) << "a row is gone";
        QTest::newRow("an event") << Act([](QWidget& widget) { widget.close(); }) << "no such node";
        QTest::newRow("painting") << Act([](QWidget& widget) { widget.show(); }) << "no such row";
        QTest::newRow("no exception of the library")
            << Act([](QWidget& widget) { QTest::keyClick(&widget, Qt::Key_A); })
            << "an exception of an unknown type";
        QTest::newRow("a job on another thread") << Act([](QWidget& widget) {
            later(
                &widget,
                []() -> int { throw std::runtime_error("no such file"); },
                [](int) { QFAIL("it has no result"); });
        }) << "no such file";
        QTest::newRow("the answer of a job") << Act([](QWidget& widget) {
            later(
                &widget, [] { return 1; }, [](int) { throw std::runtime_error("no such answer"); });
        }) << "no such answer";
    }

    void noHandlerThrowsThroughQt() {
        QFETCH(std::function<void(QWidget&)>, act);
        QFETCH(QString, expected);
        QSignalSpy failed(&Failures::instance(), &Failures::happened);
        ThrowingWidget widget;
        act(widget);
        QTRY_COMPARE(failed.size(), 1);
        QCOMPARE(failed.front().front().toString(), expected);
        bool isAlive = false;
        QTimer::singleShot(0, &widget, [&] { isAlive = true; });
        QTRY_VERIFY(isAlive);
    }

    /// A widget that cannot be painted is painted again and again.
    void theSameFailureIsReportedOnce() {
        QSignalSpy failed(&Failures::instance(), &Failures::happened);
        ThrowingWidget widget;
        widget.show();
        for (int i = 0; i < 50; ++i) {
            widget.repaint();
        }
        QCoreApplication::processEvents();
        QVERIFY(failed.size() <= 1);
    }

    void aPartThatThrowsEndsTheProgramWithASentence_data() {
        QTest::addColumn<std::function<void()>>("act");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("a slot") << std::function<void()>([] {
            throw Error(ErrorKind::Internal, Message("a row is gone"));
        }) << QByteArray("a row is gone");
        QTest::newRow("an event of a widget")
            << std::function<void()>([] { ThrowingWidget().close(); })
            << QByteArray("no such node");
    }

    void aPartThatThrowsEndsTheProgramWithASentence() {
        QFETCH(std::function<void()>, act);
        QFETCH(QByteArray, expected);
        const QTemporaryDir folder;
        const QString errors = folder.filePath("stderr");
        BareApplication::isBare = true;

        const int status = testing::runAndEnd([&] {
            ::dup2(::open(qPrintable(errors), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
            QTimer::singleShot(0, qApp, act);
            testing::endAtOnce(runEventLoop());
        });

        const QByteArray text = testing::contentsOf(errors);
        QCOMPARE(status, kFailedExit);
        QVERIFY2(text.contains(expected), text.constData());
        QVERIFY2(text.contains("not saved"), text.constData());
    }

    /// The first asks for an end in order, the second is one.
    void signalsThatEndProgramsAskAtFirst() {
        constexpr int kAsked = 5;
        const auto raised = [](int times) {
            return testing::runAndEnd([times] {
                const EndSignals signals;
                connect(&signals, &EndSignals::asked, qApp, [times] {
                    if (times == 1) {
                        testing::endAtOnce(kAsked);
                    }
                });
                for (int i = 0; i < times; ++i) {
                    ::raise(SIGTERM);
                }
                testing::endAtOnce(runEventLoop());
            });
        };
        QCOMPARE(raised(1), kAsked);
        QVERIFY(raised(2) < 0);
    }

    void itsStatusIsThatOfTheApplication() {
        QCOMPARE(testing::runAndEnd([] {
                     QTimer::singleShot(0, qApp, [] { QApplication::exit(3); });
                     testing::endAtOnce(runEventLoop());
                 }),
                 3);
    }
};

LOWTIDE_TEST_UNDER(BareApplication, EventLoopTest)

}  // namespace event_loop_test

#include "event_loop_test.moc"
