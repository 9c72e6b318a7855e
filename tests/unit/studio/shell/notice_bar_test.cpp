// What is reported above the work: ranked, kept while it holds, and never lost.
#include "plugin/base/log.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/bridge/log_model.hpp"
#include "ui/studio/notice_bar.hpp"

namespace notice_bar_test {

using namespace lowtide;
using namespace lowtide::ui;

class NoticeBarTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void theWorstIsOnTopAndNothingGoodReplacesIt() {
        Bench bench;
        bench.bar.show(NoticeKind::Success, "saved");
        bench.bar.show(NoticeKind::Warning, "not kept");
        bench.bar.show(NoticeKind::Error, "failed");
        bench.bar.show(NoticeKind::Success, "saved again");
        QCOMPARE(bench.bar.text(), QString("failed\nnot kept\nsaved again"));
        QCOMPARE(bench.bar.findChild<QLabel*>("noticeText")->text(), QString("failed"));
        test::keepScreenshot(bench.window, "notices");
        bench.close("noticeClose");
        QCOMPARE(bench.bar.text(), QString("not kept\nsaved again"));
        bench.close("noticeClose1");
        bench.close("noticeClose");
        QVERIFY(!bench.bar.isVisible());
    }

    void aConditionIsShownUntilItEnds() {
        Bench bench;
        bench.bar.stand("disk", NoticeKind::Warning, "the disk is full");
        for (int i = 0; i < 20; ++i) {
            bench.bar.show(NoticeKind::Error, QString("error %1").arg(i));
            bench.bar.show(NoticeKind::Warning, QString("warning %1").arg(i));
        }
        QVERIFY(bench.bar.text().contains("the disk is full"));
        QCOMPARE(bench.bar.text().count('\n') + 1, int{NoticeBar::kMostProblems});
        bench.bar.stand("disk", NoticeKind::Warning, "the disk is nearly full");
        QVERIFY(!bench.bar.text().contains("is full"));
        QVERIFY(bench.bar.text().contains("nearly"));
        bench.bar.end("disk");
        QVERIFY(!bench.bar.text().contains("nearly"));
    }

    void whatNoLongerHoldsIsTakenBackAlone() {
        Bench bench;
        bench.bar.show(NoticeKind::Warning, "theirs");
        const quint64 ours = bench.bar.show(NoticeKind::Info, "ours");
        bench.bar.withdraw(ours);
        QCOMPARE(bench.bar.text(), QString("theirs"));
        bench.bar.withdraw(ours);
        bench.bar.withdraw(0);
        QCOMPARE(bench.bar.text(), QString("theirs"));
    }

    void aButtonActsForItsOwnLine() {
        Bench bench;
        QStringList acted;
        bench.bar.show(NoticeKind::Info, "removed", "Undo", [&] { acted << "undo"; });
        bench.bar.show(NoticeKind::Warning, "failed", "Show", [&] { acted << "show"; });
        bench.close("noticeButton1");
        QCOMPARE(acted, QStringList{"undo"});
        QCOMPARE(bench.bar.text(), QString("failed"));
        bench.close("noticeButton");
        QCOMPARE(acted, (QStringList{"undo", "show"}));
    }

    /// A run that ends meanwhile is reported next to it; a second removal takes its line.
    void whatCanBeUndoneOutlivesOtherNews() {
        Bench bench;
        QStringList undone;
        bench.bar.offerUndo("removed a", [&] { undone << "a"; });
        bench.bar.show(NoticeKind::Success, "saved");
        bench.bar.show(NoticeKind::Info, "nothing to do");
        QCOMPARE(bench.bar.text(), QString("nothing to do\nremoved a"));
        bench.bar.offerUndo("removed b", [&] { undone << "b"; });
        QCOMPARE(bench.bar.text(), QString("removed b\nnothing to do"));
        bench.close("noticeButton");
        QCOMPARE(undone, QStringList{"b"});
        QCOMPARE(bench.bar.text(), QString("nothing to do"));
    }

    void noConditionGivesWayToNews() {
        Bench bench;
        bench.bar.stand("slow", NoticeKind::Info, "the disk is slow");
        for (const char* error : {"one", "two", "three"}) {
            bench.bar.show(NoticeKind::Error, error);
        }
        bench.bar.offerUndo("removed", [] {});
        bench.bar.show(NoticeKind::Success, "saved");
        QVERIFY2(bench.bar.text().contains("the disk is slow"), qPrintable(bench.bar.text()));
        QVERIFY(bench.bar.text().contains("saved"));
    }

    /// What is reported of others takes none of its lines, also where the sentence is the same.
    void aNoticeOfADocumentIsShownWithItAlone() {
        Bench bench;
        bench.bar.setDocument(1);
        bench.bar.showOfDocument(NoticeKind::Warning, "of the first");
        bench.bar.showOfDocument(NoticeKind::Info, "news of the first");
        bench.bar.show(NoticeKind::Error, "of none");
        bench.bar.setDocument(2);
        QCOMPARE(bench.bar.text(), QString("of none"));
        bench.bar.showOfDocument(NoticeKind::Info, "news of the second");
        for (int i = 0; i < 5; ++i) {
            bench.bar.showOfDocument(NoticeKind::Error, QString("error %1").arg(i));
        }
        QCOMPARE(bench.bar.text(), QString("error 4\nerror 3\nerror 2\nnews of the second"));

        bench.bar.setDocument(1);
        QCOMPARE(bench.bar.text(), QString("of the first\nnews of the first"));
        bench.bar.forget(1);
        QVERIFY(!bench.bar.isVisible());
        bench.bar.setDocument(2);
        QVERIFY(bench.bar.isVisible() && bench.bar.text().contains("error 4"));
    }

