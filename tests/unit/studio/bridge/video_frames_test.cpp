#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/coloured_video.hpp"
#include "ui/bridge/video_frames.hpp"

#include <QtTest/QtTest>

namespace video_frames_test {

using namespace lowtide;
using namespace lowtide::ui;
using lowtide::testing::isFrame;
using lowtide::testing::writeColours;

namespace {

constexpr int kPatience = 20000;
constexpr Bytes kMuch = 64 * kMiB;

ImageLevels plain(int side) {
    return {QImage(side, side, QImage::Format_RGB888)};
}

/// A video, and the frames that came.
struct Opened {
    explicit Opened(const QString& path, Bytes most = kMuch)
        : image(loadImage(path)), frames(image, most) {
        QObject::connect(
            &frames, &VideoFrames::failed, &frames, [this](const QString& why) { problem = why; });
    }

    /// Wants it and waits; empty: it does not come.
    [[nodiscard]] QColor pixelOf(int frame) {
        QEventLoop loop;
        QObject::connect(&frames, &VideoFrames::arrived, &loop, &QEventLoop::quit);
        QObject::connect(&frames, &VideoFrames::failed, &loop, &QEventLoop::quit);
        QTimer::singleShot(kPatience, &loop, &QEventLoop::quit);
        frames.want(frame);
        if (!frames.find(frame) && problem.isEmpty()) {
            loop.exec();
        }
        const ImageLevels* levels = frames.find(frame);
        return levels ? levels->front().pixelColor(5, 5) : QColor();
    }

    LoadedImage image;
    VideoFrames frames;
    QString problem;
};

}  // namespace

class VideoFramesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
    }

    void whatIsFarthestGoesFirst() {
        const Bytes frame = bytesOf(plain(8));
        FrameCache cache(4 * frame);
        for (const int each : {1, 2, 3, 9}) {
            cache.put(each, plain(8), 3);
        }
        QCOMPARE(cache.bytes(), 4 * frame);
        cache.put(4, plain(8), 3);
        QVERIFY(!cache.find(9));
        cache.put(5, plain(8), 5);
        QVERIFY(!cache.find(1) && cache.find(2));
        cache.put(5, plain(8), 5);
        QCOMPARE(cache.bytes(), 4 * frame);
        cache.setMost(2 * frame, 3);
        QVERIFY(cache.find(3) && cache.bytes() == 2 * frame);
        cache.put(7, plain(64), 7);
        QVERIFY(cache.find(7));
        QCOMPARE(cache.bytes(), bytesOf(plain(64)));
    }

    void showsEveryFrame_data() {
        testing::addRows("format", {"png", "webp_lossless", "webp", "mp4", "webm"});
    }

    /// Also backwards and by leaps, with memory for a few of them only.
    void showsEveryFrame() {
        QFETCH(QString, format);
        const QString path = at("video." + format.section('_', 0, 0));
        writeColours(path, format.toLatin1().constData(), 60);
        Opened video(path, 8 * 32 * 32 * 3);
        QCOMPARE(video.frames.count(), 60);
        QCOMPARE(video.frames.rate(), 12.0);
        QVERIFY(isFrame(video.image.levels.front().pixelColor(5, 5), 0));
        for (const int frame : {0, 1, 2, 59, 58, 57, 10, 48, 0, 30, 29, 31, 59, 5}) {
            const QColor pixel = video.pixelOf(frame);
            QVERIFY2(isFrame(pixel, frame),
                     qPrintable(QString("%1: %2 %3").arg(frame).arg(pixel.name(), video.problem)));
        }
    }

    void takesBoundedMemory() {
        writeColours(at("video.webp"), "webp_lossless", 60);
        const Bytes most = 10 * 32 * 32 * 3;
        Opened video(at("video.webp"), most);
        Bytes seen = 0;
        const auto look = [&] {
            seen = std::max(seen, video.frames.bytes());
            return false;
        };
        for (int frame = 0; frame < 60; frame += 3) {
            QVERIFY(video.pixelOf(frame).isValid());
            (void)QTest::qWaitFor(look, 20);
        }
        QVERIFY2(seen <= most, qPrintable(QString::number(seen)));
        QVERIFY(seen > most / 2);
        video.frames.setMost(most / 2);
        QVERIFY(video.frames.bytes() <= most / 2);
        QVERIFY(video.frames.find(57));
    }

    /// Nothing is read twice, and reading comes to rest.
    void readsAheadAsFarAsMemoryReaches() {
        writeColours(at("video.png"), "png", 40);
        Opened all(at("video.png"));
        QVERIFY(all.pixelOf(1).isValid());
        QTRY_COMPARE_WITH_TIMEOUT(all.frames.bytes(), Bytes{40 * 32 * 32 * 3}, kPatience);
        Opened some(at("video.png"), 10 * 32 * 32 * 3);
        QVERIFY(some.pixelOf(20).isValid());
        QTRY_VERIFY_WITH_TIMEOUT(some.frames.find(24), kPatience);
        QTest::qWait(100);
        QVERIFY(!some.frames.find(25));
    }

    void theNewestRequestCounts() {
        writeColours(at("video.webp"), "webp_lossless", 60);
        Opened video(at("video.webp"));
        QSignalSpy arrived(&video.frames, &VideoFrames::arrived);
        for (const int frame : {50, 20, 59, 40}) {
            video.frames.want(frame);
        }
        QTRY_VERIFY_WITH_TIMEOUT(arrived.count() > 0, kPatience);
        QTest::qWait(100);
        QCOMPARE(arrived.count(), 1);
        QCOMPARE(arrived.first().first().toInt(), 40);
    }

    /// The file was written over by one that has fewer.
    void reportsWhereItEnds_data() { testing::addRows("format", {"png", "webp_lossless", "mp4"}); }

    void reportsWhereItEnds() {
        QFETCH(QString, format);
        const QString path = at("video." + format.section('_', 0, 0));
        writeColours(path, format.toLatin1().constData(), 30);
        Opened video(path, 4 * 32 * 32 * 3);
        writeColours(path, format.toLatin1().constData(), 20);
        QVERIFY(isFrame(video.pixelOf(19), 19));
        QVERIFY(!video.pixelOf(22).isValid());
        QVERIFY2(video.problem.contains("ends after frame 2"), qPrintable(video.problem));
        video.problem.clear();
        QVERIFY(isFrame(video.pixelOf(3), 3));
    }

    void isGone_beforeAFrameArrives() {
        writeColours(at("video.mp4"), "mp4", 60);
        for (int i = 0; i < 5; ++i) {
            Opened video(at("video.mp4"));
            video.frames.want(50);
            QTest::qWait(10 * i);
        }
        QVERIFY(QThreadPool::globalInstance()->waitForDone(kPatience));
    }

private:
    [[nodiscard]] QString at(const QString& name) const { return folder_->filePath(name); }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_TEST(VideoFramesTest)

}  // namespace video_frames_test

#include "video_frames_test.moc"
