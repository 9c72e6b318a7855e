#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/coloured_video.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/playback.hpp"
#include "ui/panels/viewer.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <cmath>
#include <set>

namespace viewer_video_test {

using namespace lowtide;
using namespace lowtide::ui;
using lowtide::testing::isFrame;
using lowtide::testing::writeColours;

namespace {

constexpr int kPatience = 20000;
constexpr int kFrames = 12;
constexpr double kLarge = 8;  ///< a zoom with which the wipe's handle covers little
constexpr int kShift = 180;   ///< of the other video's colours
constexpr const char* kGraph = R"({"format": 1, "nodes": {"a": {"type": "x"}}})";

/// A viewer on the screen.
struct Shown : Viewer {
    Shown() {
        resize(900, 500);
        show();
        [this] { QVERIFY(QTest::qWaitForWindowExposed(this)); }();
        view().setFocus();
    }

    template <class Part>
    [[nodiscard]] Part& part(const char* name) {
        return *findChild<Part*>(QLatin1String(name));
    }

    void open(const QString& path) {
        QSignalSpy spy(this, &Viewer::shown);
        showFile(path);
        QVERIFY(spy.wait(kPatience));
        QCoreApplication::processEvents();  // the facts take their space
    }

    [[nodiscard]] FrameBar& bar() { return part<FrameBar>("frameBar"); }

    [[nodiscard]] QSlider& slider() { return part<QSlider>("frame"); }

    [[nodiscard]] QString text() { return part<QLabel>("frameText").text(); }

    [[nodiscard]] QLabel& problem() { return part<QLabel>("viewerProblem"); }

    /// In the widget, at a fraction of the image's width, above the handle of the wipe.
    [[nodiscard]] QColor pixelAt(double fraction) {
        const QPointF left = view().positionOf({0, 3});
        const QPointF right = view().positionOf({32, 3});
        const QPoint point = (left + (right - left) * fraction).toPoint();
        const QImage shot = view().grab().toImage();
        return shot.pixelColor(point * shot.devicePixelRatio());
    }

    [[nodiscard]] bool waitFor(int frame, double fraction = 0.25, int shift = 0) {
        return QTest::qWaitFor([&] { return isFrame(pixelAt(fraction), frame, shift); }, kPatience);
    }

    void key(Qt::Key key) { QTest::keyClick(&view(), key); }
};

}  // namespace

class ViewerVideoTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { test::wear(Theme::Scheme::Dark); }

    void init() {
        test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
    }

    void scrubsToAFrame_data() {
        testing::addRows("format", {"png", "webp_lossless", "mp4", "webm"});
    }

    void scrubsToAFrame() {
        QFETCH(QString, format);
        const QString path = video(format.toLatin1().constData());
        Shown viewer;
        viewer.open(path);
        QVERIFY(viewer.bar().isVisible());
        QVERIFY(isFrame(viewer.pixelAt(0.25), 0));
        QCOMPARE(viewer.text(), QString("1 / 12 · 0.00 s"));

        for (const int frame : {7, 11, 3, 0}) {
            viewer.slider().setValue(frame);
            QVERIFY2(viewer.waitFor(frame), qPrintable(QString::number(frame)));
        }
        viewer.slider().setValue(9);
        QCOMPARE(viewer.text(), QString("10 / 12 · 0.75 s"));
    }

    void reportsHowLongItIs_data() { scrubsToAFrame_data(); }

    void reportsHowLongItIs() {
        QFETCH(QString, format);
        Shown viewer;
        viewer.open(video(format.toLatin1().constData(), kFrames, 0, {{"lowtide_graph", kGraph}}));
        auto& facts = viewer.part<QTreeWidget>("facts");
        QStringList lines;
        for (int i = 0; i < facts.topLevelItemCount(); ++i) {
            lines << facts.topLevelItem(i)->text(0) + ": " + facts.topLevelItem(i)->text(1);
        }
        QVERIFY(lines.contains("Size: 32 x 32 pixels"));
        QVERIFY(lines.contains("Frames: 12"));
        QVERIFY(lines.contains("Rate: 12 fps"));
        QVERIFY2(lines.contains("Length: 1.0 s"), qPrintable(lines.join('\n')));
        QVERIFY(
            lines.filter(QRegularExpression("^(vendor_id|.*brand|language|handler)")).isEmpty());
        QVERIFY(viewer.part<QToolButton>("openGraph").isEnabled());
    }

