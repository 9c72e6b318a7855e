// What a newcomer wants, by mouse alone, in at most so many clicks.
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/studio/clicks.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/history/run_store.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/gallery.hpp"
#include "ui/panels/memory_panel.hpp"
#include "ui/panels/viewer.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>
#include <ctime>

namespace newcomer_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 300000;
constexpr int64_t kDay = 24 * 3600 * 1000LL;
constexpr Bytes kSixGiB = 6 * kGiB;
constexpr int kIdleMilliseconds = 5000;
constexpr double kMostIdle = 0.05;  ///< of a core; the goal is a tenth of it

}  // namespace

class NewcomerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        studio_ = std::make_unique<StudioSession>(folder_.path());
        QVERIFY(studio_->isReady());
        studio_->window().resize(1440, 900);
        clicks_ = std::make_unique<Clicks>(*studio_);
    }

    void init() {
        test::failOnQtWarnings();
        clicks_->begin();
        beginWatch();
    }

    void aFirstImage() {
        clicks_->onTool("run.start");
        const QueuedRun run = finished();
        QCOMPARE(run.state, RunState::Finished);
        QCOMPARE(run.files.size(), 1);
        QVERIFY(!QImage(run.files.front()).isNull());
        QVERIFY(clicks_->count() <= 1);
    }

    /// One click each.
    void anImageFillsTheScreen_andGivesItsValues() {
        QMainWindow& window = studio_->window();
        Viewer& viewer = studio_->controller().widgets().viewer;
        QSignalSpy shown(&viewer, &Viewer::shown);
        viewer.showFile(studio_->workspace().queue.runs().front().files.front());
        studio_->window().actions().at("view.viewer").trigger();
        QVERIFY(shown.wait(kPatience));
        clicks_->on(*viewer.findChild<QToolButton*>("fullScreen"));
        QVERIFY(window.isFullScreen());
        QTRY_COMPARE_WITH_TIMEOUT(viewer.view().width(), window.width(), kPatience);
        QTest::keyClick(&viewer.view(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isFullScreen() && viewer.isVisible(), kPatience);
        QVERIFY(clicks_->count() <= 1);

        GraphModel& model = studio_->model();
        const Json prompt = model.node("encode")->params.at("prompt");
        model.apply("Another prompt", [](graph::Document& document) {
            document.nodes.at("encode").params["prompt"] = "a tower";
        });
        clicks_->on(*viewer.findChild<QToolButton*>("usePrompt"));
        QCOMPARE(model.node("encode")->params.at("prompt"), prompt);
        QVERIFY(clicks_->count() <= 2);
        model.undoStack().undo();
        model.undoStack().undo();
        QCOMPARE(model.node("encode")->params.at("prompt"), prompt);
    }

    /// By the field next to Run: typed, and one click.
    void threeMoreByTheFieldNextToRun() {
        const size_t before = studio_->workspace().queue.runs().size();
        auto* times = studio_->window().findChild<QSpinBox*>("times");
        clicks_->on(*times);
        times->selectAll();
        QTest::keyClicks(times, "3");
        clicks_->onTool("run.start");
        QVERIFY(QTest::qWaitFor(
            [&] { return studio_->workspace().queue.runs().size() == before + 3; }, kPatience));
        static_cast<void>(finished());
        times->setValue(1);
        QVERIFY(clicks_->count() <= 2);
    }

    void tenMoreSeeds() {
        studio_->model().apply("Few steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 2;
        });
        const size_t before = studio_->workspace().queue.runs().size();
        clicks_->inNextDialog("several", "run");
        clicks_->onMenu("Run", "run.several");
        QVERIFY(QTest::qWaitFor(
            [&] { return studio_->workspace().queue.runs().size() == before + 10; }, kPatience));
        static_cast<void>(finished());
        QSet<QByteArray> images;
        for (const QueuedRun& run : studio_->workspace().queue.runs()) {
            QCOMPARE(run.state, RunState::Finished);
            images.insert(contentsOf(run.files.front()));
        }
        QCOMPARE(static_cast<size_t>(images.size()), before + 10);
        QVERIFY(clicks_->count() <= 3);
    }

    /// From the viewer, where it is looked at.
    void anImageIsEnlarged() {
        Viewer& viewer = studio_->controller().widgets().viewer;
        const QString image = finished().files.front();
        QSignalSpy shown(&viewer, &Viewer::shown);
        viewer.showFile(image);
        studio_->window().actions().at("view.viewer").trigger();
        QVERIFY(shown.wait(kPatience));
        leaveUnchanged();
        clicks_->chooseInMenu(*viewer.findChild<QToolButton*>("useAsInput"),
                              "Upscale without a model");
        QTRY_COMPARE_WITH_TIMEOUT(
            studio_->workspace().file.name(), QString("Upscale without a model"), kPatience);
        clicks_->onTool("run.start");
        const QueuedRun run = finished();
        QVERIFY2(run.state == RunState::Finished,
                 run.issues.empty() ? "no issue" : run.issues.front().message.str().c_str());
        const QSize before = QImage(image).size();
        QVERIFY(QImage(run.files.front()).width() >= 2 * before.width());
        QCOMPARE(viewer.file(), run.files.back());  // the enlarged one is in front by itself
        QVERIFY(clicks_->count() <= 3);
    }

    void anotherPresetTakesThePromptAlong() {
        const QueuedRun first = studio_->workspace().queue.runs().front();
        const Json made = graph::parseDocument(first.graph).nodes.at("encode").params.at("prompt");
        Viewer& viewer = studio_->controller().widgets().viewer;
        QSignalSpy shown(&viewer, &Viewer::shown);
        viewer.showFile(first.files.front());
        studio_->window().actions().at("view.viewer").trigger();
        QVERIFY(shown.wait(kPatience));
        leaveUnchanged();
        clicks_->chooseInMenu(*viewer.findChild<QToolButton*>("useAsInput"), "Image to image");

        const GraphModel& opened = studio_->model();
        const auto readsImage = [&] {
            return std::ranges::any_of(opened.document().nodes, [&](const auto& node) {
                return node.second.params.value("image", std::string()) ==
                       first.files.front().toStdString();
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(readsImage(), kPatience);
        QCOMPARE(opened.document().nodes.at("encode").params.at("prompt"), made);
        QVERIFY(clicks_->count() <= 3);
    }

    void yesterdaysImageAndItsGraph() {
        const QueuedRun& queued = studio_->workspace().queue.runs().front();
        RunRecord run;
        run.key = "yesterday:1";
        run.state = RunState::Finished;
        run.title = "Yesterday";
        run.graph = queued.graph;
        run.asked = QDateTime::currentMSecsSinceEpoch() - kDay;
        const QString image = folder_.filePath("yesterday.png");
        QVERIFY(QFile::copy(queued.files.front(), image));
        RunStore store(appFoldersIn(folder_.path()).runs +
                       "/runs.sqlite");  // as another studio would
        store.add({run});
        store.addImages(run.key, {image}, ImageClaim::Wrote, run.asked);
        leaveUnchanged();
        Gallery& gallery = *studio_->controller().widgets().gallery;
        clicks_->onTab("Gallery");
        clicks_->choose(*gallery.findChild<QComboBox*>("galleryWhen"), "Yesterday");
        QVERIFY(QTest::qWaitFor([&] { return gallery.files() == QStringList{image}; }, kPatience));
        auto& list = *gallery.findChild<QListView*>("pictures");
        clicks_->onRow(list, list.model()->index(0, 0));
        QVERIFY(QTest::qWaitFor([&] { return gallery.selected().size() == 1; }, kPatience));
        QTest::keyClick(&list, Qt::Key_G);
        const bool isOpened = QTest::qWaitFor(
            [&] { return graph::toText(studio_->model().document()) == queued.graph; }, kPatience);
        QVERIFY2(isOpened,
                 qPrintable(studio_->workspace().file.name() + ": " +
                            studio_->controller().widgets().notices.text() + '\n' +
                            QString::fromStdString(graph::toText(studio_->model().document()))));
        QVERIFY(clicks_->count() <= 4);
    }

    void itFitsASmallerCard() {
        clicks_->on(*studio_->window().findChild<QToolButton*>("need"));
        clicks_->choose(
            *studio_->window().findChild<MemoryPanel*>()->findChild<QComboBox*>("device"),
            "on 6 GiB");
        const Planning& planning = studio_->workspace().planning;
        const auto isForIt = [](const Json& device) {
            const Bytes usable = device.value("capacity", Bytes{0});  // some of a GPU is kept free
            return device.value("device", "") == "fake" && usable <= kSixGiB &&
                   usable > kSixGiB / 2;
        };
        QVERIFY(QTest::qWaitFor(
            [&] {
                if (!planning.planned().isFresh || !planning.planned().plan.is_object()) {
                    return false;  // it has not answered yet
                }
                const Json devices = planning.planned().plan.value("devices", Json::array());
                return std::any_of(devices.begin(), devices.end(), isForIt);
            },
            kPatience));
        QVERIFY(clicks_->count() <= 3);
        clicks_->inNextDialog("rehearsal", "rehearse");  // asked once
        const QueuedRun run = studio_->runToEnd();
        QCOMPARE(run.state, RunState::Finished);
    }

    void aPresetIsKept() {
        clicks_->inNextDialog("presetDialog", "save");
        clicks_->on(*studio_->window().findChild<QPushButton*>("savePreset"));
        const auto& entries = studio_->workspace().presets.entries();
        QVERIFY(!entries.empty());
        QVERIFY(!entries.back().isBuiltin);
        QVERIFY(clicks_->count() <= 2);
    }

    /// The whole program, with the threads of the engine.
    void nothingIsDoneUnasked() {
        QTest::qWait(2000);  // what the step before has begun
        const std::clock_t begin = std::clock();
        QEventLoop idle;  // QTest::qWait() looks a hundred times a second
        QTimer::singleShot(kIdleMilliseconds, &idle, &QEventLoop::quit);
        idle.exec();
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        const double fraction = seconds * 1000 / kIdleMilliseconds;
        qInfo("%.2f %% of a core while nobody does anything", 100 * fraction);
        QVERIFY(fraction < kMostIdle);
    }

    void theStudioSpeaksChinese() {
        if (languages().size() < 2) {
            QSKIP("built without lrelease");
        }
        clicks_->chooseInMenu(*studio_->window().findChild<QToolButton*>("language"), "简体中文");
        const auto isChinese = [this] {
            auto* file = studio_->window().menuBar()->findChild<QMenu*>("File");
            return file && file->title().startsWith("文件");
        };
        QVERIFY(QTest::qWaitFor(isChinese, kPatience));
        QVERIFY(clicks_->count() <= 2);
    }

    void cleanup() {
        qInfo("%d clicks", clicks_->count());
        endWatch();
        test::keepScreenshot(studio_->window(), QTest::currentTestFunction());
    }

    void cleanupTestCase() { studio_.reset(); }

private:
    [[nodiscard]] QueuedRun finished();

    /// As after a save: the next document asks nothing.
    void leaveUnchanged() { studio_->model().setSaved(); }

    QTemporaryDir folder_;

    std::unique_ptr<StudioSession> studio_;

    std::unique_ptr<Clicks> clicks_;
};

/// Waits for every run; the last one.
QueuedRun NewcomerTest::finished() {
    RunQueue& queue = studio_->workspace().queue;
    const bool isOver = QTest::qWaitFor(
        [&] { return !queue.runs().empty() && !studio_->workspace().run.isBusy(); }, kPatience);
    return isOver ? queue.runs().back() : QueuedRun();
}

LOWTIDE_JOURNEY(NewcomerTest)

}  // namespace newcomer_test

#include "newcomer_test.moc"
