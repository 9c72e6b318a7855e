// A model that is written again in the studio: from the panel to the graph that uses it.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/model_sample.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/edits.hpp"

namespace convert_model_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// A window whose module converts, with a folder of models.
struct Converting {
    SmallPlugin plugin;
    std::optional<Opened> opened;
    QString source;
    QString out;

    explicit Converting(bool isOpen = true) {
        plugin.canConvert = true;
        plugin.recognise = testing::sampleRecognise;
        opened.emplace([this]() -> Plugin& { return plugin; });
        source = opened->folder.filePath("models/checkpoints/dream.safetensors");
        out = opened->folder.filePath("models/checkpoints/dream_f8.safetensors");
        testing::writeModel(source, testing::kSd15);
        plugin.converter.setChoices(Status::Ok, ScriptedConverter::choicesOf(source.toStdString()));
        plugin.converter.setGate(isOpen);
        QTRY_VERIFY_WITH_TIMEOUT(window().controller(), kPatience);
        test::bringToFront(window());
        opened->settings.change([&](Preferences& preferences) {
            preferences.modelFolders = QStringList{opened->folder.filePath("models")};
        });
    }

    ~Converting() { opened.reset(); }  // before the module

    [[nodiscard]] StudioWindow& window() { return *opened->window; }

    [[nodiscard]] GraphModel& model() { return window().workspace()->model; }

    [[nodiscard]] Json value(const char* node, const char* param) {
        return model().node(node)->params.value(param, Json());
    }

    [[nodiscard]] ConvertDialog* dialog() {
        return window().findChild<ConvertDialog*>("convertDialog");
    }

    /// Asks in the panel, until the dialog knows the storages.
    void ask() {
        window().controller()->widgets().panels.show("models");
        auto* list = window().findChild<QTreeWidget*>("models");
        QTRY_VERIFY_WITH_TIMEOUT(list->topLevelItemCount() > 0, kPatience);
        list->setCurrentItem(list->topLevelItem(0));
        click(*window().findChild<QToolButton*>("convertButton"));
        QTRY_VERIFY_WITH_TIMEOUT(dialog() && dialog()->findChild<QRadioButton*>("f8"), kPatience);
    }

    void press(const char* button) { click(*dialog()->findChild<QPushButton*>(button)); }

    static void click(QWidget& widget) { test::click(widget, widget.rect().center()); }
};

graph::Catalog catalogOf() {
    return graph::Catalog(smallNodes());
}

/// A denoiser with its loader, and another loader.
graph::Document graphOf(const char* file, const char* other) {
    graph::Document document;
    document.nodes["load"] = {.type = "load.checkpoint", .params = {{"checkpoint", file}}};
    document.nodes["other"] = {.type = "load.checkpoint", .params = {{"checkpoint", other}}};
    document.nodes["denoise"].type = "denoise.sample";
    document.nodes["encode"].type = "prompt.encode";
    connect(document, {"load", "model"}, {"denoise", "model"});
    connect(document, {"load", "model"}, {"encode", "model"});
    return document;
}

const NamedModel kDream{ModelKind::Checkpoint, "dream.safetensors"};
const NamedModel kSmallDream{ModelKind::Checkpoint, "/m/dream_f8.safetensors"};
const NamedModel kDenoiser{ModelKind::Denoiser, "/m/dream_q8_0.gguf"};

}  // namespace

class ConvertModelTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void replacesItsSource_alone() {
        const graph::Catalog catalog = catalogOf();
        graph::Document document = graphOf("dream.safetensors", "else.safetensors");
        const ConvertedUse use = useOfConverted(document, catalog, kDream, kSmallDream);
        QCOMPARE(use.nodes, std::vector<std::string>{"load"});
        QCOMPARE(use.param, std::string("checkpoint"));

        use.edit(document);