    void obeysTheKeyboard() {
        Shown viewer;
        viewer.open(video("png"));
        const auto press = [&](Qt::Key key) {
            viewer.key(key);
            return viewer.slider().value();
        };
        QCOMPARE(press(Qt::Key_Left), 0);
        QCOMPARE(press(Qt::Key_Right), 1);
        QCOMPARE(press(Qt::Key_End), kFrames - 1);
        QCOMPARE(press(Qt::Key_Left), kFrames - 2);
        QVERIFY(viewer.waitFor(kFrames - 2));
        QCOMPARE(press(Qt::Key_Home), 0);
        press(Qt::Key_Space);
        QVERIFY(viewer.bar().isPlaying());
        press(Qt::Key_Right);
        QVERIFY(!viewer.bar().isPlaying());
        viewer.slider().setFocus();
        QTest::keyClick(&viewer.slider(), Qt::Key_Space);
        QVERIFY(viewer.bar().isPlaying());
    }

    /// Every frame in its turn, at the rate of the file, and from the begin again.
    void playsOverAndOver() {
        Shown viewer;
        viewer.open(video("webp_lossless"));
        QSignalSpy wanted(&viewer.bar(), &FrameBar::frameWanted);
        auto& play = viewer.part<QToolButton>("play");
        QCOMPARE(play.accessibleName(), QString("Play (Space)"));
        QElapsedTimer clock;
        clock.start();
        QTest::mouseClick(&play, Qt::LeftButton);
        QCOMPARE(play.accessibleName(), QString("Pause (Space)"));
        std::set<int> seen;
        QTRY_VERIFY_WITH_TIMEOUT((seen.insert(viewer.bar().frame()), wanted.count() >= kFrames + 2),
                                 kPatience);
        const double seconds = static_cast<double>(clock.elapsed()) / 1000;
        for (int i = 0; i < kFrames + 2; ++i) {
            QCOMPARE(wanted.at(i).first().toInt(), (i + 1) % kFrames);
        }
        QVERIFY2(seconds > 14 / 12.0 - 0.01, qPrintable(QString::number(seconds)));
        QTest::mouseClick(&play, Qt::LeftButton);
        const int at = viewer.bar().frame();
        QVERIFY(viewer.waitFor(at));
        QTest::qWait(200);
        QCOMPARE(viewer.bar().frame(), at);
    }

    void pauses_whenItIsNotSeen() {
        Shown viewer;
        viewer.open(video("png"));
        viewer.bar().setPlaying(true);
        viewer.hide();
        QVERIFY(!viewer.bar().isPlaying());
        viewer.show();
        viewer.bar().setPlaying(true);
        viewer.showImage(QImage(8, 8, QImage::Format_RGB32), "x");
        QVERIFY(!viewer.bar().isPlaying());
    }

    void aSingleImageHasNoBar() {
        Shown viewer;
        const QString still = at("still.png");
        QVERIFY(QImage(32, 32, QImage::Format_RGB888).save(still));
        viewer.open(video("png"));
        viewer.open(still);
        QVERIFY(!viewer.bar().isVisible());
        viewer.view().zoomTo(3);
        viewer.key(Qt::Key_Home);  // is the view's own again
        QVERIFY(viewer.view().isFitted());
        viewer.open(video("png", 1));
        QVERIFY(!viewer.bar().isVisible());
    }

    void zoomAndPositionRemain() {
        Shown viewer;
        viewer.open(video("png"));
        viewer.view().zoomTo(9);
        const QPointF point = viewer.view().positionOf({3, 4});
        viewer.slider().setValue(5);
        QVERIFY(viewer.waitFor(5));
        QCOMPARE(viewer.view().zoom(), 9.0);
        QCOMPARE(viewer.view().positionOf({3, 4}), point);
    }

