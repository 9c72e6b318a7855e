// Studios that are killed in the middle of a stroke: at most about a second of painting is lost.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/panels/viewer.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

namespace mask_killed_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr const char* kRole = "LOWTIDE_MASK_CHILD";
constexpr int kStudios = 8;
constexpr int kPatience = 60000;
constexpr int kDotMilliseconds = 50;
constexpr int kDots = 400;
constexpr int kApart = 4;
/// Those of a second, and of the time to write the file. Counted, not timed: what delays the file
/// on a busy machine delays the strokes, too.
constexpr int kMostLostDots = 50;
constexpr int kLeastMilliseconds = 2500;  ///< of painting

const QSize kSize(64 + kDots * kApart, 64);

QPointF dotAt(int number) {
    return {32.5 + kApart * number, 32.5};
}

/// Of a child: one stroke that goes on and on, reported dot by dot.
void paintForEver(const QString& folder) {
    Viewer viewer;
    viewer.retouching().setFolder(folder);
    viewer.resize(900, 500);
    viewer.show();
    QSignalSpy shown(&viewer, &Viewer::shown);
    viewer.showFile(folder + "/picture.png");
    QVERIFY(shown.wait(kPatience));
    viewer.retouching().begin(Retouching::Work::Mask);
    QTRY_VERIFY_WITH_TIMEOUT(viewer.retouching().maskTool(), kPatience);
    viewer.retouching().maskTool()->setBrush({.diameter = 4, .hardness = 1, .opacity = 1});
    ImageView& view = viewer.view();
    for (int number = 0; number < kDots; ++number) {
        const QPointF point = view.positionOf(dotAt(number));
        const auto type = number == 0 ? QEvent::MouseButtonPress : QEvent::MouseMove;
        QMouseEvent event(type,
                          point,
                          view.mapToGlobal(point),
                          number == 0 ? Qt::LeftButton : Qt::NoButton,
                          Qt::LeftButton,
                          Qt::NoModifier);
        QCoreApplication::sendEvent(&view, &event);
        std::printf("%d\n", number);
        std::fflush(stdout);
        QTest::qWait(kDotMilliseconds);
    }
    QTest::qWait(kPatience);
}

/// A studio and what it reported.
struct Studio {
    explicit Studio(int number) {
        QImage image(kSize, QImage::Format_RGB888);
        image.fill(Qt::gray);
        image.save(folder.filePath("picture.png"));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(kRole, folder.path());
        process.setProcessEnvironment(environment);
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        QObject::connect(&process, &QProcess::readyReadStandardOutput, &process, [this] {
            while (process.canReadLine()) {
                bool isNumber = false;
                const int dot = process.readLine().trimmed().toInt(&isNumber);
                if (isNumber) {
                    clock.isValid() ? void() : clock.start();
                    last = dot;
                }
            }
        });
        QRandomGenerator random(static_cast<quint32>(number + 1));
        killAfter = kLeastMilliseconds + random.bounded(3000);
        process.start(QCoreApplication::applicationFilePath(),
                      {"mask_killed_test", "whatWasPaintedIsThere"});
    }

    [[nodiscard]] bool isDue() const { return clock.isValid() && clock.elapsed() > killAfter; }

    QTemporaryDir folder;
    QProcess process;
    QElapsedTimer clock;
    int last = -1;      ///< dot that was reported
    int killAfter = 0;  ///< milliseconds
    bool isKilled = false;
};

}  // namespace

class MaskKilledTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void whatWasPaintedIsThere() {
        if (const QString folder = qEnvironmentVariable(kRole); !folder.isEmpty()) {
            paintForEver(folder);
            return;
        }
        std::vector<std::unique_ptr<Studio>> studios;
        for (int i = 0; i < kStudios; ++i) {
            studios.push_back(std::make_unique<Studio>(i));
        }
        const auto areAllDead = [&] {
            bool areDead = true;
            for (const auto& studio : studios) {
                if (!studio->isKilled && studio->isDue()) {
                    studio->isKilled = true;
                    studio->process.kill();
                }
                areDead = areDead && studio->isKilled;
            }
            return areDead;
        };
        QVERIFY(QTest::qWaitFor(areAllDead, kPatience));
        int mostLost = 0;
        for (const auto& studio : studios) {
            QTRY_COMPARE_WITH_TIMEOUT(studio->process.state(), QProcess::NotRunning, kPatience);
            const QImage mask = UnfinishedMasks(studio->folder.path())
                                    .of(studio->folder.filePath("picture.png"), kSize);
            QVERIFY(!mask.isNull());
            int lost = 0;
            for (int dot = 0; dot <= studio->last; ++dot) {
                const QPoint at = dotAt(dot).toPoint();
                lost += mask.constScanLine(at.y() - 1)[at.x() - 1] > 0 ? 0 : 1;
            }
            mostLost = std::max(mostLost, lost);
        }
        qInfo("at most the last %d dots of painting were lost", mostLost);
        QVERIFY2(mostLost <= kMostLostDots, qPrintable(QString::number(mostLost)));
    }
};

LOWTIDE_WINDOW_TEST(MaskKilledTest)

}  // namespace mask_killed_test

#include "mask_killed_test.moc"