    /// News of the window meanwhile are shown next to it, as far as there is space.
    void nothingOfADocumentIsLostWhileItIsBehind() {
        Bench bench;
        QStringList acted;
        bench.bar.setDocument(1);
        bench.bar.showOfDocument(NoticeKind::Warning, "damaged");
        bench.bar.showOfDocument(NoticeKind::Info, "imported", "Act", [&] { acted << "1"; });
        bench.bar.setDocument(2);
        bench.bar.showOfDocument(NoticeKind::Warning, "damaged");
        const quint64 run = bench.bar.show(NoticeKind::Success, "saved");
        bench.bar.offerUndo("removed", [] {});
        for (const char* more : {"a", "b", "c"}) {
            bench.bar.show(NoticeKind::Warning, more);
        }
        bench.bar.setDocument(1);
        QCOMPARE(bench.bar.text(), QString("c\nb\na\ndamaged\nremoved"));
        bench.bar.withdraw(run);
        for (const char* close : {"noticeClose4", "noticeClose2", "noticeClose1", "noticeClose"}) {
            bench.close(close);
        }
        QCOMPARE(bench.bar.text(), QString("damaged\nimported"));
        bench.close("noticeButton1");
        QCOMPARE(acted, QStringList{"1"});
    }

    void everyNoticeIsALineOfTheLog() {
        Bench bench;
        LogModel log;
        bench.bar.show(NoticeKind::Warning, "first");
        bench.bar.show(NoticeKind::Success, "second");
        bench.bar.stand("x", NoticeKind::Error, "third");
        QStringList lines;
        const auto hasAll = [&] {
            lines.clear();
            for (const LogEntry& entry : log.entries()) {
                lines << entry.text;
            }
            return lines.contains("first") && lines.contains("second") && lines.contains("third");
        };
        QTRY_VERIFY2(hasAll(), qPrintable(lines.join('|')));
    }

    /// Also by the window that a change of the language builds again.
    void whatIsNotKeptIsShownUntilItIs() {
        Working studio;
        const QString shelf = studio.folder.filePath("model_notes");
        const QString settings = studio.folder.filePath("s.json");
        FoundModel model;
        model.file.path = "/x.safetensors";
        const auto shows = [&](const char* text) {
            return studio.window->controller() &&
                   studio.widgets().notices.text().contains(QLatin1String(text));
        };
        studio.settings.finish();
        QVERIFY(QFile::remove(settings) && QDir().mkpath(settings + "/in the way"));
        testing::writeFile(shelf, "a file in the place of the folder");
        studio.settings.change([](Preferences& preferences) { preferences.theme = "dark"; });
        studio.work().shelf.setNote(model, "y");
        QTRY_VERIFY(shows("s.json") && shows("model_notes"));
        const QPointer<MainWindowController> before = studio.window->controller();
        studio.settings.change([](Preferences& preferences) {
            preferences.language = preferences.language == "en" ? "zh_CN" : "en";
        });
        QTRY_VERIFY_WITH_TIMEOUT(!before, kPatience);
        QTRY_VERIFY(shows("s.json") && shows("model_notes"));
        QVERIFY(QDir(settings).removeRecursively() && QFile::remove(shelf));
        studio.settings.change([](Preferences& preferences) { preferences.theme = "light"; });
        studio.work().shelf.setNote(model, "z");
        QTRY_VERIFY(!shows("s.json") && !shows("model_notes"));
    }

    /// At the top of the canvas, and away from the buttons of the others.
    void itIsSeenInEveryTab() {
        Working studio;
        MainWindowController& controller = *studio.window->controller();
        controller.widgets().notices.show(NoticeKind::Error, "seen everywhere", "Show");
        controller.widgets().notices.stand("x", NoticeKind::Warning, "a condition holds");
        controller.widgets().notices.show(NoticeKind::Success, "saved");
        auto* centre = studio.window->findChild<QTabWidget*>("centre");
        for (int tab = 0; tab < centre->count(); ++tab) {
            centre->setCurrentIndex(tab);
            QTRY_VERIFY(controller.widgets().notices.isVisible());
            QWidget* over = centre->currentWidget();
            const QPoint middle = controller.widgets().notices.rect().center();
            QCOMPARE(centre->childAt(controller.widgets().notices.mapTo(centre, middle))->window(),
                     controller.widgets().notices.window());
            QVERIFY(controller.widgets().notices.isAncestorOf(
                centre->childAt(controller.widgets().notices.mapTo(centre, middle))));
            const QRect area(over->mapFrom(centre, controller.widgets().notices.pos()),
                             controller.widgets().notices.size());
            QCOMPARE(tab == 0 ? area.top() : area.bottom(), tab == 0 ? 0 : over->rect().bottom());
            QCOMPARE(area.width(), over->width());
            test::keepScreenshot(*studio.window, QString("notice_in_tab_%1").arg(tab));
        }
        QCOMPARE(test::textProblems(*studio.window), QStringList());
        studio.settings.change([](Preferences& preferences) { preferences.theme = "dark"; });
        QCoreApplication::processEvents();
        test::keepScreenshot(*studio.window, "notice_dark");
    }

private:
    struct Bench {
        QWidget window;
        NoticeBar bar{window, &window};

        Bench() {
            window.resize(700, 300);
            window.show();
        }

        void close(const char* button) {
            auto* found = bar.findChild<QAbstractButton*>(button);
            QVERIFY(found && found->isVisible());
            QTest::mouseClick(found, Qt::LeftButton);
        }
    };
};

LOWTIDE_WINDOW_TEST(NoticeBarTest)

}  // namespace notice_bar_test

#include "notice_bar_test.moc"
