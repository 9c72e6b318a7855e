#include "tests/fixtures/command.hpp"
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/fixtures/turned_photo.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/panels/issues_panel.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>

namespace photo_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 120000;

QImage dogOf(int width, int height) {
    return QImage(sourcePath("examples/pictures/dog.png"))
        .scaled(width, height, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
}

/// Whether a node brings images to another size.
bool fits(const GraphModel& model) {
    return std::any_of(model.document().nodes.begin(),
                       model.document().nodes.end(),
                       [](const auto& entry) { return entry.second.type == "image.fit"; });
}

QString firstIssueOf(const QueuedRun& run) {
    return run.issues.empty() ? QString("no issue")
                              : QString::fromStdString(run.issues.front().message.str());
}

}  // namespace

/// Image to image of photographs as phones write them, without another program.
class PhotoTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();

    void aPhotoGoesThroughThePreset();
    void aPhotoThatDoesNotFitIsFitted_byAButton();
    void aSavedJpegOpensAsItsGraph();

    void cleanupTestCase() { studio_.reset(); }

private:
    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
    QString saved_;  ///< a JPEG that a run wrote
};

void PhotoTest::initTestCase() {
    studio_ = std::make_unique<StudioSession>(folder_.path());
    QVERIFY(studio_->isReady());
    studio_->window().resize(1500, 950);
}

/// Twelve megapixels, held upright; the command makes the same file of it.
void PhotoTest::aPhotoGoesThroughThePreset() {
    const QString photo = folder_.filePath("IMG_0001.JPG");
    testing::writeFile(photo, turnedPhoto(dogOf(3024, 4032)));
    Hands hands(*studio_);
    hands.press("view.presets");
    auto& cards = dynamic_cast<QAbstractItemView&>(hands.widget("presetCards"));
    doubleClick(cards, rowNamed(cards, "Image to image"));
    hands.clickNode("load_image");
    hands.typeValue("image", "path", photo);
    hands.clickNode("fit");
    hands.typeValue("width", "typing", "96");
    const QueuedRun run = hands.run();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueOf(run)));
    QCOMPARE(run.files.size(), 1);
    QCOMPARE(QImage(run.files.front()).size(), QSize(96, 128));

    const QString path = folder_.filePath("photo.json");
    QCOMPARE(test::saveAs(studio_->workspace().file, path), QString());
    const CommandResult command = runLowtide({"run", path, "--out", folder_.filePath("command")});
    QVERIFY2(command.exitCode == 0, qPrintable(command.errors));
    QCOMPARE(contentsOf(command.output.trimmed()), contentsOf(run.files.front()));
}

void PhotoTest::aPhotoThatDoesNotFitIsFitted_byAButton() {
    const QString photo = folder_.filePath("odd.jpg");
    testing::writeFile(photo, turnedPhoto(dogOf(101, 131)));
    studio_->model().setSaved();
    const QString path = folder_.filePath("own.json");
    QVERIFY(QFile::copy(sourcePath("examples/graphs/image_to_image.json"), path));
    QVERIFY(test::openPath(studio_->controller().files(), path));
    Hands hands(*studio_);
    hands.clickNode("load_image");
    hands.typeValue("image", "path", photo);
    studio_->controller().widgets().panels.show("issues");
    auto& panel = *studio_->window().findChild<IssuesPanel*>();
    QVERIFY(QTest::qWaitFor([&] { return panel.errorCount() == 1; }, kPatience));
    auto& issues = *panel.findChild<QListView*>("issues");
    QTest::mouseClick(issues.viewport(),
                      Qt::LeftButton,
                      Qt::NoModifier,
                      issues.visualRect(issues.model()->index(0, 0)).center());
    QWidget& fix = hands.widget("fix_0", &panel);
    QTRY_COMPARE_WITH_TIMEOUT(test::textProblems(studio_->window()), QStringList(), kPatience);
    test::keepScreenshot(studio_->window(), "photo_that_does_not_fit");
    QTest::mouseClick(&fix, Qt::LeftButton);
    QVERIFY(fits(studio_->model()));
    QVERIFY(QTest::qWaitFor([&] { return panel.errorCount() == 0; }, kPatience));
    studio_->model().apply("Save as JPEG", [](graph::Document& document) {
        document.nodes.at("denoise").params["steps"] = 2;
        document.nodes.at("save").params["format"] = "jpeg";
    });
    const QueuedRun run = hands.run();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueOf(run)));
    QCOMPARE(run.files.size(), 1);
    saved_ = run.files.front();
    QVERIFY(saved_.endsWith(".jpg"));
    QCOMPARE(QImage(saved_).size(), QSize(96, 128));
}

void PhotoTest::aSavedJpegOpensAsItsGraph() {
    QVERIFY(!saved_.isEmpty());
    studio_->model().setSaved();
    studio_->controller().files().newGraph();
    QVERIFY(!fits(studio_->model()));
    QVERIFY(test::openPath(studio_->controller().files(), saved_));
    QVERIFY(fits(studio_->model()));
    QCOMPARE(studio_->model().node("save")->params.at("format"), Json("jpeg"));
    QCOMPARE(studio_->workspace().file.path(), QString());  // an image is never written over
}

LOWTIDE_JOURNEY(PhotoTest)

}  // namespace photo_test

#include "photo_test.moc"
