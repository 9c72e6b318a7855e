#include "plugin/files/input_file.hpp"
#include "plugin/graph/document.hpp"
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/input.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/journey/studio/clicks.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/panels/inspector_parts.hpp"
#include "ui/panels/sheet_dialog.hpp"
#include "ui/panels/sheet_view.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <csignal>
#include <cstdio>
#include <memory>

namespace sheets_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 240000;
constexpr const char* kSheetRole = "LOWTIDE_SHEET_CHILD";

AxisEditor& axisIn(QDialog& dialog, const char* name) {
    return *dialog.findChild<AxisEditor*>(QLatin1String(name));
}

void chooseIn(AxisEditor& editor, const QString& title) {
    auto* box = editor.findChild<QComboBox*>("item");
    QVERIFY2(box->findText(title) >= 0, qPrintable(title));
    editor.choose(box->itemData(box->findText(title)).toInt());
}

bool hasImages(SheetView& view) {
    for (int cell = 0; cell < static_cast<int>(view.table().plan().cells()); ++cell) {
        if (view.table().image(cell).isNull()) {
            return false;
        }
    }
    return view.table().plan().cells() > 0;
}

/// A sheet that takes a while; reports when its second cell is at work.
void runSheetUntilKilled(StudioSession& studio) {
    answerDialog("sheet", [&](QDialog& dialog) {
        axisIn(dialog, "x").findChild<QLineEdit*>("numbers")->setText("2, 3, 400, 4");
        dialog.findChild<QPushButton*>("run")->click();
    });
    studio.window().actions().at("run.sheet").trigger();
    const bool isAtWork = QTest::qWaitFor(
        [&] {
            const SheetRecord& sheet = studio.controller().widgets().sheet->table().sheet();
            return sheet.cells.size() == 4 && !sheet.cells[1].files.isEmpty() &&
                   studio.workspace().statuses.of("denoise").done > 2;
        },
        kPatience);
    std::puts(isAtWork ? "at work" : "no sheet");
    std::fflush(stdout);
}

}  // namespace

/// Sheets by mouse and keys, with the real module.
class SheetsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();

    void init() {
        test::failOnQtWarnings();
        beginWatch();
    }

    void cleanup() { endWatch(); }

    void aKilledSheetIsCompleted();
    void howManySteps_inFiveClicks();
    void everyPolicyGivesTheSameImage();

    void cleanupTestCase() { studio_.reset(); }

private:
    [[nodiscard]] SheetView& view() { return *studio_->controller().widgets().sheet; }

    void waitForSheet();

    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
};

void SheetsTest::initTestCase() {
    QProcess child;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(kSheetRole, "1");
    child.setProcessEnvironment(environment);
    child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child.start(QCoreApplication::applicationFilePath(), {"sheets_test", folder_.path()});
    QByteArray message;
    while (!message.contains("at work")) {
        QVERIFY2(child.waitForReadyRead(kPatience), message.constData());
        message += child.readAllStandardOutput();
    }
    QCOMPARE(::kill(static_cast<pid_t>(child.processId()), SIGKILL), 0);
    QVERIFY(child.waitForFinished(kPatience));
    studio_ = std::make_unique<StudioSession>(folder_.path());
    QVERIFY(studio_->isReady());
    studio_->window().resize(1500, 950);
    studio_->model().setSaved();
}