        QCOMPARE(document.nodes["load"].params, (Json{{"checkpoint", kSmallDream.value}}));
        QCOMPARE(document.nodes["other"].params, (Json{{"checkpoint", "else.safetensors"}}));
    }

    /// Decoded, the weights would take what they took before.
    void itsWeightsRemainAsInTheFile() {
        const graph::Catalog catalog = catalogOf();
        graph::Document document = graphOf("dream.safetensors", "else.safetensors");
        document.nodes["denoise"].precision = "quality,storage=f16";
        document.nodes["unwired"].type = "denoise.sample";

        useOfConverted(document, catalog, kDream, kSmallDream).edit(document);

        QCOMPARE(document.nodes["denoise"].precision,
                 (Json{{"preset", "quality"}, {"storage", "file"}}));
        QVERIFY(document.nodes["encode"].precision.is_null());
        QVERIFY(document.nodes["unwired"].precision.is_null());
        document.nodes["denoise"].precision = "nonsense";
        useOfConverted(document, catalog, kSmallDream, kSmallDream).edit(document);
        QCOMPARE(document.nodes["denoise"].precision, Json("nonsense"));
    }

    void aDenoiserKeepsItsCheckpointNextToIt() {
        const graph::Catalog catalog = catalogOf();
        graph::Document document = graphOf("else.safetensors", "");
        document.nodes.erase("other");
        const ConvertedUse use = useOfConverted(document, catalog, kDream, kDenoiser);
        QCOMPARE(use.param, std::string("unet"));
        use.edit(document);
        QCOMPARE(document.nodes["load"].params,
                 (Json{{"checkpoint", kDream.value}, {"unet", kDenoiser.value}}));
    }

    void nobodyIsGuessed() {
        const graph::Catalog catalog = catalogOf();
        const graph::Document two = graphOf("a.safetensors", "b.safetensors");
        QVERIFY(useOfConverted(two, catalog, kDream, kSmallDream).nodes.empty());
        QVERIFY(useOfConverted({}, catalog, kDream, kSmallDream).nodes.empty());
        const graph::Document fits = graphOf("dream.safetensors", "b.safetensors");
        QVERIFY(useOfConverted(fits, catalog, kDream, {ModelKind::Other, "/m/x"}).nodes.empty());
    }

    void isConvertedAndUsed_inOneStep() {
        Converting studio;
        const Json before = studio.value("load", "checkpoint");
        const int steps = studio.model().undoStack().count();
        studio.ask();
        test::keepScreenshot(studio.window(), "convert_window");
        studio.press("convert");
        QTRY_VERIFY_WITH_TIMEOUT(studio.dialog()->findChild<QPushButton*>("use")->isVisible(),
                                 kPatience);
        testing::writeModel(studio.out, testing::kSd15);  // in place of the script's file
        auto* list = studio.window().findChild<QTreeWidget*>("models");
        QTRY_COMPARE_WITH_TIMEOUT(list->topLevelItemCount(), 2, kPatience);

        studio.press("use");

        QCOMPARE(studio.value("load", "checkpoint"), Json(studio.out.toStdString()));
        QCOMPARE(studio.model().node("denoise")->precision,
                 (Json{{"preset", "balanced"}, {"storage", "file"}}));
        QCOMPARE(studio.model().undoStack().count(), steps + 1);
        QVERIFY(studio.window().controller()->widgets().notices.text().contains(
            "as its file has them"));
        QTRY_VERIFY(!studio.dialog());
        studio.model().undoStack().undo();
        QCOMPARE(studio.value("load", "checkpoint"), before);
        QVERIFY(studio.model().node("denoise")->precision.is_null());
    }

    void aFileThatIsNoModelIsNotUsed() {
        Converting studio;
        studio.ask();
        studio.press("convert");
        QTRY_VERIFY_WITH_TIMEOUT(studio.dialog()->findChild<QPushButton*>("use")->isVisible(),
                                 kPatience);
        const int steps = studio.model().undoStack().count();
        studio.press("use");
        QCOMPARE(studio.model().undoStack().count(), steps);
        QVERIFY(studio.window().controller()->widgets().notices.text().contains(
            "dream_f8.safetensors"));
    }

    void oneAtATime() {
        Converting studio(false);
        studio.ask();
        studio.press("convert");
        ConvertDialog* first = studio.dialog();
        studio.ask();
        QCOMPARE(studio.window().findChildren<ConvertDialog*>().size(), 1);
        QCOMPARE(studio.dialog(), first);
        QVERIFY(first->isConverting());
        studio.press("close");
        QTRY_VERIFY_WITH_TIMEOUT(!first->isConverting(), kPatience);
        QVERIFY(!QFile::exists(studio.out));
    }

    void closingTheWindowAsks() {
        Converting studio(false);
        studio.ask();
        studio.press("convert");
        answer("runsAtWork", [](QDialog& box) {
            const auto* message = qobject_cast<QMessageBox*>(&box);
            QCOMPARE(message->text(), QString("A model is being converted."));
            Converting::click(*message->button(QMessageBox::Cancel));
        });
        QVERIFY(!studio.window().close());
        QVERIFY(studio.dialog()->isConverting());
        answer("runsAtWork",
               [](QDialog& box) { Converting::click(*box.findChild<QPushButton*>("endRuns")); });
        QVERIFY(studio.window().close());
        studio.opened.reset();
        QVERIFY(!QFile::exists(studio.out));
    }
};

LOWTIDE_WINDOW_TEST(ConvertModelTest)

}  // namespace convert_model_test

#include "convert_model_test.moc"
