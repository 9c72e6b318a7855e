// A part of an image is made again, and one is cropped and extended: with the pointer, then with
// keys alone.
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/screen/real_studio.hpp"

#include <QtGui>
#include <QtTest/QtTest>

#include <algorithm>

namespace mask_test {

using namespace lowtide::testing;

using Role = AtSpi::Role;

namespace {

constexpr int kSide = 128;  ///< pixels of the images

QImage read(const QString& path) {
    return QImage(path).convertToFormat(QImage::Format_RGB888);
}

}  // namespace

class MaskTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aPartIsRepaintedByMouse();
    void aPartIsRepaintedByKeys();
    void anImageIsCroppedByMouse();
    void anImageIsCroppedByKeys();
    void anImageIsExtendedByMouse();
    void anImageIsExtendedByKeys();

    void cleanupTestCase() { studio_.reset(); }

private:
    /// Shows the image in the viewer, without the pointer or without keys.
    void viewByMouse(const QString& file);
    void viewByKeys(const QString& file);
    [[nodiscard]] AtSpi::Object view();
    /// Where that pixel of the image is on the screen.
    [[nodiscard]] QPoint positionOf(int x, int y);
    void waitReported(const QString& words);
    [[nodiscard]] QStringList files(const QString& names) const;
    /// Whether one of those files has the image at that position.
    [[nodiscard]] bool isPartOfOne(const QString& names, QPoint at, const QImage& image) const;
    void compareWithMask(const QString& before, const QString& after, const QString& mask) const;

    std::optional<RealStudio> studio_;
};

void MaskTest::initTestCase() {
    studio_.emplace();
    studio_->start(studio_->copyGraph("examples/graphs/text_to_image.json", 2));
    studio_->press({"ctrl+Return"});
    studio_->waitHeard("finished in", RealStudio::kRunPatience);
}

void MaskTest::viewByMouse(const QString& file) {
    studio_->click(Role::PageTab, "Gallery");
    studio_->clickOften(studio_->shown(studio_->shown(Role::List, "Images"), Role::ListItem, file));
    studio_->shown(Role::Image, "Image " + file);
}

void MaskTest::viewByKeys(const QString& file) {
    studio_->press({"alt+0"});
    studio_->goTo(Role::List, "Images");
    studio_->selectRow("Images", file, "Right");
    studio_->press({"Return"});
    studio_->shown(Role::Image, "Image " + file);
}

AtSpi::Object MaskTest::view() {
    return studio_->shown(Role::Image, "Image ");
}

/// It is shown in the middle, as large as its description states.
QPoint MaskTest::positionOf(int x, int y) {
    const AtSpi::Object image = view();
    static const QRegularExpression size("shown at (\\d+) %");
    const double zoom =
        size.match(studio_->reader().description(image)).captured(1).toDouble() / 100;
    const QRectF all = studio_->reader().rect(image);
    const QPointF at =
        all.center() + (QPointF(x + 0.5, y + 0.5) - QPointF(kSide, kSide) / 2) * zoom;
    return {qFloor(at.x()), qFloor(at.y())};
}

void MaskTest::waitReported(const QString& words) {
    studio_->waitUntil(words,
                       [&] { return studio_->reader().description(view()).contains(words); });
}

/// In the folder of the graph's own files.
QStringList MaskTest::files(const QString& names) const {
    return QDir(studio_->path("graph.files")).entryList({names}, QDir::Files, QDir::Name);
}

bool MaskTest::isPartOfOne(const QString& names, QPoint at, const QImage& image) const {
    const QStringList all = files(names);
    return std::any_of(all.begin(), all.end(), [&](const QString& name) {
        return read(studio_->path("graph.files/" + name)).copy(QRect(at, image.size())) == image;
    });
}

/// What is not masked is the same, bit for bit; of what is, some is not.
void MaskTest::compareWithMask(const QString& before,
                               const QString& after,
                               const QString& mask) const {
    const QImage old = read(studio_->path("pictures/" + before));
    const QImage made = read(studio_->path("pictures/" + after));
    const QImage masked =
        QImage(studio_->path("graph.files/" + mask)).convertToFormat(QImage::Format_Grayscale8);
    QCOMPARE(old.size(), QSize(kSide, kSide));
    QCOMPARE(made.size(), old.size());
    QCOMPARE(masked.size(), old.size());
    int changed = 0, kept = 0;
    for (int y = 0; y < old.height(); ++y) {
        for (int x = 0; x < old.width(); ++x) {
            const bool isMasked = masked.constScanLine(y)[x] > 0;
            const bool isSame = old.pixel(x, y) == made.pixel(x, y);
            QVERIFY2(isSame || isMasked, qPrintable(QString("%1, %2").arg(x).arg(y)));
            changed += isSame ? 0 : 1;
            kept += isMasked ? 0 : 1;
        }
    }
    QVERIFY(changed > 0);
    QVERIFY(kept > 0);
}

