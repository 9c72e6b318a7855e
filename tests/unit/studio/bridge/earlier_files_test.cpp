// Files that an earlier version saved open as they were (tests/unit/studio/earlier).
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/bridge/preset_store.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/bridge/sheet_plan.hpp"
#include "ui/bridge/style_store.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/history/run_store.hpp"

#include <QtTest/QtTest>

#include <algorithm>

namespace earlier_files_test {

using namespace lowtide;
using namespace lowtide::ui;
using testing::contentsOf;

namespace {

QString shown(const Json& json) {
    return QString::fromStdString(json.dump());
}

QString shown(const RunRecord& run) {
    return shown(Json{{"key", run.key.toStdString()},
                      {"state", static_cast<int>(run.state)},
                      {"title", run.title.toStdString()},
                      {"graph", run.graph},
                      {"options", run.options},
                      {"document", run.words.graph.toStdString()},
                      {"prompt", run.words.prompt.toStdString()},
                      {"models", run.words.models.toStdString()},
                      {"seed", run.words.seed.toStdString()},
                      {"asked", run.asked},
                      {"begun", run.begun},
                      {"ended", run.ended},
                      {"milliseconds", run.milliseconds},
                      {"peak", run.peak},
                      {"executed", run.executed},
                      {"problem", run.problem.toStdString()}});
}

/// As it was asked for, when it was made for the fixture.
RunRecord waiting(const QString& key, const QString& title, const QString& seed, int64_t asked) {
    return {.key = key,
            .title = title,
            .options = R"({"device":"cpu","previews":true})",
            .words = {.graph = "frog",
                      .prompt = "a frog on a blue background\nat dusk",
                      .models = "sd15.safetensors\nboats.safetensors",
                      .seed = seed},
            .asked = asked};
}

struct End {
    RunState state = RunState::Finished;
    double milliseconds = 0;
    int64_t peak = 0;
    int executed = -1;
    QString problem{};
};

/// `begun`: 0, it never was.
RunRecord ended(RunRecord run, int64_t begun, const End& end) {
    run.state = end.state;
    run.begun = begun;
    run.ended = 1'700'000'020'000 + end.executed;
    run.milliseconds = end.milliseconds;
    run.peak = end.peak;
    run.executed = end.executed;
    run.problem = end.problem;
    return run;
}

}  // namespace

class EarlierFilesTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

    /// In a copy, which the program may write.
    [[nodiscard]] QString path(const QString& name) const { return folder_->filePath(name); }

    [[nodiscard]] QByteArray graphText() const { return contentsOf(path("graph.json")); }

