// Models in a window: dropped on the canvas, and found where a graph names what is not there.
#include "plugin/base/hash.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/model_sample.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/edits.hpp"
#include "ui/panels/hash_search_dialog.hpp"
#include "ui/panels/models_panel.hpp"
#include "ui/studio/missing_files.hpp"

namespace window_models_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

SmallPlugin& knowing(SmallPlugin& plugin) {
    plugin.recognise = testing::sampleRecognise;
    return plugin;
}

/// A window whose module knows models, with a folder of them.
struct Window {
    SmallPlugin plugin;
    Opened opened{[this]() -> Plugin& { return knowing(plugin); }};

    Window() {
        QTRY_VERIFY_WITH_TIMEOUT(studio().controller(), kPatience);
        test::bringToFront(studio());
        testing::writeModel(at("models/checkpoints/Dream.safetensors"), testing::kSd15);
        testing::writeModel(at("models/vae/soft.safetensors"),
                            {"encoder.conv_in.weight", "decoder.conv_in.weight"});
    }

    ~Window() { opened.window.reset(); }

    StudioWindow& studio() { return *opened.window; }

    GraphModel& model() { return studio().workspace()->model; }

    [[nodiscard]] QString at(const QString& name) const { return opened.folder.filePath(name); }

    void addFolder() {
        QSignalSpy scanned(&studio().workspace()->models, &ModelLibrary::scanned);
        studio().findChild<ModelsPanel*>()->addModelFolder(at("models"));
        QVERIFY(scanned.wait(kPatience));
    }

    void lose(const char* name) {
        model().apply("Lose", [&](graph::Document& document) {
            document.nodes.at("load").params["checkpoint"] = name;
        });
    }

    void drop(const QString& path, const DropSpot& spot) {
        Q_EMIT studio().controller()->widgets().canvas.filesDropped({path}, spot);
    }

    std::string checkpoint() {
        return model().node("load")->params.at("checkpoint").get<std::string>();
    }

    /// The button of the issue.
    void locate() {
        const Json issue = {{"severity", "error"},
                            {"code", "not_found"},
                            {"node", "load"},
                            {"item", "checkpoint"},
                            {"message", "there is no checkpoint"}};
        plugin.script().setAnswers({{"issues", {issue}}}, Json::object());
        studio().workspace()->planning.askNow();
        studio().actions().at("view.issues").trigger();
        auto* list = studio().findChild<QListView*>("issues");
        QTRY_COMPARE_WITH_TIMEOUT(list->model()->rowCount(), 1, kPatience);
        test::click(*list->viewport(), list->visualRect(list->model()->index(0, 0)).center());
        studio().actions().at("view.issues").trigger();
        auto* button = studio().findChild<QPushButton*>("fix_0");
        QVERIFY(button);
        test::click(*button, button->rect().center());
        QTRY_VERIFY_WITH_TIMEOUT(missing() && missing()->isVisible(), kPatience);
    }

    MissingFilesDialog* missing() { return studio().findChild<MissingFilesDialog*>(); }

    void press(const char* name) {
        auto* button = missing()->findChild<QPushButton*>(name);
        QVERIFY(button && button->isEnabled());
        test::click(*button, button->rect().center());
    }
};

FoundModel modelOf(const char* name, ModelKind kind, const char* family) {
    FoundModel model{.relative = name, .value = name};
    model.file.name = name;
    model.file.kind = kind;
    model.file.family = family;
    model.file.isRunnable = true;
    return model;
}

QStringList labelsOf(const std::vector<FittingFile>& files) {
    QStringList labels;
    for (const FittingFile& file : files) {
        labels << file.label + (file.isSure ? "!" : "");
    }
    return labels;
}

}  // namespace

class WindowModelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void aDroppedModelGetsANode_whereTheGraphHasNone() {
        Window window;
        window.model().apply("Remove", [](graph::Document& document) {
            const graph::Catalog catalog(smallNodes());
            removeNodes(document, catalog, {"load"});
        });
        const QString path = window.at("models/checkpoints/Dream.safetensors");
        window.drop(path, {.at = {3000, 400}, .isAt = true});
        QTRY_VERIFY_WITH_TIMEOUT(window.model().document().nodes.contains("load_checkpoint"),
                                 kPatience);
        const graph::DocumentNode& node = *window.model().node("load_checkpoint");
        QCOMPARE(node.params.at("checkpoint").get<std::string>(), path.toStdString());
        QCOMPARE(positionOf(node).x, 3000.0);
        const graph::Link* given = linkInto(window.model().document(), {"denoise", "model"});
        QVERIFY(given && given->from.node == "load_checkpoint");
        window.model().undoStack().undo();
        QVERIFY(!window.model().document().nodes.contains("load_checkpoint"));
    }

    void aDroppedModelIsUsedByTheNodeThatIsThere_data() {
        testing::addTable<QString, QString>(
            {"name", "holds"},
            {{"file", "Dream.safetensors", ""},
             {"folder with an index", "diffusers", "diffusers/model_index.json"},
             {"folder of shards", "shards", "shards/model-00001-of-00002.safetensors"}});
    }

    void aDroppedModelIsUsedByTheNodeThatIsThere() {
        QFETCH(QString, name);
        QFETCH(QString, holds);
        Window window;
        const QString path = window.at("models/checkpoints/" + name);
        if (!holds.isEmpty()) {
            QVERIFY(QDir().mkpath(path));
            testing::writeFile(window.at("models/checkpoints/" + holds), "{}");
        }
        window.drop(path, {.at = {3000, 400}, .isAt = true});
        QTRY_COMPARE_WITH_TIMEOUT(window.checkpoint(), path.toStdString(), kPatience);
    }

    void whatIsMissingIsFoundByNameInAllFolders() {
        Window window;
        window.addFolder();
        window.lose("sd15/dream.SAFETENSORS");
        window.locate();
        test::keepScreenshot(*window.missing(), "missing_files");
        QCOMPARE(test::textProblems(*window.missing()), QStringList());
        auto* fitting = window.missing()->findChild<QComboBox*>("fitting_0");
        QVERIFY(fitting->currentText().contains("Dream.safetensors"));
        window.press("use_0");
        QCOMPARE(window.checkpoint(),
                 window.at("models/checkpoints/Dream.safetensors").toStdString());
        QTRY_VERIFY_WITH_TIMEOUT(!window.missing(), kPatience);
    }

    void filesAreLookedForAgain_whereTheGraphNamesOthers() {
        Window window;
        const QString late = window.at("late.safetensors");
        const auto name = [&window](const char* node, const std::string& file) {
            window.model().apply("Name", [&](graph::Document& document) {
                document.nodes[node] = document.nodes.at("load");
                document.nodes[node].params["checkpoint"] = file;
            });
        };
        window.lose("nobody_has_it.safetensors");
        name("more", late.toStdString());
        window.locate();
        auto* what = window.missing()->findChild<QLabel*>("what_1");
        QVERIFY(what);
        const QString before = what->text();
        testing::writeFile(late, "{}");

        window.model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        QTest::qWait(100);
        QCOMPARE(what->text(), before);
        name("most", "nor_this.safetensors");
        QTRY_COMPARE_WITH_TIMEOUT(what->text(), QString("Found"), kPatience);
        window.missing()->reject();
    }

    /// Another file of the kind, where nobody has the one that is named.
    void allThatFitAreUsedAtOnce_inOneStep() {
        Window window;
        window.addFolder();
        window.lose("nobody_has_it.safetensors");
        window.model().apply("Add", [](graph::Document& document) {
            document.nodes["more"] = document.nodes.at("load");
            document.nodes["more"].params["checkpoint"] = "nor_this.safetensors";
        });
        const int steps = window.model().undoStack().count();

        window.locate();
        auto* what = window.missing()->findChild<QLabel*>("what_0");
        QVERIFY2(what->text().startsWith("checkpoint"), qPrintable(what->text()));
        window.press("useAll");

        const std::string dream = window.at("models/checkpoints/Dream.safetensors").toStdString();
        QCOMPARE(window.checkpoint(), dream);
        QCOMPARE(window.model().node("more")->params.at("checkpoint"), Json(dream));
        QCOMPARE(window.model().undoStack().count(), steps + 1);
        QTRY_VERIFY_WITH_TIMEOUT(!window.missing(), kPatience);
    }

    void whatFitsIsRankedByNameKindAndFamily() {
        const std::vector<FoundModel> models = {
            modelOf("a_flux.safetensors", ModelKind::Checkpoint, "FLUX.1 dev"),
            modelOf("b_unknown.safetensors", ModelKind::Checkpoint, ""),
            modelOf("c_large.safetensors", ModelKind::Checkpoint, "SDXL"),
            modelOf("d_lora.safetensors", ModelKind::Lora, "LoRA for SDXL"),
            modelOf("Lost.safetensors", ModelKind::Checkpoint, "SDXL")};
        const auto noHash = [](const FoundModel&) { return std::string(); };
        const auto fitting = [&](const char* name, ModelKind kind, const char* family) {
            return labelsOf(fittingFiles(
                {.value = name, .hash = {}, .kinds = {kind}, .family = family}, models, noHash));
        };

        QCOMPARE(fitting("x/lost.safetensors", ModelKind::Checkpoint, "SDXL"),
                 (QStringList{"Lost.safetensors!",
                              "c_large.safetensors!",
                              "b_unknown.safetensors",
                              "a_flux.safetensors"}));
        QCOMPARE(fitting("gone.safetensors", ModelKind::Lora, "SD 1.x"),
                 QStringList{"d_lora.safetensors"});
        QCOMPARE(fitting("gone.safetensors", ModelKind::Lora, ""),
                 QStringList{"d_lora.safetensors!"});
        QVERIFY(fitting("gone.safetensors", ModelKind::Upscaler, "").isEmpty());
    }

    void whatIsMissingIsFoundByItsHash() {
        Window window;
        window.addFolder();
        Workspace& workspace = *window.studio().workspace();
        const FoundModel& dream = workspace.models.models().front();
        QSignalSpy ended(&workspace.shelf, &ModelShelf::hashEnded);
        workspace.shelf.hash(dream);
        QVERIFY(ended.wait(kPatience));
        const std::string hash = workspace.shelf.hashOf(dream).substr(0, 10);
        window.lose(("another name [" + hash + "]").c_str());
        window.locate();
        window.press("use_0");
        QCOMPARE(window.checkpoint(),
                 window.at("models/checkpoints/Dream.safetensors").toStdString());
    }

    /// Nobody hashed it: the user lets the studio do so, and every node names it in one step.
    void whatIsMissingIsSearchedByItsHash() {
        Window window;
        window.addFolder();
        const std::string hash = sha256Hex(
            testing::contentsOf(window.at("models/checkpoints/Dream.safetensors")).toStdString());
        window.lose(("another name [" + hash.substr(0, 10) + "].ckpt").c_str());
        const int steps = window.model().undoStack().count();

        window.locate();
        window.press("search_0");

        auto* dialog = window.studio().findChild<HashSearchDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QVERIFY(!dialog->isModal());  // the graph can be worked on meanwhile
        auto* search = dialog->findChild<QPushButton*>("search");
        test::click(*search, search->rect().center());
        QTRY_COMPARE_WITH_TIMEOUT(search->text(), QString("Use it"), kPatience);
        test::click(*search, search->rect().center());
        QCOMPARE(window.checkpoint(),
                 window.at("models/checkpoints/Dream.safetensors").toStdString());
        QCOMPARE(window.model().undoStack().count(), steps + 1);
    }

    /// A model that was moved and renamed, of which the shelf knew the hash where it lay.
    void whatWasHashedWhereItLayIsFoundAgain() {
        Window window;
        window.addFolder();
        Workspace& workspace = *window.studio().workspace();
        QSignalSpy ended(&workspace.shelf, &ModelShelf::hashEnded);
        workspace.shelf.hash(workspace.models.models().front());
        QVERIFY(ended.wait(kPatience));
        const QString before = window.at("models/checkpoints/Dream.safetensors");
        const QString now = window.at("models/checkpoints/moved/renamed.safetensors");
        QVERIFY(QDir().mkpath(QFileInfo(now).path()));
        QVERIFY(QFile::rename(before, now));
        QSignalSpy scanned(&workspace.models, &ModelLibrary::scanned);
        workspace.models.rescan();
        QVERIFY(scanned.wait(kPatience));
        window.lose(before.toUtf8().constData());

        window.locate();
        window.press("search_0");

        auto* dialog = window.studio().findChild<HashSearchDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QTest::keyClick(dialog, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(
            dialog->findChild<QPushButton*>("search")->text(), QString("Use it"), kPatience);
        QTest::keyClick(dialog, Qt::Key_Return);
        QCOMPARE(window.checkpoint(), now.toStdString());
    }

    /// An image is no model, whatever digits its name has.
    void imagesAreNotSearchedAmongModels() {
        Window window;
        window.addFolder();
        window.model().apply("Load", [](graph::Document& document) {
            document.nodes["picture"] = {.type = "load.image",
                                         .params = {{"image", "0123456789abcdef.png"}}};
            document.nodes.at("load").params["checkpoint"] = "dream [0123456789].safetensors";
        });
        QVERIFY(kindsOf(window.model(), "0123456789abcdef.png").empty());
        QCOMPARE(kindsOf(window.model(), "dream [0123456789].safetensors"),
                 std::set<ModelKind>{ModelKind::Checkpoint});
    }

    void theUserMayRefuseIt() {
        Window window;
        window.addFolder();
        window.lose("x/dream.safetensors");
        window.locate();
        window.missing()->reject();
        QCOMPARE(window.checkpoint(), "x/dream.safetensors");
    }
};

LOWTIDE_WINDOW_TEST(WindowModelsTest)

}  // namespace window_models_test

#include "window_models_test.moc"