void MaskTest::aPartIsRepaintedByMouse() {
    viewByMouse("lowtide_00001.png");
    studio_->click(Role::CheckBox, "Paint a mask");
    waitReported("0 % of the image is masked");
    studio_->screen().drag({positionOf(30, 40), positionOf(100, 40)});
    waitReported("at 100, 40");
    studio_->keep("mask_stroke");
    studio_->click(Role::CheckBox, "Erase");
    waitReported("The brush erases");
    studio_->screen().drag({positionOf(80, 40), positionOf(110, 40)});
    studio_->click(Role::PushButton, "Undo the last change of the mask");
    studio_->click(Role::PushButton, "Use as inpaint mask");
    studio_->shown(studio_->shown(Role::List, "Graph"), Role::ListItem, "Composite images");
    studio_->click(Role::PushButton, "Run");
    studio_->waitHeard("finished in", RealStudio::kRunPatience);
    QCOMPARE(files("mask-*.png").size(), 1);
    compareWithMask("lowtide_00001.png", "lowtide_00002.png", files("mask-*.png").value(0));
}

void MaskTest::aPartIsRepaintedByKeys() {
    viewByKeys("lowtide_00002.png");
    studio_->press({"ctrl+alt+k"});
    waitReported("0 % of the image is masked");
    studio_->press({"bracketright"});
    studio_->waitHeard("The brush paints");
    studio_->press({"Up", "Up", "Left", "Left"});
    studio_->screen().pressHolding("space", {"Right", "Right", "Right", "Down"});
    studio_->waitHeard("of the image is masked");
    studio_->press({"i"});
    studio_->waitHeard("of the image is masked");
    studio_->press({"ctrl+z"});
    studio_->waitHeard("of the image is masked");
    studio_->press({"e"});
    studio_->waitHeard("The brush erases");
    studio_->screen().pressHolding("space", {});
    studio_->keep("mask_keys");
    studio_->press({"Return"});
    studio_->waitUntil("a second mask", [this] { return files("mask-*.png").size() == 2; });
    studio_->press({"ctrl+Return"});
    studio_->waitHeard("finished in", RealStudio::kRunPatience);
    compareWithMask("lowtide_00002.png", "lowtide_00003.png", files("mask-*.png").value(1));
}

void MaskTest::anImageIsCroppedByMouse() {
    viewByMouse("lowtide_00001.png");
    studio_->click(Role::CheckBox, "Crop or extend");
    waitReported("The frame has 128 x 128 pixels");
    studio_->screen().drag({positionOf(128, 64), positionOf(96, 64)});
    waitReported("The frame has 96 x 128 pixels, from 0, 0 on");
    studio_->keep("crop");
    studio_->click(Role::PushButton, "Crop");
    studio_->waitUntil("the crop", [this] { return files("crop*.png").size() == 1; });
    const QImage part = read(studio_->path("graph.files/" + files("crop*.png").value(0)));
    QCOMPARE(part, read(studio_->path("pictures/lowtide_00001.png")).copy(0, 0, 96, 128));
}

void MaskTest::anImageIsCroppedByKeys() {
    viewByKeys("lowtide_00002.png");
    studio_->press({"ctrl+alt+x"});
    waitReported("The frame has 128 x 128 pixels");
    studio_->press({"shift+Left", "shift+Left"});
    waitReported("The frame has 112 x 128 pixels, from 0, 0 on");
    studio_->press({"Return"});
    studio_->waitUntil("the crop", [this] { return files("crop*.png").size() == 2; });
    const QImage before = read(studio_->path("pictures/lowtide_00002.png"));
    QVERIFY(isPartOfOne("crop*.png", QPoint(0, 0), before.copy(0, 0, 112, 128)));
}

void MaskTest::anImageIsExtendedByMouse() {
    viewByMouse("lowtide_00002.png");
    studio_->click(Role::CheckBox, "Crop or extend");
    waitReported("The frame has 128 x 128 pixels");
    studio_->screen().drag({positionOf(128, 64), positionOf(160, 64)});
    waitReported("The frame has 160 x 128 pixels, from 0, 0 on");
    studio_->click(Role::PushButton, "Extend");
    studio_->waitUntil("the extended image", [this] { return files("extend*.png").size() == 1; });
    const QImage wide = read(studio_->path("graph.files/" + files("extend*.png").value(0)));
    QCOMPARE(wide.copy(0, 0, 128, 128), read(studio_->path("pictures/lowtide_00002.png")));
}

void MaskTest::anImageIsExtendedByKeys() {
    viewByKeys("lowtide_00001.png");
    studio_->press({"ctrl+alt+x"});
    waitReported("The frame has 128 x 128 pixels");
    studio_->press({"shift+Right", "shift+Right", "Left"});
    waitReported("The frame has 144 x 128 pixels, from -8, 0 on");
    studio_->press({"Return"});
    waitReported("144 x 128 pixels");
    waitReported("of the image is masked");
    studio_->keep("extended");
    const QImage before = read(studio_->path("pictures/lowtide_00001.png"));
    QVERIFY(isPartOfOne("extend*.png", QPoint(8, 0), before));
}

LOWTIDE_SCREEN_TEST(MaskTest)

}  // namespace mask_test

#include "mask_test.moc"
