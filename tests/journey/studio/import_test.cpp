// What a newcomer brings from ComfyUI and A1111 opens, states what became of it, and runs.
#include "plugin/image/image_file.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/journey/studio/clicks.hpp"
#include "tests/journey/studio/comfy_workflows.hpp"
#include "ui/document/groups.hpp"
#include "ui/panels/issues_panel.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace import_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 300000;

/// Text to image as ComfyUI's server is sent it, with a node of a pack in front of a second output.
constexpr const char* kPrompt = R"({
  "3": {"class_type": "KSampler", "inputs": {"seed": 7, "steps": 2, "cfg": 6.5, "sampler_name": "euler", "scheduler": "normal",
        "denoise": 1, "model": ["4", 0], "positive": ["6", 0], "negative": ["7", 0], "latent_image": ["5", 0]}},
  "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "builtin:mini"}},
  "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 64, "height": 64, "batch_size": 1}},
  "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a lighthouse", "clip": ["4", 1]}},
  "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "fog", "clip": ["4", 1]}},
  "8": {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["4", 2]}},
  "9": {"class_type": "SaveImage", "inputs": {"filename_prefix": "comfy", "images": ["8", 0]}},
  "10": {"class_type": "FaceDetailer", "inputs": {"guide_size": 512, "image": ["8", 0]}},
  "11": {"class_type": "SaveImage", "inputs": {"filename_prefix": "face", "images": ["10", 0]}}
})";

constexpr const char* kParameters =
    "a lighthouse\nNegative prompt: fog\n"
    "Steps: 2, Sampler: Euler, Schedule type: Karras, CFG scale: 6.5, Seed: 7, Size: 64x64, "
    "Model hash: 0123456789, Model: my_mini, Version: v1.10.1";

QByteArray imageOfComfy() {
    const Image8 image{.widthPixels = 8,
                       .heightPixels = 8,
                       .channels = 3,
                       .pixels = std::make_shared<uint8_t[]>(8 * 8 * 3)};
    return QByteArray::fromStdString(image::encodePng(image, {{"prompt", kPrompt}}));
}

}  // namespace

class ImportTest : public QObject {
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

    /// Dropped, and Run.
    void aWorkflowOfComfyUIRuns() {
        const QString path = folder_.filePath("flow.json");
        writeFile(path, kTextToImageWorkflow);

        clicks_->drop(*canvas().viewport(), path, {20, 20});

        QTRY_COMPARE_WITH_TIMEOUT(studio_->workspace().file.name(), QString("flow"), kPatience);
        QVERIFY2(notice().contains("Imported “flow”"), qPrintable(notice()));
        QVERIFY2(!notice().contains("missing"), qPrintable(notice()));
        const graph::Document& document = studio_->model().document();
        QCOMPARE(document.nodes.at("3").params.at("noise"), Json("comfyui"));
        const Groups groups(document);
        QCOMPARE(groups.find("12")->title, std::string("Prompts"));
        QVERIFY(groups.find("12")->isFolded);
        QCOMPARE(groups.nodesIn("12"), (NodeIds{"12:6", "12:7"}));
        QCOMPARE(groups.find("12")->values.size(), size_t{1});
        QCOMPARE(test::textProblems(studio_->window()), QStringList());

        clicks_->onTool("run.start");
        expectImages(1);
        QVERIFY(clicks_->count() <= 2);
    }

    /// Dropped, "Open graph", and Run: what can be run.
    void anImageOfComfyUIRuns_asFarAsItsNodesAreHere() {
        const QString path = folder_.filePath("faces.png");
        writeFile(path, imageOfComfy());

        clicks_->inNextDialog("", "openGraph");
        clicks_->drop(*canvas().viewport(), path, {20, 20});

        QTRY_COMPARE_WITH_TIMEOUT(studio_->workspace().file.name(), QString("faces"), kPatience);
        QVERIFY2(notice().contains("1 missing"), qPrintable(notice()));
        const graph::Document& document = studio_->model().document();
        QCOMPARE(document.nodes.at("10").type, std::string("comfyui.FaceDetailer"));
        QCOMPARE(document.nodes.at("10").params.at("guide_size"), Json(512));
        QCOMPARE(document.nodes.at("11").mode, graph::NodeMode::Muted);
        auto& issues = *studio_->window().findChild<IssuesPanel*>();
        QVERIFY(issues.isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(issues.report().contains("FaceDetailer"), kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(issues.errorCount(), 0, kPatience);
        QCOMPARE(test::textProblems(studio_->window()), QStringList());

        clicks_->onTool("run.start");
        expectImages(1);
        QVERIFY(clicks_->count() <= 3);
    }

    /// Pasted; its model is not there, and is chosen in the list of missing files.
    void settingsOfA1111Run_onceTheirModelIsThere() {
        QGuiApplication::clipboard()->setText(kParameters);
        canvas().setFocus();
        QTest::keyClick(&canvas(), Qt::Key_V, Qt::ControlModifier);

        QTRY_COMPARE_WITH_TIMEOUT(studio_->workspace().file.name(), QString("pasted"), kPatience);
        QVERIFY2(notice().contains("Imported “pasted”"), qPrintable(notice()));
        QDialog* list = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT(findFiles() != nullptr, kPatience);
        clicks_->on(*findFiles());
        QTRY_VERIFY_WITH_TIMEOUT(
            (list = studio_->window().findChild<QDialog*>("missingFiles")) != nullptr &&
                list->isVisible(),
            kPatience);
        QVERIFY(list->findChild<QLabel*>("what_0") != nullptr);
        test::keepScreenshot(*list, "missing_files_of_an_import");
        list->reject();
        useMini();

        clicks_->onTool("run.start");
        expectImages(1);
        QVERIFY(clicks_->count() <= 2);
    }

    void cleanup() {
        qInfo("%d clicks", clicks_->count());
        endWatch();
        test::keepScreenshot(studio_->window(), QTest::currentTestFunction());
    }

    void cleanupTestCase() { studio_.reset(); }

private:
    [[nodiscard]] GraphView& canvas() { return studio_->controller().widgets().canvas; }

    [[nodiscard]] QString notice() { return studio_->controller().widgets().notices.text(); }

    [[nodiscard]] QPushButton* findFiles() {
        for (QPushButton* button : studio_->window().findChildren<QPushButton*>()) {
            if (button->isVisible() && button->text() == "Find files...") {
                return button;
            }
        }
        return nullptr;
    }

    /// In place of the missing checkpoint.
    void useMini() {
        studio_->model().apply("Mini", [](graph::Document& document) {
            for (auto& [id, node] : document.nodes) {
                if (node.params.contains("checkpoint")) {
                    node.params["checkpoint"] = "builtin:mini";
                }
            }
        });
    }

    /// Of the run that was started last.
    void expectImages(int count) {
        RunQueue& queue = studio_->workspace().queue;
        QVERIFY(QTest::qWaitFor(
            [&] { return !queue.runs().empty() && !studio_->workspace().run.isBusy(); },
            kPatience));
        const QueuedRun& run = queue.runs().back();
        const QString problem = run.issues.empty()
                                    ? QString()
                                    : QString::fromStdString(run.issues.front().message.str());
        QVERIFY2(run.state == RunState::Finished, qPrintable(problem));
        QCOMPARE(run.files.size(), count);
        QVERIFY(!QImage(run.files.front()).isNull());
    }

    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
    std::unique_ptr<Clicks> clicks_;
};

LOWTIDE_JOURNEY(ImportTest)

}  // namespace import_test

#include "import_test.moc"