    [[nodiscard]] std::unique_ptr<RunStore> history() const {
        return std::make_unique<RunStore>(path("runs.sqlite"));
    }

private Q_SLOTS:

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        testing::copyFolder(testing::sourcePath("tests/unit/studio/earlier"), folder_->path());
    }

    void aGraphHasEveryValue() {
        const graph::Document graph = loadGraph(path("graph.json"));

        QCOMPARE(graph.nodes.size(), size_t{16});
        QCOMPARE(graph.links.size(), size_t{23});
        QCOMPARE(graph.memoryBudget, std::optional<std::string>("2GiB"));
        QCOMPARE(graph.device, std::optional<std::string>("cpu"));
        QCOMPARE(graph.collectionThreshold, std::optional<int64_t>(70));
        QCOMPARE(graph.lowMemory, std::optional<std::string>("off"));
        QCOMPARE(graph.isExact, std::optional<bool>(false));
        const Json others = {{"someone_elses", {{"kept", {1, 2.5, "three", nullptr}}}}};
        QCOMPARE(shown(graph.extra), shown(others));
        QCOMPARE(graph.exposed.size(), size_t{3});
        QCOMPARE(graph.exposed[0].label, std::string("Picture"));
        QCOMPARE(graph.exposed[1].label, std::string("Picture strength"));
        QCOMPARE(graph.exposed[1].node + "." + graph.exposed[1].param,
                 std::string("denoise.strength"));
        QCOMPARE(shown(graph.exposed[2].extra), shown(Json{{"hidden", false}}));
        const Box frame = boxesOf(graph, BoxKind::Frame).front();
        QCOMPARE(frame.text, std::string("Picture"));
        QVERIFY(frame.isCollapsed);
        QCOMPARE(boxesOf(graph, BoxKind::Note).front().text, std::string("keep the share low"));
    }

    void aNodeHasEveryValue() {
        const graph::Document graph = loadGraph(path("graph.json"));

        const graph::DocumentNode& denoise = graph.nodes.at("denoise");
        QCOMPARE(denoise.type, std::string("denoise.sample"));
        const Json params = {{"add_noise", true},
                             {"cfg", 4.5},
                             {"end_step", -1},
                             {"eta", 0.25},
                             {"guidance_rescale", 0.1},
                             {"keep_noise", false},
                             {"sampler", "checkpoint"},
                             {"seed", 90210},
                             {"sigmas", "sampler"},
                             {"spacing", "sampler"},
                             {"start_step", 0},
                             {"steps", 3},
                             {"strength", 0.6}};
        QCOMPARE(shown(denoise.params), shown(params));
        const Json memory = {{"policy", "block"},
                             {"stream", true},
                             {"blocks_per_group", 2},
                             {"budget", "64MiB"},
                             {"after", "keep"}};
        QCOMPARE(shown(denoise.memory), shown(memory));
        QCOMPARE(denoise.precision, Json("quality"));
        QCOMPARE(shown(denoise.position), "[860,0]");
        QCOMPARE(shown(denoise.extra), shown(Json{{"colour", "#aa3300"}}));
        QCOMPARE(shown(graph.nodes.at("average").params), shown(Json{{"share", 0.75}}));
        QCOMPARE(graph.nodes.at("load").title, std::optional<std::string>("The model"));
        QCOMPARE(graph.nodes.at("encode").version, 2u);
        QCOMPARE(graph.nodes.at("sharpen").mode, graph::NodeMode::Bypassed);
        QCOMPARE(graph.nodes.at("spare").mode, graph::NodeMode::Muted);
    }

    void aGraphIsSavedAgainAsItWas() {
        saveGraph(path("again.json"), loadGraph(path("graph.json")), path("backups"));

        QCOMPARE(contentsOf(path("again.json")), graphText());
    }

    void anImageHasItsGraph() {
        const graph::Document graph = loadGraph(path("image.png"));

        QCOMPARE(graph.nodes.size(), size_t{6});
        QCOMPARE(graph.links.size(), size_t{8});
        QCOMPARE(graph.nodes.at("denoise").params.at("steps"), Json(1));
        QCOMPARE(graph.nodes.at("latent").params.at("width"), Json(32));
        QCOMPARE(graph.nodes.at("save").params.at("prefix"), Json("frog"));
        QCOMPARE(graph.nodes.at("encode").params.at("prompt"),
                 Json("a cat face on a blue background"));
        QCOMPARE(graph.exposed.size(), size_t{5});
    }

    void aPresetHasEveryValue() {
        const graph::Catalog catalog{std::vector<NodeDesc>{}};
        const PresetStore store(catalog, path("none"), path("presets"));

        QCOMPARE(store.entries().size(), size_t{1});
        const PresetEntry& entry = store.entries().front();
        QVERIFY2(entry.problem.isEmpty(), qPrintable(entry.problem));
        QCOMPARE(entry.id, QString("picture_to_picture"));
        QCOMPARE(entry.title, QString("Picture to picture"));
        QCOMPARE(entry.description, QString("Makes a picture anew along another one, größer."));
        QCOMPARE(entry.tags, (QStringList{"picture", "mine"}));
        QCOMPARE(entry.thumbnail.size(), QSize(4, 3));
        QCOMPARE(entry.thumbnail.pixelColor(0, 0), QColor(Qt::red));
        QCOMPARE(entry.files.size(), size_t{2});
        QCOMPARE(entry.files[0].kind + " " + entry.files[0].value,
                 QString("checkpoint builtin:mini"));
        QCOMPARE(entry.files[1].kind + " " + entry.files[1].value, QString("image ../image.png"));
        QCOMPARE(entry.shown.size(), size_t{3});
        QCOMPARE(entry.shown[0].nodeType + "." + entry.shown[0].param,
                 std::string("load.image.image"));
    }

    void aPresetIsSavedAgainAsItWas() {
        const QString file = path("presets/picture_to_picture.json");

        const graph::Preset preset = graph::readPreset(encoded(file));

        QCOMPARE(preset.document.exposed[1].label, std::string("Picture strength"));
        QCOMPARE(QByteArray::fromStdString(graph::toText(preset)), contentsOf(file));
    }

    void settingsHaveEveryValue() {
        const Settings settings(path("settings.json"));

        Preferences found = settings.preferences();
        QVERIFY2(settings.problem().isEmpty(), qPrintable(settings.problem()));
        QCOMPARE(found.keys.size(), size_t{124});
        QCOMPARE(found.keys.at("run.anew"), QString("Ctrl+Shift+R"));
        QCOMPARE(found.keys.at("view.walk_left"), QString("H"));
        QCOMPARE(found.keys.at("run.for_ever"), QString());
        found.keys.clear();
        const Preferences saved = {
            .theme = "dark_contrast",
            .motion = "reduced",
            .scale = "125",
            .language = "zh_CN",
            .modelFolders = {"/users/someone/models", "/users/someone/more models"},
            .modelPathsFiles = {"/users/someone/extra_model_paths.yaml"},
            .device = "fake:8GiB",
            .memoryBudget = "6GiB",
            .lowMemory = "on",
            .recentFiles = {"/users/someone/frog.json", "/users/someone/größer.json"},
            .windowLayout = QByteArray("\x00\xff layout", 9),
            .windowGeometry = QByteArray("\x01\xd9 geometry", 11),
            .outputFolder = "/users/someone/pictures",
            .nodeDefaults = {{"denoise.sample", {{"steps", 12}}},
                             {"conditioning.average", {{"share", 0.25}}},
                             {"load.lora", {{"expert", "high_noise"}}}},
            .showsFilmstrip = false,
            .showsPreviews = false,
            .droppedImage = DroppedImage::UseAsInput,
            .notifiesOfRuns = false,
            .notifyAfterSeconds = 95,
            .keepsAwake = false,
            .isFirstStartDone = true};
        QCOMPARE(found, saved);
    }

    void settingsAreSavedAgainAsTheyWere() {
        const QString file = path("settings.json");
        Json expected = Json::parse(contentsOf(file).toStdString());
        expected["theme"] = "light";

        Settings(file).change([](Preferences& preferences) { preferences.theme = "light"; });

        QCOMPARE(shown(Json::parse(contentsOf(file).toStdString())), shown(expected));
    }

    void stylesHaveEveryValue() {
        StyleStore store(path("styles.json"));
        QSignalSpy failed(&store, &StyleStore::failed);

        store.refresh();

        QTRY_COMPARE(store.styles().size(), size_t{2});
        QCOMPARE(failed.count(), 0);
        const PromptStyle oil{"Oil", "{prompt}, oil on canvas", "photo"};
        const PromptStyle larger{"Größer", "huge", ""};
        QCOMPARE(store.styles(), (std::vector{oil, larger}));
    }

    void unsavedChangesAreRecovered() {
        std::vector<QString> problems;

        const std::vector<Recovered> found = findRecovered(folder_->path(), &problems);

        QCOMPARE(problems, std::vector<QString>());
        QCOMPARE(found.size(), size_t{1});
        QCOMPARE(found[0].path, QString("/users/someone/frog.json"));
        QCOMPARE(found[0].graphFolder, QString("/users/someone/graphs"));
        QCOMPARE(found[0].writtenAt, QString("2026-01-02T03:04:05Z"));
        QCOMPARE(found[0].perhapsOpenOn, QString("workshop"));
        QVERIFY(found[0].tab.isUnsaved);
        graph::Document expected = loadGraph(path("graph.json"));
        expected.nodes["odd"] = {
            .type = "nobody.knows", .version = 7, .params = {{"x", Json::array({1, 2})}}};
        QCOMPARE(shown(graph::toJson(found[0].document)), shown(graph::toJson(expected)));
    }

    void everyRunHasEveryValue() {
        const std::string frog = graphText().toStdString();
        graph::Document other = graph::parseDocument(frog);
        other.nodes.at("denoise").params["seed"] = 7;
        const std::string seven = graph::toText(other);
        constexpr int64_t kAsked = 1'700'000'000'000;
        constexpr int64_t kBegun = 1'700'000'010'000;
        std::vector<RunRecord> expected = {
            ended(waiting("3f9a:1", "frog, seed 90210", "90210", kAsked + 1000),
                  kBegun + 1,
                  {.milliseconds = 7922.25, .peak = 22'334'455, .executed = 12}),
            ended(waiting("3f9a:2", "frog, seed 7", "7", kAsked + 2000),
                  kBegun + 2,
                  {.milliseconds = 812.5, .peak = 1'234'567, .executed = 3}),
            ended(waiting("3f9a:3", "frog, failed", "8", kAsked + 3000),
                  kBegun + 3,
                  {.state = RunState::Failed,
                   .milliseconds = 15,
                   .peak = 99,
                   .executed = 1,
                   .problem = "denoise: out of memory"}),
            ended(waiting("3f9a:4", "frog, cancelled", "9", kAsked + 4000),
                  kBegun + 4,
                  {.state = RunState::Cancelled, .milliseconds = 30.5, .peak = 100, .executed = 2}),
            waiting("3f9a:5", "frog, at work", "10", kAsked + 5000),
            waiting("3f9a:6", "frog, waits", "11", kAsked + 6000)};
        expected[4].state = RunState::Running;
        expected[4].begun = kBegun + 5;
        const std::unique_ptr<RunStore> store = history();

        QVERIFY(store->isValid());
        QCOMPARE(store->runCount(), int64_t{9});
        for (RunRecord& run : expected) {
            run.graph = run.key == "3f9a:2" || run.key == "3f9a:5" ? seven : frog;
            const std::optional<RunRecord> found = store->run(run.key);
            QVERIFY(found.has_value());
            QCOMPARE(shown(*found), shown(run));
        }
        const std::vector<RunRecord> open = store->leftOpen({});
        QCOMPARE(open.size(), size_t{2});
        QCOMPARE(open[0].key + " " + open[1].key, QString("3f9a:5 3f9a:6"));
        QCOMPARE(store->models(), (QStringList{"boats.safetensors", "sd15.safetensors"}));
        QCOMPARE(store->graphs(), QStringList{"frog"});
    }

    void everyImageHasEveryValue() {
        const std::unique_ptr<RunStore> store = history();

        const std::vector<ImageRecord> images = store->images({});

        QStringList found;
        for (const ImageRecord& image : images) {
            found << QString("%1 %2 %3 %4 %5x%6 %7 %8 %9")
                         .arg(image.path, image.run, image.title)
                         .arg(image.made)
                         .arg(image.size.width())
                         .arg(image.size.height())
                         .arg(image.isStarred ? "starred" : "-",
                              image.hasThumbnail ? "thumbnail" : "-",
                              image.sheet);
        }
        const QString folder = "/users/someone/pictures/";
        const QStringList expected = {
            folder + "sheet.png 3f9a:s1 Steps of the frog 1700000024000 0x0 - - 3f9a:s1",
            folder + "cell_1.png 3f9a:7 cell 3 1700000023000 0x0 - - 3f9a:s1",
            folder + "größer.webp 3f9a:2 frog, seed 7 1700000022000 0x0 - - ",
            folder + "frog_00002.png 3f9a:1 frog, seed 90210 1700000021000 0x0 starred - ",
            folder + "frog_00001.png 3f9a:1 frog, seed 90210 1700000021000 64x48 - thumbnail "};
        QCOMPARE(found, expected);
        QCOMPARE(store->thumbnail(images.back().id), QByteArray("encoded"));
        QCOMPARE(store->images({.words = "größer dusk"}).size(), size_t{1});
        QCOMPARE(store->images({.isStarred = true}).size(), size_t{1});
    }

    void aSheetHasEveryValue() {
        const std::optional<SheetRecord> sheet = history()->sheet("3f9a:s1");

        QVERIFY(sheet.has_value());
        QCOMPARE(sheet->title, QString("Steps of the frog"));
        QCOMPARE(sheet->name, QString("frog"));
        QCOMPARE(QByteArray::fromStdString(sheet->graph), graphText());
        QCOMPARE(sheet->image, QString("/users/someone/pictures/sheet.png"));
        const SheetPlan plan{.x = {.node = "denoise",
                                   .item = "steps",
                                   .nodeLabel = "Denoise",
                                   .label = "Steps",
                                   .values = {{"3", "3"}, {"4", "4"}}},
                             .y = std::nullopt,
                             .isMeasured = true};
        QVERIFY(sheetPlanFrom(sheet->description) == plan);
        QCOMPARE(sheet->cells.size(), size_t{2});
        QCOMPARE(sheet->cells[0].files, QStringList{"/users/someone/pictures/cell_1.png"});
        QCOMPARE(sheet->cells[0].milliseconds, 100.5);
        QCOMPARE(sheet->cells[0].peak, int64_t{200});
        QCOMPARE(sheet->cells[1].state, RunState::Failed);
        QCOMPARE(sheet->cells[1].problem, QString("no \"picture\" there"));
    }
};

LOWTIDE_TEST(EarlierFilesTest)

}  // namespace earlier_files_test

#include "earlier_files_test.moc"
