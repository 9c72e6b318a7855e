// Log and report in a real window: opened by keys and menus, saved and copied as they are shown.
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/studio/report_dialog.hpp"

namespace problem_report_dialog_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

QString previewOf(QDialog& dialog) {
    auto* preview = dialog.findChild<QPlainTextEdit*>("reportPreview");
    auto* save = dialog.findChild<QPushButton*>("saveReport");
    [&] { QTRY_VERIFY_WITH_TIMEOUT(save->isEnabled(), kPatience); }();
    return preview->toPlainText();
}

void toggle(QDialog& dialog, const char* name) {
    auto* box = dialog.findChild<QCheckBox*>(name);
    test::click(*box, QPoint(8, box->height() / 2));
}

}  // namespace

class ProblemReportDialogTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void theLogOpensByItsKey_andStatesThatTheEngineRuns() {
        Working studio;
        test::press(Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(studio.widgets().panels.isShown("log"));
        auto* panel = studio.window->findChild<LogPanel*>();
        QTRY_VERIFY(panel->text().contains("the engine runs"));
    }

    void runsAreReportedInTheLog() {
        Working studio;
        studio.plugin.script().setScript(
            graph::toText(studio.model().document()), [](ScriptedRunner::Stage& stage) {
                stage.send({{"event", "runStarted"}, {"nodes", {"denoise"}}, {"repetitions", 1}});
                return Json{{"status", "ok"}, {"executed", 1}};
            });
        studio.action("run.start").trigger();
        studio.action("view.log").trigger();
        auto* panel = studio.window->findChild<LogPanel*>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->text().contains("run 1: finished after"), kPatience);
    }

    void showsExactlyWhatItCopies_withoutPrompts_untilTheyAreTicked_data() {
        testing::addRows("scheme", {"light", "dark"});
    }

    void showsExactlyWhatItCopies_withoutPrompts_untilTheyAreTicked() {
        QFETCH(QString, scheme);
        Working studio;
        studio.appearance.use(scheme);
        studio.model().apply("Prompt", [](graph::Document& document) {
            document.nodes.at("encode").params["prompt"] = "a secret lighthouse";
        });
        answer("reportProblem", [&](QDialog& dialog) {
            const QString plain = previewOf(dialog);
            test::keepScreenshot(dialog, "report_problem_" + scheme);
            QVERIFY2(!plain.contains("secret"), qPrintable(plain));
            QVERIFY(!plain.contains(QDir::homePath() + "/"));
            QVERIFY(plain.contains("\"qt\": \"6."));
            QVERIFY(plain.contains("denoise.sample"));
            QVERIFY(plain.contains("the engine runs"));
            toggle(dialog, "hasTexts");
            QTRY_VERIFY(previewOf(dialog).contains("a secret lighthouse"));
            toggle(dialog, "hasGraph");
            QTRY_VERIFY(!previewOf(dialog).contains("denoise.sample"));
            dialog.findChild<QPlainTextEdit*>("reportDescription")->setFocus();
            test::type("it ended at once");
            QTRY_VERIFY(previewOf(dialog).contains("\"description\": \"it ended at once\""));
            auto* copy = dialog.findChild<QPushButton*>("copyReport");
            test::click(*copy, copy->rect().center());
            QCOMPARE(QGuiApplication::clipboard()->text(), previewOf(dialog));
            qobject_cast<ReportDialog*>(&dialog)->save(studio.folder.filePath("report.json"));
            QTRY_VERIFY(QFile::exists(studio.folder.filePath("report.json")));
            QCOMPARE(QString::fromUtf8(testing::contentsOf(studio.folder.filePath("report.json"))),
                     previewOf(dialog));
            test::press(Qt::Key_Escape);
        });
        studio.action("help.report").trigger();
    }

    void anErrorOffersTheReport() {
        Working studio;
        bool isReported = false;
        answer("error", [&](QDialog& box) {
            auto* error = qobject_cast<QMessageBox*>(&box);
            QAbstractButton* report = nullptr;
            for (QAbstractButton* button : error->buttons()) {
                report = error->buttonRole(button) == QMessageBox::HelpRole ? button : report;
            }
            QVERIFY(report);
            answer("reportProblem", [&](QDialog& dialog) {
                QVERIFY(previewOf(dialog).contains("it cannot be read: no such thing"));
                isReported = true;
                dialog.reject();
            });
            test::click(*report, report->rect().center());
        });
        showError(studio.window.operator->(), "it cannot be read", "no such thing", "try again");
        QTRY_VERIFY(isReported);
    }

    void anErrorClosesByEscape_andByTheButtonOfItsFrame() {
        Working studio;
        answer("error", [](QDialog& box) { QTest::keyClick(&box, Qt::Key_Escape); });
        showError(studio.window.operator->(), "it cannot be read", "no such thing", "try again");
        answer("error", [](QDialog& box) { QVERIFY(box.close()); });
        showError(studio.window.operator->(), "it cannot be read", "no such thing", "try again");
    }

    void anEngineThatDoesNotStartCanBeReported() {
        Opened opened([]() -> Plugin& {
            throw Error(ErrorKind::Unsupported,
                        Message("another libtorch is mapped"),
                        Message("start alone"));
        });
        QTRY_VERIFY(opened.window->startPage());
        QTRY_VERIFY(!opened.window->log().entries().empty() &&
                    opened.window->log().entries().back().text.contains("another libtorch"));
        bool isReported = false;
        answer("reportProblem", [&](QDialog& dialog) {
            isReported = previewOf(dialog).contains("another libtorch is mapped");
            dialog.reject();
        });
        QVERIFY(opened.window->actions().at("help.report").isEnabled());
        opened.window->actions().at("help.report").trigger();
        QVERIFY(isReported);
    }
};

LOWTIDE_WINDOW_TEST(ProblemReportDialogTest)

}  // namespace problem_report_dialog_test

#include "problem_report_dialog_test.moc"
