// A user's own checkpoint: its folder, the file, an image, a preset.

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/input.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/panels/viewer.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace single_file_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 30000;
constexpr const char* kFile = "sd15_0.safetensors";

}  // namespace

class SingleFileTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();

    void aFolderIsAdded_andItsFilesAreListed();
    void aDoubleClickBringsTheFileIntoTheGraph();
    void itsImageIsTheCommands();
    void asAPresetItComesBack();

    void cleanupTestCase() { studio_.reset(); }

private:
    template <class Widget>
    [[nodiscard]] Widget& widget(const char* name) {
        auto* found = studio_->window().findChild<Widget*>(name);
        if (!found) {
            throw std::runtime_error(std::string("there is no ") + name);
        }
        return *found;
    }

    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
    QString models_;
};

void SingleFileTest::initTestCase() {
    const QDir folder(folder_.path());
    QVERIFY(folder.mkpath("models"));
    models_ = folder.filePath("models");
    QVERIFY(QFile::link(singleFileFolder() + "/" + kFile, models_ + "/" + kFile));
    studio_ = std::make_unique<StudioSession>(folder_.path());
    QVERIFY(studio_->isReady());
    studio_->window().resize(1500, 950);
}

void SingleFileTest::aFolderIsAdded_andItsFilesAreListed() {
    studio_->controller().widgets().panels.show("models");
    answerDialog("QFileDialog", [this](QDialog& dialog) {
        auto* name = dialog.findChild<QLineEdit*>("fileNameEdit");
        QGuiApplication::clipboard()->setText(models_);
        name->selectAll();
        QTest::keyClick(name, Qt::Key_V, Qt::ControlModifier);
        QPushButton* choose =
            dialog.findChild<QDialogButtonBox*>("buttonBox")->button(QDialogButtonBox::Open);
        QVERIFY2(QTest::qWaitFor([&] { return choose->isEnabled(); }, kPatience),
                 qPrintable(name->text()));
        QTest::mouseClick(choose, Qt::LeftButton);
    });
    QTest::mouseClick(&widget<QToolButton>("addFolder"), Qt::LeftButton);
    const auto folders = [&] { return studio_->workspace().settings().preferences().modelFolders; };
    QVERIFY(QTest::qWaitFor([&] { return !folders().isEmpty(); }, kPatience));
    QCOMPARE(folders(), QStringList(models_));
    QVERIFY(test::isMadeActive(studio_->window()));
    auto& list = widget<QTreeWidget>("models");
    QVERIFY(QTest::qWaitFor([&] { return rowNamed(list, kFile).isValid(); }, kPatience));
    QTRY_COMPARE_WITH_TIMEOUT(test::textProblems(studio_->window()), QStringList(), kPatience);
    test::keepScreenshot(studio_->window(), "model_listed");
}

void SingleFileTest::aDoubleClickBringsTheFileIntoTheGraph() {
    auto& list = widget<QTreeWidget>("models");
    doubleClick(list, rowNamed(list, kFile));
    const Json chosen = studio_->model().node("load")->params.at("checkpoint");
    QVERIFY2(QString::fromStdString(chosen.get<std::string>()).endsWith(kFile),
             chosen.dump().c_str());
    QCOMPARE(studio_->controller().widgets().canvas.selectedNodes(),
             (std::set<std::string>{"load"}));
    QTest::keyClick(
        studio_->controller().widgets().canvas.viewport(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(studio_->model().node("load")->params.value("checkpoint", Json()) != chosen);
    QTest::keyClick(studio_->controller().widgets().canvas.viewport(),
                    Qt::Key_Z,
                    Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(studio_->model().node("load")->params.at("checkpoint"), chosen);
}

void SingleFileTest::itsImageIsTheCommands() {
    Hands hands(*studio_);
    hands.clickNode("latent");
    hands.typeValue("width", "typing", "64");
    hands.typeValue("height", "typing", "64");
    hands.clickNode("denoise");
    hands.typeValue("steps", "typing", "4");
    const QueuedRun made = hands.run();
    QVERIFY2(made.state == RunState::Finished,
             made.issues.empty() ? "no issue" : made.issues.front().message.str().c_str());
    QCOMPARE(made.files.size(), 1);

    const QString path = folder_.filePath("own.json");
    QCOMPARE(test::saveAs(studio_->workspace().file, path), QString());
    const QString out = folder_.filePath("command");
    const CommandResult command = runLowtide({"run", path, "--out", out});
    QVERIFY2(command.exitCode == 0, qPrintable(command.errors));
    const QStringList files = QDir(out, "*.png").entryList();
    QCOMPARE(files.size(), 1);
    QCOMPARE(contentsOf(QDir(out).filePath(files.front())), contentsOf(made.files.front()));
}

void SingleFileTest::asAPresetItComesBack() {
    const Json document = graph::toJson(studio_->model().document());
    answerDialog("presetDialog", [](QDialog& dialog) {
        auto* title = dialog.findChild<QLineEdit*>("title");
        retype(*title, "My own model");
        QTest::keyClick(title, Qt::Key_Return);
    });
    Hands hands(*studio_);
    hands.press("file.save_preset");
    hands.press("file.new");
    QVERIFY(studio_->model().node("load")->params.value("checkpoint", Json()) !=
            document["nodes"]["load"]["params"]["checkpoint"]);
    hands.press("view.presets");
    auto& cards = widget<QListView>("presetCards");
    QVERIFY(QTest::qWaitFor([&] { return rowNamed(cards, "My own model").isValid(); }, kPatience));
    doubleClick(cards, rowNamed(cards, "My own model"));
    for (const char* node : {"load", "latent", "denoise"}) {
        QCOMPARE(graph::toJson(studio_->model().document())["nodes"][node]["params"],
                 document["nodes"][node]["params"]);
    }
    test::keepScreenshot(studio_->window(), "own_preset_opened");
}

LOWTIDE_JOURNEY(SingleFileTest)

}  // namespace single_file_test

#include "single_file_test.moc"