    void copiesTheFrameThatIsShown() {
        Shown viewer;
        viewer.open(video("png"));
        viewer.slider().setValue(8);
        QVERIFY(viewer.waitFor(8));
        QTest::mouseClick(&viewer.part<QToolButton>("copy"), Qt::LeftButton);
        QVERIFY(isFrame(QGuiApplication::clipboard()->image().pixelColor(3, 3), 8));
    }

    void twoVideosGoInStep() {
        Shown viewer;
        viewer.open(video("png", kFrames));
        viewer.view().zoomTo(kLarge);
        viewer.slider().setValue(4);
        QVERIFY(viewer.waitFor(4));
        viewer.part<QToolButton>("compare").click();
        viewer.open(video("webp_lossless", 8, kShift));
        QVERIFY(viewer.view().isComparing());
        QCOMPARE(viewer.slider().value(), 4);
        QVERIFY(viewer.waitFor(4, 0.25, kShift) && viewer.waitFor(4, 0.75));
        viewer.slider().setValue(6);
        QVERIFY(viewer.waitFor(6, 0.25, kShift) && isFrame(viewer.pixelAt(0.75), 6));
        // The shorter one remains at its last.
        viewer.slider().setValue(11);
        QVERIFY(viewer.waitFor(7, 0.25, kShift) && isFrame(viewer.pixelAt(0.75), 11));
        viewer.part<QToolButton>("compare").click();
        QVERIFY(!viewer.view().isComparing());
        QCOMPARE(viewer.slider().maximum(), 7);
        QVERIFY(viewer.waitFor(7, 0.75, kShift));
    }

    /// The line states how far the frames are apart that are shown, not those that were.
    void theDifferenceIsThatOfTheFrame() {
        Shown viewer;
        viewer.open(video("png", kFrames));
        viewer.part<QToolButton>("compare").click();
        viewer.open(video("webp_lossless", 4));  // then remains at its last
        viewer.view().setWay(CompareWay::Difference);
        const QLabel& apart = viewer.part<QLabel>("apart");
        QTRY_COMPARE_WITH_TIMEOUT(apart.text(), QString("Identical."), kPatience);
        viewer.slider().setValue(kFrames - 1);
        QTRY_VERIFY_WITH_TIMEOUT(apart.text().startsWith("Up to "), kPatience);
        viewer.slider().setValue(2);
        QTRY_COMPARE_WITH_TIMEOUT(apart.text(), QString("Identical."), kPatience);
        QVERIFY(apart.isVisible());
    }

    void anImageRemainsNextToAVideo() {
        Shown viewer;
        QImage still(32, 32, QImage::Format_RGB888);
        still.fill(Qt::white);
        viewer.showImage(still, "still");
        viewer.view().zoomTo(kLarge);
        viewer.part<QToolButton>("compare").click();
        viewer.open(video("png"));
        viewer.slider().setValue(5);
        QVERIFY(viewer.waitFor(5));
        QCOMPARE(viewer.pixelAt(0.75), QColor(Qt::white));
        viewer.showImage(still, "still");
        QVERIFY(!viewer.bar().isVisible());
    }

    /// The video that was kept moves on the right of an image.
    void aVideoPlaysOnNextToAnImage() {
        Shown viewer;
        QImage still(32, 32, QImage::Format_RGB888);
        still.fill(Qt::white);
        viewer.open(video("png"));
        viewer.view().zoomTo(kLarge);
        viewer.part<QToolButton>("compare").click();
        viewer.showImage(still, "still");
        QVERIFY(viewer.bar().isVisible());
        viewer.slider().setValue(5);
        QVERIFY(viewer.waitFor(5, 0.75));
        QCOMPARE(viewer.pixelAt(0.25), QColor(Qt::white));
    }

    void theFrameIsThereAgain_afterARunWasWatched() {
        Shown viewer;
        viewer.open(video("png"));
        viewer.slider().setValue(5);
        QVERIFY(viewer.waitFor(5));
        QImage live(32, 32, QImage::Format_RGB32);
        live.fill(Qt::white);
        viewer.showLive(live, "step 1");
        QVERIFY(!viewer.bar().isVisible());
        QTest::qWait(50);
        QCOMPARE(viewer.pixelAt(0.25), QColor(Qt::white));
        viewer.endLive();
        QVERIFY(viewer.bar().isVisible());
        QCOMPARE(viewer.slider().value(), 5);
        QVERIFY(viewer.waitFor(5));
        viewer.slider().setValue(6);
        QVERIFY(viewer.waitFor(6));
    }

