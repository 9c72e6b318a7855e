// Results come into the viewer by themselves, and leave alone what the user chose to look at.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/panels/viewer.hpp"

#include <semaphore>

namespace following_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kSide = 16;

void paint(const QString& path) {
    QImage image(kSide, kSide, QImage::Format_RGB888);
    image.fill(Qt::darkCyan);
    QVERIFY(image.save(path));
}

/// A window whose runs, one for each seed, write an image without a preview when they may end.
struct Following : Working {
    ~Following() { mayEnd->release(1000); }

    [[nodiscard]] Viewer& viewer() { return widgets().viewer; }

    [[nodiscard]] QString fileOf(int seed) const {
        return folder.filePath(QString("%1.png").arg(seed));
    }

    void play(int seed, const Json& end = {{"status", "ok"}, {"executed", 1}}) {
        model().apply("Seed", [seed](graph::Document& document) {
            document.nodes.at("denoise").params["seed"] = seed;
        });
        const auto script = [path = fileOf(seed), end, mayEnd = mayEnd](auto& stage) {
            stage.send({{"event", "runStarted"}, {"nodes", {"save"}}, {"repetitions", 1}});
            mayEnd->acquire();
            paint(path);
            stage.send({{"event", "nodeFinished"},
                        {"node", "save"},
                        {"ms", 5},
                        {"files", {path.toStdString()}}});
            return end;
        };
        plugin.script().setScript(graph::toText(model().document()), script);
    }

    void begin(int seed) {
        play(seed);
        action("run.start").trigger();
    }

    void endOne() {
        QSignalSpy ended(&work().queue, &RunQueue::ended);
        mayEnd->release();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, kPatience);
    }

    /// Asked for, and then shown.
    void waitForImage(const QString& path) {
        QCOMPARE(viewer().file(), path);
        QTRY_COMPARE_WITH_TIMEOUT(viewer().path(), path, kPatience);
    }

    std::shared_ptr<std::counting_semaphore<>> mayEnd =
        std::make_shared<std::counting_semaphore<>>(0);
};

}  // namespace

class FollowingTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void aRunWithoutPreviewsComesIntoTheViewer() {
        Following studio;
        studio.viewer().showImage(QImage(4, 4, QImage::Format_RGB32), "before");
        studio.begin(1);
        studio.endOne();
        studio.waitForImage(studio.fileOf(1));
    }

    /// Runs 2 and 3 were asked for before the user looked at the first image, run 4 afterwards.
    void anEarlierImageRemainsUntilARunOfLaterEnds() {
        Following studio;
        studio.begin(1);
        studio.endOne();
        studio.begin(2);
        studio.begin(3);
        Q_EMIT studio.widgets().gallery->viewAsked(studio.fileOf(1));
        QVERIFY(!studio.viewer().isFollowing());
        studio.begin(4);
        studio.endOne();
        QCOMPARE(studio.viewer().file(), studio.fileOf(1));
        studio.endOne();
        QCOMPARE(studio.viewer().file(), studio.fileOf(1));
        studio.endOne();
        studio.waitForImage(studio.fileOf(4));
    }

    void whenNoneIsLeftTheNextRunIsFollowed() {
        Following studio;
        studio.begin(1);
        Q_EMIT studio.widgets().gallery->viewAsked(studio.fileOf(9));
        studio.endOne();
        QCOMPARE(studio.viewer().file(), studio.fileOf(9));
        QVERIFY(studio.viewer().isFollowing());
    }

    void aStepByKeysIsAChoice() {
        Following studio;
        paint(studio.fileOf(8));
        paint(studio.fileOf(9));
        studio.viewer().showFiles({studio.fileOf(8), studio.fileOf(9)}, studio.fileOf(9));
        studio.begin(1);
        QTest::keyClick(&studio.viewer(), Qt::Key_Left);
        studio.endOne();
        studio.waitForImage(studio.fileOf(8));
    }

    void whatIsPaintedOnRemains() {
        Following studio;
        paint(studio.fileOf(9));
        studio.viewer().showFile(studio.fileOf(9));
        studio.waitForImage(studio.fileOf(9));
        studio.viewer().retouching().begin(Retouching::Work::Mask);
        studio.begin(1);
        studio.endOne();
        studio.waitForImage(studio.fileOf(9));
    }

    void whoWantsNoneIsShownNone() {
        Following studio;
        studio.viewer().showImage(QImage(4, 4, QImage::Format_RGB32), "before");
        studio.viewer().findChild<QToolButton*>("follow")->click();
        studio.begin(1);
        studio.endOne();
        QVERIFY(studio.viewer().file().isEmpty());
        QVERIFY(!studio.viewer().isFollowing());
    }

    void fromAnotherTabANoticeLeadsToTheImage() {
        Following studio;
        studio.begin(1);
        studio.endOne();
        QVERIFY(!studio.viewer().isVisible());
        QVERIFY(studio.widgets().notices.text().startsWith("Saved 1.png"));
        QTest::mouseClick(studio.widgets().notices.findChild<QPushButton*>("noticeButton"),
                          Qt::LeftButton);
        QVERIFY(studio.viewer().isVisible());
        studio.waitForImage(studio.fileOf(1));
    }

    void aRunOfTheGraphBeforeIsFollowedToo() {
        Following studio;
        studio.begin(1);
        studio.model().setSaved();
        studio.action("file.new").trigger();
        studio.endOne();
        studio.waitForImage(studio.fileOf(1));
        QVERIFY(studio.widgets().notices.text().startsWith("Saved 1.png"));
    }

    void aWarningDoesNotHideTheWayToTheImage() {
        Following studio;
        studio.play(1,
                    {{"status", "ok"},
                     {"executed", 1},
                     {"issues",
                      {{{"severity", "warning"},
                        {"node", "encode"},
                        {"message", "the prompt was cut off"}}}}});
        studio.action("run.start").trigger();
        studio.endOne();
        const QStringList lines = studio.widgets().notices.text().split('\n');
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0], QString("The prompt was cut off."));
        QVERIFY2(lines[1].startsWith("Saved 1.png"), qPrintable(lines[1]));
        QTest::mouseClick(studio.widgets().notices.findChild<QPushButton*>("noticeButton1"),
                          Qt::LeftButton);
        studio.waitForImage(studio.fileOf(1));
    }
};

LOWTIDE_WINDOW_TEST(FollowingTest)

}  // namespace following_test

#include "following_test.moc"