void SheetsTest::waitForSheet() {
    QTRY_VERIFY_WITH_TIMEOUT(!view().table().sheet().image.isEmpty(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(hasImages(view()), kPatience);
}

/// Two cells are done, one was at work, one waited. The long one is given up.
void SheetsTest::aKilledSheetIsCompleted() {
    studio_->window().actions().at("view.sheet").trigger();
    QTRY_COMPARE_WITH_TIMEOUT(view().table().sheet().cells.size(), size_t{4}, kPatience);
    const QStringList done = view().table().sheet().cells[0].files;
    QCOMPARE(done.size(), 1);
    QVERIFY(!QImage(done.front()).isNull());
    answerDialog("runsLeftOpen",
                 [](QDialog& dialog) { dialog.findChild<QPushButton*>("runAgain")->click(); });
    studio_->window().actions().at("run.left_open").trigger();
    QTRY_VERIFY_WITH_TIMEOUT(studio_->workspace().queue.running() != nullptr, kPatience);
    studio_->window().actions().at("run.cancel").trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!view().table().sheet().image.isEmpty(), kPatience);
    const SheetRecord& sheet = view().table().sheet();
    QCOMPARE(sheet.cells[0].files, done);
    QCOMPARE(sheet.cells[2].state, RunState::Cancelled);
    QCOMPARE(sheet.cells[3].state, RunState::Finished);
    QVERIFY(!QImage(sheet.image).isNull());
}

void SheetsTest::howManySteps_inFiveClicks() {
    studio_->controller().files().newGraph();
    studio_->window().actions().at("view.graph").trigger();
    Clicks clicks(*studio_);
    QString time;
    answerDialog("sheet", [&](QDialog& dialog) {
        QTRY_VERIFY_WITH_TIMEOUT(dialog.findChild<QLabel*>("time")->text().startsWith("All"),
                                 kPatience);
        time = dialog.findChild<QLabel*>("time")->text();
        QCOMPARE(test::textProblems(dialog), QStringList());
        test::keepScreenshot(dialog, "sheet_of_steps_asked");
        clicks.on(*dialog.findChild<QPushButton*>("run"));
    });
    clicks.onNode("denoise");
    clicks.onParam("steps");
    clicks.inPopup("varyMenu", "varyColumns");
    waitForSheet();
    qInfo("which step count: %d clicks; %s", clicks.count(), qPrintable(time));
    QVERIFY(clicks.count() <= 5);
    const SheetRecord sheet = view().table().sheet();
    QCOMPARE(sheet.cells.size(), size_t{4});
    // The cell with the graph's own steps is the image of the graph.
    const files::InputFile file(sheet.image.toStdString());
    QVERIFY(test::openPath(studio_->controller().files(), sheet.image));
    const Json steps = studio_->model().node("denoise")->params.at("steps");
    int own = -1;
    for (int cell = 0; cell < 4; ++cell) {
        const SheetPlan& plan = view().table().plan();
        own = plan.x.values[static_cast<size_t>(cell)].value == steps.dump() ? cell : own;
    }
    QVERIFY(own >= 0);
    Hands hands(*studio_);
    const QueuedRun run = hands.run();
    QCOMPARE(run.state, RunState::Finished);
    QCOMPARE(QImage(run.files.front()),
             QImage(sheet.cells[static_cast<size_t>(own)].files.front()));
    QVERIFY(QImage(sheet.cells[0].files.front()) != QImage(sheet.cells[3].files.front()));
    studio_->window().actions().at("view.sheet").trigger();
    QTRY_VERIFY_WITH_TIMEOUT(view().isVisible(), kPatience);
    QCOMPARE(test::textProblems(studio_->window()), QStringList());
    test::keepScreenshot(studio_->window(), "sheet_of_steps");
}

/// Same image, other time and peak.
void SheetsTest::everyPolicyGivesTheSameImage() {
    studio_->model().setSaved();
    studio_->controller().files().newGraph();
    answerDialog("sheet", [&](QDialog& dialog) {
        chooseIn(axisIn(dialog, "x"), "Denoise: Memory policy");
        auto* ticks = axisIn(dialog, "x").findChild<QListWidget*>("ticks");
        const QStringList wanted{"none", "sequential", "leaf+stream"};
        for (int row = 0; row < ticks->count(); ++row) {
            QListWidgetItem* item = ticks->item(row);
            const bool isWanted = wanted.contains(item->data(Qt::UserRole).toString());
            item->setCheckState(isWanted ? Qt::Checked : Qt::Unchecked);
        }
        dialog.findChild<QPushButton*>("run")->click();
    });
    const RunKey before = view().sheet();
    studio_->window().actions().at("run.sheet").trigger();
    QTRY_VERIFY_WITH_TIMEOUT(view().sheet() != before, kPatience);
    waitForSheet();
    const SheetTable& table = view().table();
    QCOMPARE(table.plan().cells(), size_t{3});
    for (int cell = 0; cell < 3; ++cell) {
        QVERIFY(table.sameAs(cell) >= 0);
        QVERIFY(table.sheet().cells[static_cast<size_t>(cell)].executed > 1);
        QVERIFY(table.sheet().cells[static_cast<size_t>(cell)].milliseconds > 0);
        qInfo("%s: %s",
              qPrintable(table.plan().cellTitle(static_cast<size_t>(cell))),
              qPrintable(table.figures(cell)));
    }
    QVERIFY(table.endsOf(SheetTable::Figure::Peak).least >= 0);
    view().findChild<QComboBox*>("marks")->setCurrentIndex(2);
    Q_EMIT view().findChild<QComboBox*>("marks")->activated(2);
    QTest::qWait(100);
    test::keepScreenshot(studio_->window(), "sheet_of_policies");
}

/// The test, or a studio that it starts and kills.
int runSheets(int count, char** words) {
    QApplication::setHighDpiScaleFactorRoundingPolicy(
        Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    WatchedApplication application(count, words);
    if (qEnvironmentVariableIsEmpty(kSheetRole)) {
        GuardedTest<SheetsTest> test;
        return QTest::qExec(&test, count, words);
    }
    StudioSession studio(QApplication::arguments().value(1));
    if (!studio.isReady()) {
        return 1;
    }
    runSheetUntilKilled(studio);
    return application.exec();
}

LOWTIDE_TEST_MAIN(runSheets)

}  // namespace sheets_test

#include "sheets_test.moc"