    void explainsWhyAVideoCannotBeShown_data() {
        constexpr int kNearlyAll = 1 << 20;
        testing::addTable<QString, int, QString>(
            {"format", "bytes", "words"},
            {{"PNG", "png", kNearlyAll, "cannot be read as a PNG image"},
             {"WebP", "webp_lossless", kNearlyAll, "its data are damaged"},
             {"MP4", "mp4", 100, "is no video that ffprobe can read"},
             {"WebM", "webm", 100, "is no video that ffprobe can read"}});
    }

    void explainsWhyAVideoCannotBeShown() {
        QFETCH(QString, format);
        QFETCH(int, bytes);
        QFETCH(QString, words);
        const QString path = video(format.toLatin1().constData());
        const QByteArray whole = testing::contentsOf(path);
        testing::writeFile(path, whole.first(std::min<qsizetype>(bytes, whole.size() - 40)));
        Shown viewer;
        viewer.open(path);
        QVERIFY(viewer.problem().isVisible());
        QVERIFY2(viewer.problem().text().contains(words), qPrintable(viewer.problem().text()));
        QVERIFY(!viewer.bar().isVisible());
    }

    void reportsThatFfmpegIsMissing() {
        const QString path = video("mp4");
        const QByteArray programs = qgetenv("PATH");
        qputenv("PATH", "/nowhere");
        Shown viewer;
        viewer.open(path);
        qputenv("PATH", programs);
        QVERIFY2(viewer.problem().text().contains("needs the program ff"),
                 qPrintable(viewer.problem().text()));
    }

    /// Other frames can still be seen.
    void explainsWhyAFrameCannotBeShown() {
        Shown viewer;
        const QString path = video("mp4", 300);
        viewer.open(path);
        (void)video("mp4", 40);  // written over
        viewer.slider().setValue(250);
        QTRY_VERIFY_WITH_TIMEOUT(viewer.problem().isVisible(), kPatience);
        QVERIFY2(viewer.problem().text().contains("ends after frame"),
                 qPrintable(viewer.problem().text()));
        QVERIFY(viewer.bar().isVisible());
        viewer.slider().setValue(299);
        viewer.bar().setPlaying(true);
        QTRY_VERIFY_WITH_TIMEOUT(!viewer.problem().isVisible(), kPatience);
        viewer.bar().setPlaying(false);
        QVERIFY(viewer.waitFor(viewer.bar().frame()));
    }

    void looksRight_data() { test::addSchemes(); }

    void looksRight() {
        QFETCH(bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        const QString path = at("video.webp");
        writeColours(path, "webp_lossless", 17, 480, 0, 16, {{"lowtide_graph", kGraph}});
        Shown viewer;
        viewer.open(path);
        viewer.slider().setValue(12);
        QVERIFY(QTest::qWaitFor(
            [&] {
                const QImage shot = viewer.view().grab().toImage();
                return isFrame(shot.pixelColor(shot.rect().center()), 12);
            },
            kPatience));
        QCOMPARE(test::lookAt(viewer, "viewer_video"), QString());
        viewer.resize(420, 300);
        QCOMPARE(test::lookAt(viewer, "viewer_video_small"), QString());
    }

private:
    [[nodiscard]] QString at(const QString& name) const { return folder_->filePath(name); }

    [[nodiscard]] QString video(const char* format,
                                int frames = kFrames,
                                int shift = 0,
                                std::vector<image::ImageText> texts = {}) const {
        const QString path = at("video." + QString(format).section('_', 0, 0));
        writeColours(path, format, frames, 32, shift, 12, std::move(texts));
        return path;
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_WINDOW_TEST(ViewerVideoTest)

}  // namespace viewer_video_test

#include "viewer_video_test.moc"
