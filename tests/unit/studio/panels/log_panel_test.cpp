#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/input.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/panels/log_panel.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace log_panel_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

struct Source final : LogSource {
    void add(LogReader& reader) noexcept override { reader_ = &reader; }

    void remove(LogReader&) noexcept override { reader_ = nullptr; }

    void write(Level level, const char* text) const {
        reader_->line(level, 1'700'000'000'000, text);
    }

private:
    LogReader* reader_ = nullptr;
};

/// A panel with lines of every level, in the size that it has below a canvas.
struct Shown {
    Source source;
    LogModel logModel;
    LogPanel panel{logModel};

    Shown() {
        logModel.follow(&source);
        QCoreApplication::processEvents();
        logModel.clear();  // of what other tests wrote
        panel.resize(900, 260);
        panel.show();
        test::bringToFront(panel);
    }

    void fill() {
        source.write(Level::Debug, "GC details: nothing");
        source.write(Level::Info, "run 1 begins on cuda:0, budget 6GiB");
        source.write(Level::Warning, "no more is pinned, copies are slower");
        source.write(Level::Error, "run 1: failed after 3.2 s; decode: no memory is left");
        QTRY_COMPARE(logModel.entries().size(), size_t{4});
    }

    template <class Widget>
    Widget& part(const char* name) {
        return *panel.findChild<Widget*>(name);
    }

    [[nodiscard]] QAbstractItemModel& rows() { return *part<QListView>("logLines").model(); }

    void press(const char* button) {
        auto& widget = part<QToolButton>(button);
        test::click(widget, widget.rect().center());
    }
};

}  // namespace

class LogPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        test::wear(Theme::Scheme::Light);
        test::failOnQtWarnings();
    }

    void looksRight_data() { test::addSchemes(); }

    void looksRight() {
        QFETCH(bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        Shown shown;
        shown.fill();
        QCOMPARE(test::lookAt(shown.panel, "log_panel"), QString());
    }

    void showsInformationAndAbove_untilAnotherLevelIsChosen() {
        Shown shown;
        shown.fill();
        QCOMPARE(shown.rows().rowCount(), 3);
        auto& level = shown.part<QComboBox>("logLevel");
        level.setFocus();
        test::press(Qt::Key_Home);
        QCOMPARE(shown.rows().rowCount(), 4);
        test::press(Qt::Key_End);
        QCOMPARE(shown.rows().rowCount(), 1);
        QVERIFY(shown.rows().index(0, 0).data().toString().contains("failed"));
    }

    void findsLinesWithAText() {
        Shown shown;
        shown.fill();
        shown.part<QLineEdit>("logSearch").setFocus();
        test::type("pinned");
        QCOMPARE(shown.rows().rowCount(), 1);
        test::type("xyz");
        QCOMPARE(shown.rows().rowCount(), 0);
        QVERIFY(shown.part<QLabel>("noLog").isVisible());
    }

    void copiesTheSelectedLines_elseThoseThatAreShown() {
        Shown shown;
        shown.fill();
        shown.press("copyLog");
        QCOMPARE(QGuiApplication::clipboard()->text().count('\n'), 3);
        auto& list = shown.part<QListView>("logLines");
        test::click(*list.viewport(), list.visualRect(shown.rows().index(1, 0)).center());
        test::press(Qt::Key_C, Qt::ControlModifier);
        const QString text = QGuiApplication::clipboard()->text();
        QCOMPARE(text.count('\n'), 1);
        QVERIFY2(text.endsWith("  warning  engine  no more is pinned, copies are slower\n"),
                 qPrintable(text));
    }

    void savesThem() {
        QTemporaryDir folder;
        Shown shown;
        shown.fill();
        QSignalSpy saved(&shown.panel, &LogPanel::saved);
        shown.panel.save(folder.filePath("a.log"));
        QVERIFY(saved.wait());
        QCOMPARE(QString::fromUtf8(testing::contentsOf(folder.filePath("a.log"))),
                 shown.panel.text());
        QCOMPARE(saved.front().at(1).toString(), QString());
        shown.panel.save(folder.filePath("none/a.log"));
        QVERIFY(saved.wait());
        QVERIFY(!saved.back().at(1).toString().isEmpty());
    }

    void clearEmptiesTheList() {
        Shown shown;
        shown.fill();
        shown.press("clearLog");
        QCOMPARE(shown.rows().rowCount(), 0);
        QVERIFY(shown.part<QLabel>("noLog").isVisible());
        QVERIFY(!shown.part<QToolButton>("copyLog").isEnabled());
    }

    void followsTheNewestLine_untilSomebodyScrollsUp() {
        Shown shown;
        const auto write = [&](int count) {
            for (int i = 0; i < count; ++i) {
                shown.source.write(Level::Info, "a line");
            }
            QCoreApplication::processEvents();
            QCoreApplication::processEvents();
        };
        QScrollBar& bar = *shown.part<QListView>("logLines").verticalScrollBar();
        write(100);
        QTRY_VERIFY(bar.maximum() > 0);
        QTRY_COMPARE(bar.value(), bar.maximum());
        shown.part<QListView>("logLines").setFocus();
        bar.triggerAction(QAbstractSlider::SliderPageStepSub);  // as a wheel does
        QVERIFY(!shown.part<QToolButton>("followLog").isChecked());
        const int position = bar.value();
        write(100);
        QCOMPARE(bar.value(), position);
        shown.press("followLog");
        QTRY_COMPARE(bar.value(), bar.maximum());
    }

    /// A full log that gets lines all the time: each row once, no reset of the whole list.
    void takesLinesAtFullLengthQuickly() {
        Shown shown;
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 20'000; ++i) {
            shown.source.write(Level::Info, "a line of a run that logs much");
            if (i % 200 == 0) {
                QCoreApplication::processEvents();
            }
        }
        QCoreApplication::processEvents();
        QCOMPARE(shown.rows().rowCount(), static_cast<int>(LogModel::kMostLines));
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
    }
};

LOWTIDE_WINDOW_TEST(LogPanelTest)

}  // namespace log_panel_test

#include "log_panel_test.moc"
