// Stable Diffusion XL in one file: chosen in Models for a preset whose own file is not there, and
// run on a rehearsed card that is too small for a budget, and for a policy.

#include "tests/fixtures/command.hpp"
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/panels/issues_panel.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace xl_model_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 30000;
constexpr const char* kOwnFile = "my_xl.safetensors";
constexpr const char* kPreset = "SDXL";

QString firstIssueOf(const QueuedRun& run) {
    return run.issues.empty() ? "no issue"
                              : QString::fromStdString(run.issues.front().message.str());
}

}  // namespace

class XlModelTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();

    void modelsHasAFile_forAPresetThatMissesItsOwn();
    void aCardBelowTheBudgetIsRefused_andAButtonFixesIt();
    void aPolicyThatDoesNotFitIsRefused_andAButtonFixesIt();

    void cleanupTestCase() { studio_.reset(); }

private:
    [[nodiscard]] QWidget& refusal() { return hands_->widget("refusal", memoryPanel_); }

    [[nodiscard]] QString refused() { return refusal().findChild<QLabel*>("text")->text(); }

    [[nodiscard]] bool isPlanned() const {
        const Planned& planned = studio_->workspace().planning.planned();
        return planned.isFresh && planned.plan.is_object();
    }

    /// Without a card and a budget.
    [[nodiscard]] QImage imageOfTheCommand();
    /// What is on the screen at rest, and nothing of it cut off.
    void look(const char* name);

    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
    std::unique_ptr<Hands> hands_;
    QWidget* memoryPanel_ = nullptr;
};

void XlModelTest::initTestCase() {
    const QString models = folder_.filePath("models");
    QVERIFY(QDir().mkpath(models));
    static_cast<void>(linkXlFile("sdxl_1_half", models, "my_xl"));
    studio_ = std::make_unique<StudioSession>(folder_.path());
    QVERIFY(studio_->isReady());
    studio_->window().resize(1500, 950);
    studio_->workspace().settings().change(
        [&](Preferences& preferences) { preferences.modelFolders = QStringList(models); });
    hands_ = std::make_unique<Hands>(*studio_);
}

void XlModelTest::look(const char* name) {
    QTest::qWait(300);
    QTRY_COMPARE_WITH_TIMEOUT(test::textProblems(studio_->window()), QStringList(), kPatience);
    test::keepScreenshot(studio_->window(), name);
}

QImage XlModelTest::imageOfTheCommand() {
    const QString path = folder_.filePath("own.json");
    if (!test::saveAs(studio_->workspace().file, path).isEmpty()) {
        return {};
    }
    Json graph = parseJson(contentsOf(path).toStdString(), "own");
    graph.erase("device");
    graph.erase("memory_budget");
    const QString plain = folder_.filePath("plain.json");
    QFile file(plain);
    if (!file.open(QIODevice::WriteOnly) || file.write(graph.dump().c_str()) < 0) {
        return {};
    }
    file.close();
    const CommandResult command = runLowtide({"run", plain, "--out", folder_.filePath("command")});
    return QImage(command.output.trimmed());
}

void XlModelTest::modelsHasAFile_forAPresetThatMissesItsOwn() {
    hands_->press("view.presets");
    auto& cards = dynamic_cast<QAbstractItemView&>(hands_->widget("presetCards"));
    doubleClick(cards, rowNamed(cards, kPreset));
    auto& issues = *studio_->window().findChild<IssuesPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(issues.errorCount() == 1, kPatience);

    studio_->controller().widgets().panels.show("models");
    auto& list =
        dynamic_cast<QTreeWidget&>(hands_->widget("models", &hands_->widget("modelsPanel")));
    QTRY_VERIFY_WITH_TIMEOUT(rowNamed(list, kOwnFile).isValid(), kPatience);
    look("xl_listed");
    doubleClick(list, rowNamed(list, kOwnFile));

    const Json chosen = studio_->model().node("load")->params.at("checkpoint");
    QVERIFY2(QString::fromStdString(chosen.get<std::string>()).endsWith(kOwnFile),
             chosen.dump().c_str());
    hands_->clickNode("latent");
    hands_->typeValue("width", "typing", "64");
    hands_->typeValue("height", "typing", "64");
    hands_->clickNode("denoise");
    hands_->typeValue("steps", "typing", "2");
    QTRY_VERIFY_WITH_TIMEOUT(issues.errorCount() == 0 && isPlanned(), kPatience);
}

void XlModelTest::aCardBelowTheBudgetIsRefused_andAButtonFixesIt() {
    studio_->controller().widgets().panels.show("memory");
    memoryPanel_ = &hands_->widget("memoryPanel");
    auto& device = dynamic_cast<QComboBox&>(hands_->widget("device", memoryPanel_));
    device.setCurrentIndex(device.findData("fake:6GiB"));
    Q_EMIT device.activated(device.currentIndex());
    QWidget& budget = hands_->widget("budgetField", memoryPanel_);
    retype(budget, "6.3GiB");
    QTest::keyClick(&budget, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(refusal().isVisible(), kPatience);
    QVERIFY2(refused().contains(
                 "The memory budget of 6.3 GiB is more than the 6.0 GiB of the rehearsed GPU"),
             qPrintable(refused()));
    const QueuedRun refusedRun = hands_->run();
    QCOMPARE(refusedRun.state, RunState::Failed);
    look("xl_below_the_budget");

    QTest::mouseClick(&hands_->widget("fix_0", &refusal()), Qt::LeftButton);

    QVERIFY(!studio_->model().document().memoryBudget);
    QTRY_VERIFY_WITH_TIMEOUT(isPlanned(), kPatience);
    answerDialog("rehearsal", [](QDialog& dialog) {
        QTest::mouseClick(dialog.findChild<QPushButton*>("rehearse"), Qt::LeftButton);
    });
    const QueuedRun run = hands_->run();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueOf(run)));
    QCOMPARE(run.files.size(), 1);
    QCOMPARE(QImage(run.files.front()), imageOfTheCommand());
    look("xl_on_a_rehearsed_card");
}

/// The denoiser has 12 MiB of weights in 16 bits.
void XlModelTest::aPolicyThatDoesNotFitIsRefused_andAButtonFixesIt() {
    hands_->clickNode("denoise");
    hands_->typeValue("seed", "typing", "7");
    hands_->typeValue("memory", "text", "model");
    studio_->controller().widgets().panels.show("memory");
    QWidget& budget = hands_->widget("budgetField", memoryPanel_);
    retype(budget, "10MiB");
    QTest::keyClick(&budget, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(refused().contains("Denoise needs"), kPatience);
    QVERIFY2(refused().contains("10.0 MiB are available"), qPrintable(refused()));
    const QueuedRun refusedRun = hands_->run();
    QCOMPARE(refusedRun.state, RunState::Failed);
    look("xl_does_not_fit");

    auto& fix = dynamic_cast<QPushButton&>(hands_->widget("fix_0", &refusal()));
    QCOMPARE(fix.text(), QString("Set the memory policy of Denoise to auto"));
    QTest::mouseClick(&fix, Qt::LeftButton);

    QCOMPARE(studio_->model().node("denoise")->memory, Json("auto"));
    QTRY_VERIFY_WITH_TIMEOUT(isPlanned(), kPatience);
    const QueuedRun run = hands_->run();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueOf(run)));
    QCOMPARE(QImage(run.files.front()), imageOfTheCommand());
    look("xl_streamed");
}

LOWTIDE_JOURNEY(XlModelTest)

}  // namespace xl_model_test

#include "xl_model_test.moc"
