// The dialog that writes a model again: what it proposes, how it ends, and what it looks like.
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/input.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/scripted_plugin.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/panels/convert_dialog.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <optional>

namespace convert_dialog_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;

struct Shown {
    QTemporaryDir folder;
    ScriptedPlugin plugin{{}};
    Engine engine{plugin};
    Conversion conversion{engine};
    std::optional<ConvertDialog> dialog;

    explicit Shown(bool isOpen = true) {
        testing::writeFile(at("dream.safetensors"), "source");
        plugin.converter.setChoices(
            Status::Ok, ScriptedConverter::choicesOf(at("dream.safetensors").toStdString()));
        plugin.converter.setGate(isOpen);
    }

    void open() {
        dialog.emplace(conversion, "dream.safetensors", folder.path());
        dialog->show();
        test::bringToFront(*dialog);
    }

    /// Until the storages are there.
    void openWhole() {
        open();
        QTRY_VERIFY_WITH_TIMEOUT(dialog->findChild<QRadioButton*>("q4_k"), kPatience);
        QCoreApplication::sendPostedEvents();  // they have their positions
    }

    [[nodiscard]] QString at(const char* name) const { return folder.filePath(name); }

    template <class Widget>
    Widget& find(const char* name) {
        return *dialog->findChild<Widget*>(name);
    }

    [[nodiscard]] QString path() { return find<QLineEdit>("path").text(); }

    [[nodiscard]] QString message() {
        const auto& label = find<QLabel>("message");
        return label.isVisible() ? label.text() : QString();
    }

    void click(const char* name) {
        auto& widget = find<QAbstractButton>(name);
        test::click(widget, {8, widget.height() / 2});
    }

    [[nodiscard]] QStringList files() const {
        return QDir(folder.path()).entryList(QDir::Files, QDir::Name);
    }
};

}  // namespace

class ConvertDialogTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { test::wear(Theme::Scheme::Light); }

    void eachStorageHasItsSize_andWhatSavesNothingIsGrey() {
        Shown shown;
        shown.openWhole();
        QVERIFY(!shown.find<QRadioButton>("f16").isEnabled());
        QCOMPARE(shown.find<QLabel>("f16Size").text(), QString("not smaller, now 4.7 GiB"));
        QVERIFY(shown.find<QRadioButton>("f16").toolTip().contains("4.7 GiB"));
        QVERIFY(shown.find<QRadioButton>("f8").isChecked());  // the gentlest that saves something
        QCOMPARE(shown.find<QLabel>("f8Size").text(), QString("2.9 GiB, now 4.7 GiB"));
        QCOMPARE(shown.find<QLabel>("q4_kSize").text(), QString("1.4 GiB, now 4.7 GiB"));
        QCOMPARE(shown.message(), QString());
        QCOMPARE(shown.plugin.converter.requests().at(0),
                 (Json{{"checkpoint", "dream.safetensors"},
                       {"graphFolder", shown.folder.path().toStdString()}}));
    }

    void proposesANameThatIsFree() {
        Shown shown;
        testing::writeFile(shown.at("dream_q8_0.gguf"), "another");
        shown.openWhole();
        QCOMPARE(shown.path(), shown.at("dream_f8.safetensors"));
        shown.click("q8_0");
        QCOMPARE(shown.path(), shown.at("dream_q8_0_2.gguf"));
        shown.click("int8");
        QCOMPARE(shown.path(), shown.at("dream_int8.safetensors"));
        const StorageChoice f16{.storage = "f16", .ending = ".safetensors"};
        QCOMPARE(convertedPath(shown.folder.path(), f16),
                 shown.folder.path() + "_unet_f16.safetensors");
    }

    void keepsANameThatWasTyped_withTheEndingOfTheStorage() {
        Shown shown;
        shown.openWhole();
        auto& path = shown.find<QLineEdit>("path");
        path.setFocus();
        path.selectAll();
        QTest::keyClicks(&path, "small.safetensors");
        shown.click("q4_k");
        QCOMPARE(shown.path(), QString("small.gguf"));

        shown.click("convert");

        QTRY_COMPARE_WITH_TIMEOUT(
            shown.files(), (QStringList{"dream.safetensors", "small.gguf"}), kPatience);
    }

    void warnsBeforeAFileIsReplaced() {
        Shown shown;
        testing::writeFile(shown.at("old.safetensors"), "another");
        shown.openWhole();
        auto& path = shown.find<QLineEdit>("path");
        QVERIFY(!shown.find<QLabel>("replaced").isVisible());
        path.selectAll();
        QTest::keyClicks(&path, "old.safetensors");
        QVERIFY(shown.find<QLabel>("replaced").isVisible());
        path.clear();
        QVERIFY(!shown.find<QLabel>("replaced").isVisible());
        QVERIFY(!shown.find<QPushButton>("convert").isEnabled());
    }

    /// By keys alone: choose, convert, use.
    void isUsedByKeys() {
        Shown shown;
        shown.openWhole();
        QSignalSpy used(&*shown.dialog, &ConvertDialog::useAsked);
        QVERIFY(shown.find<QRadioButton>("f8").hasFocus());
        test::press(Qt::Key_Down);
        QVERIFY(shown.find<QRadioButton>("int8").isChecked());
        test::press(Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(shown.find<QPushButton>("use").isVisible(), kPatience);
        QCOMPARE(shown.message(),
                 QString("Written: dream_int8.safetensors, 2.8 GiB. Rounded tensors: 81, by 0.027 "
                         "of their numbers on average."));
        QVERIFY(!shown.find<QLabel>("replaced").isVisible());  // it is the one just written
        test::press(Qt::Key_Return);
        QCOMPARE(used.count(), 1);
        QCOMPARE(used[0][0].toString(), shown.at("dream_int8.safetensors"));
        QVERIFY(!shown.dialog->isVisible());
    }

    void showsHowFarItIs_andCancels() {
        Shown shown(false);
        shown.openWhole();
        shown.click("convert");
        QVERIFY(shown.dialog->isConverting());
        QVERIFY(!shown.find<QRadioButton>("q8_0").isEnabled());
        QVERIFY(!shown.find<QLineEdit>("path").isEnabled());
        QTRY_COMPARE_WITH_TIMEOUT(shown.find<QProgressBar>("convertBar").value(), 333, kPatience);
        QCOMPARE(shown.message(), QString("953.7 MiB of 2.8 GiB"));
        QCOMPARE(shown.find<QPushButton>("close").text(), QString("Cancel"));

        shown.click("close");

        QTRY_COMPARE_WITH_TIMEOUT(
            shown.message(), QString("Cancelled: nothing was written."), kPatience);
        QVERIFY(shown.dialog->isVisible());
        QVERIFY(shown.find<QPushButton>("convert").isEnabled());
        QVERIFY(!shown.find<QPushButton>("use").isVisible());
        QVERIFY(!shown.find<QProgressBar>("convertBar").isVisible());
        QCOMPARE(shown.files(), QStringList{"dream.safetensors"});
        shown.click("close");
        QVERIFY(!shown.dialog->isVisible());
    }

    void closingCancels_andWaitsForTheEnd() {
        Shown shown(false);
        shown.openWhole();
        shown.click("convert");
        shown.dialog->close();
        QVERIFY(shown.dialog->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!shown.dialog->isConverting(), kPatience);
        QCOMPARE(shown.files(), QStringList{"dream.safetensors"});
    }

    void explainsWhyItFailed_andCanBeTriedAgain() {
        Shown shown;
        shown.openWhole();
        shown.plugin.converter.refuse(
            Status::Failed,
            ScriptedConverter::refusal(
                "\"dream_f8.safetensors\" takes 2.9 GiB, the disk of the folder \"models\" has 1.2 "
                "GiB free",
                "free 1.7 GiB there, or choose a folder on another disk"));
        shown.click("convert");
        QTRY_VERIFY_WITH_TIMEOUT(shown.message().contains("has 1.2 GiB free; free 1.7 GiB"),
                                 kPatience);
        QVERIFY(!shown.find<QPushButton>("use").isVisible());
        shown.plugin.converter.refuse(Status::Ok, {});
        shown.click("convert");
        QTRY_VERIFY_WITH_TIMEOUT(shown.find<QPushButton>("use").isVisible(), kPatience);
    }

    void explainsWhyAModelCannotBeConverted() {
        Shown shown;
        shown.plugin.converter.setChoices(
            Status::Invalid,
            ScriptedConverter::refusal("dream holds no denoiser", "choose a checkpoint"));
        shown.open();
        QTRY_COMPARE_WITH_TIMEOUT(
            shown.message(), QString("dream holds no denoiser; choose a checkpoint"), kPatience);
        QVERIFY(!shown.find<QPushButton>("convert").isEnabled());
        QVERIFY(!shown.find<QLineEdit>("path").isEnabled());
    }

    void reportsThatNothingMakesItSmaller() {
        Shown shown;
        Json known = ScriptedConverter::choicesOf(shown.at("dream.safetensors").toStdString());
        for (Json& choice : known["choices"]) {
            choice["source_bytes"] = 1000;
        }
        shown.plugin.converter.setChoices(Status::Ok, known);
        shown.openWhole();
        QCOMPARE(shown.message(), QString("No storage makes it smaller than it is."));
        QVERIFY(!shown.find<QPushButton>("convert").isEnabled());
    }

    void looksRight_data() { test::addSchemes(); }

    void looksRight() {
        QFETCH(bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        Shown shown(false);
        testing::writeFile(shown.at("old.safetensors"), "another");
        shown.openWhole();
        QCOMPARE(test::lookAt(*shown.dialog, "convert_choose"), QString());
        shown.click("convert");
        QTRY_VERIFY_WITH_TIMEOUT(shown.message().contains(" of "), kPatience);
        QCOMPARE(test::lookAt(*shown.dialog, "convert_work"), QString());
        shown.plugin.converter.setGate(true);
        QTRY_VERIFY_WITH_TIMEOUT(shown.find<QPushButton>("use").isVisible(), kPatience);
        QCOMPARE(test::lookAt(*shown.dialog, "convert_done"), QString());
        shown.find<QLineEdit>("path").setText(shown.at("old.safetensors"));
        shown.plugin.converter.refuse(
            Status::Failed,
            ScriptedConverter::refusal("\"old.safetensors\" takes 2.9 GiB, the disk of the folder "
                                       "\"models\" has 1.2 GiB free",
                                       "free 1.7 GiB there, or choose a folder on another disk"));
        shown.click("convert");
        QTRY_VERIFY_WITH_TIMEOUT(shown.message().contains("1.2 GiB"), kPatience);
        QCOMPARE(test::lookAt(*shown.dialog, "convert_failed"), QString());
    }

    void cleanupTestCase() { test::wear(Theme::Scheme::Light); }
};

LOWTIDE_WINDOW_TEST(ConvertDialogTest)

}  // namespace convert_dialog_test

#include "convert_dialog_test.moc"
