// The dialog of settings: what is typed counts when it is done, not at every key.
#include "tests/fixtures/input.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "ui/studio/settings_dialog.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace settings_dialog_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

struct Shown {
    QTemporaryDir folder;
    Settings settings{folder.filePath("settings.json")};
    SettingsDialog dialog{settings, {"cpu"}, "/pictures"};

    Shown() {
        dialog.show();
        test::bringToFront(dialog);
    }

    QLineEdit& field(const char* name) { return *dialog.findChild<QLineEdit*>(name); }

    void type(const char* name, const char* text) {
        field(name).setFocus();
        QTest::keyClicks(&field(name), text);
    }

    [[nodiscard]] QString valueOf(const char* name) const {
        const Preferences& preferences = settings.preferences();
        return QByteArray(name) == "budget" ? preferences.memoryBudget : preferences.outputFolder;
    }
};

}  // namespace

class SettingsDialogTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void halfOfWhatIsTypedIsNoSetting_data() {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QByteArray>("typed");
        QTest::newRow("folder") << QByteArray("outputFolder") << QByteArray("/pictures/2026");
        QTest::newRow("budget") << QByteArray("budget") << QByteArray("64GiB");  // 6, then 64
        QTest::newRow("budgets") << QByteArray("budget") << QByteArray("cuda:0=20GiB,cpu=8GiB");
    }

    /// A run that begins meanwhile uses no half of it, and no key waits for the disk.
    void halfOfWhatIsTypedIsNoSetting() {
        QFETCH(QByteArray, field);
        QFETCH(QByteArray, typed);
        Shown shown;
        QSignalSpy changed(&shown.settings, &Settings::changed);

        shown.type(field, typed);

        QCOMPARE(changed.count(), 0);
        QTest::keyClick(&shown.field(field), Qt::Key_Tab);
        QCOMPARE(shown.valueOf(field), QString(typed));
        QCOMPARE(changed.count(), 1);
    }

    void whatIsTypedIsKept_whenTheDialogCloses_data() { halfOfWhatIsTypedIsNoSetting_data(); }

    void whatIsTypedIsKept_whenTheDialogCloses() {
        QFETCH(QByteArray, field);
        QFETCH(QByteArray, typed);
        Shown shown;
        shown.type(field, typed);
        shown.dialog.close();
        QCOMPARE(shown.valueOf(field), QString(typed));
    }

    void aBudgetThatIsNoneIsReported_andNotKept() {
        Shown shown;
        shown.type("budget", "much");
        const QList<QLabel*> labels = shown.dialog.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->isVisible() && label->text().contains("6GiB");
        }));
        shown.dialog.close();
        QCOMPARE(shown.valueOf("budget"), QString());
    }

    void whatTheDesktopHearsIsChosenHere() {
        Shown shown;
        test::keepScreenshot(shown.dialog, "settings");
        QCOMPARE(test::textProblems(shown.dialog), QStringList());
        const auto toggle = [&](const char* name) {
            auto* box = shown.dialog.findChild<QCheckBox*>(name);
            test::click(*box, QPoint(8, box->height() / 2));
        };
        auto* seconds = shown.dialog.findChild<QSpinBox*>("notifyAfter");
        seconds->setFocus();
        seconds->selectAll();
        test::type("90");
        test::press(Qt::Key_Tab);
        QCOMPARE(shown.settings.preferences().notifyAfterSeconds, 90);
        toggle("notifies");
        QVERIFY(!shown.settings.preferences().notifiesOfRuns);
        QVERIFY(!seconds->isEnabled());
        toggle("keepsAwake");
        QVERIFY(!shown.settings.preferences().keepsAwake);
        shown.settings.finish();
        const Settings again(shown.folder.filePath("settings.json"));
        QCOMPARE(again.preferences(), shown.settings.preferences());
    }
};

LOWTIDE_WINDOW_TEST(SettingsDialogTest)

}  // namespace settings_dialog_test

#include "settings_dialog_test.moc"
