// Which values made an image, and what of them another graph takes.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/document/image_values.hpp"

#include <QtTest/QtTest>

namespace image_values_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

PortDesc port(const char* id, const char* type) {
    return {.id = id, .label = id, .type = type};
}

ParamDesc text(const char* id) {
    return {.id = id,
            .label = id,
            .kind = ParamKind::Text,
            .defaultValue = std::string(),
            .multiline = true};
}

ParamDesc number(const char* id, int64_t byDefault) {
    return {.id = id, .label = id, .kind = ParamKind::Int, .defaultValue = byDefault, .min = 1.0};
}

ParamDesc seed() {
    return {.id = "seed", .label = "Seed", .kind = ParamKind::Seed, .defaultValue = uint64_t{0}};
}

std::vector<NodeDesc> someNodes() {
    const ParamDesc prefix{.id = "prefix",
                           .label = "File name",
                           .kind = ParamKind::Text,
                           .defaultValue = std::string("lowtide")};
    return {{.id = "load",
             .label = "Load",
             .outputs = {port("model", "MODEL")},
             .params = {{.id = "file",
                         .label = "File",
                         .kind = ParamKind::File,
                         .defaultValue = std::string()}}},
            {.id = "encode",
             .label = "Encode",
             .inputs = {port("model", "MODEL")},
             .outputs = {port("positive", "CONDITIONING")},
             .params = {text("prompt"), text("negative")}},
            {.id = "empty",
             .label = "Empty",
             .outputs = {port("latent", "LATENT")},
             .params = {number("width", 512), number("height", 512)}},
            {.id = "denoise",
             .label = "Denoise",
             .inputs = {port("positive", "CONDITIONING"), port("latent", "LATENT")},
             .outputs = {port("image", "IMAGE")},
             .params = {number("steps", 20), seed(), number("shift", 3)}},
            {.id = "other",
             .label = "Other denoiser",
             .inputs = {port("positive", "CONDITIONING"), port("latent", "LATENT")},
             .outputs = {port("image", "IMAGE")},
             .params = {number("steps", 20), seed()}},
            {.id = "scale",
             .label = "Scale",
             .inputs = {port("image", "IMAGE")},
             .outputs = {port("image", "IMAGE")},
             .params = {number("width", 1024), number("height", 1024)}},
            {.id = "save",
             .label = "Save",
             .output = true,
             .inputs = {port("image", "IMAGE")},
             .params = {prefix}}};
}

/// load -> encode -> DENOISER, empty -> DENOISER -> save.
graph::Document aGraph(const char* denoiser = "denoise") {
    graph::Document document;
    for (const char* id : {"load", "encode", "empty", "save"}) {
        document.nodes[id].type = id;
    }
    document.nodes["denoise"].type = denoiser;
    connect(document, {"load", "model"}, {"encode", "model"});
    connect(document, {"encode", "positive"}, {"denoise", "positive"});
    connect(document, {"empty", "latent"}, {"denoise", "latent"});
    connect(document, {"denoise", "image"}, {"save", "image"});
    return document;
}

QStringList namesOf(const std::vector<ImageValue>& values) {
    QStringList names;
    for (const ImageValue& value : values) {
        names << QString::fromStdString(value.node + "." + value.param->id);
    }
    return names;
}

}  // namespace

class ImageValuesTest : public test::StrictTest {
    Q_OBJECT

    graph::Catalog catalog_{someNodes()};

    UsedValues use(graph::Document& open, const graph::Document& of, ImageUse what) {
        return useValues(open, catalog_, valuesBehind(of, catalog_), what);
    }

private Q_SLOTS:

    void onlyWhatLeadsToTheSavingNodeTookPart() {
        graph::Document document = aGraph();
        document.nodes["lost"].type = "denoise";  // wired to nothing
        document.nodes["muted"].type = "save";
        document.nodes["muted"].mode = graph::NodeMode::Muted;
        QCOMPARE(nodesBehind(document, catalog_),
                 (NodeIds{"denoise", "empty", "encode", "load", "save"}));
    }

    /// By the name of its file; a number follows the prefix.
    void oneOfSeveralSavingNodesIsFound_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<bool>("isFirst");
        QTest::addColumn<bool>("isSecond");
        QTest::newRow("the first") << "fox_00001.png" << true << false;
        QTest::newRow("the second, in a folder") << "fox_large_00012.png" << false << true;
        QTest::newRow("renamed") << "my fox.png" << true << true;
    }

    void oneOfSeveralSavingNodesIsFound() {
        QFETCH(QString, file);
        QFETCH(bool, isFirst);
        QFETCH(bool, isSecond);
        graph::Document document = aGraph();
        document.nodes["save"].params["prefix"] = "fox";
        document.nodes["scale"].type = "scale";
        document.nodes["save_2"].type = "save";
        document.nodes["save_2"].params["prefix"] = "animals/fox_large";
        ui::connect(document, {"denoise", "image"}, {"scale", "image"});
        ui::connect(document, {"scale", "image"}, {"save_2", "image"});
        const NodeIds nodes = nodesBehind(document, catalog_, file.toStdString());
        QCOMPARE(nodes.contains("save"), isFirst);
        QCOMPARE(nodes.contains("scale"), isSecond);
    }

    void aGraphWithoutOutputsCountsAsAWhole() {
        graph::Document document;
        document.nodes["a"].type = "denoise";
        document.nodes["b"].type = "encode";
        document.nodes["c"].type = "encode";
        document.nodes["c"].mode = graph::NodeMode::Muted;
        QCOMPARE(nodesBehind(document, catalog_), (NodeIds{"a", "b"}));
    }

    void defaultsAreValuesToo() {
        graph::Document document = aGraph();
        document.nodes.at("denoise").params["steps"] = 8;
        for (const ImageValue& value : valuesBehind(document, catalog_)) {
            if (value.role == ImageRole::Steps) {
                QCOMPARE(value.value, Json(8));
                QVERIFY(!value.isDefault);
            } else if (value.role == ImageRole::Width) {
                QCOMPARE(value.value, Json(512));
                QVERIFY(value.isDefault);
            }
        }
        QCOMPARE(namesOf(valuesBehind(document, catalog_)),
                 (QStringList{"denoise.steps",
                              "denoise.seed",
                              "denoise.shift",
                              "empty.width",
                              "empty.height",
                              "encode.prompt",
                              "encode.negative",
                              "load.file",
                              "save.prefix"}));
    }

    /// The sides of a node that scales are not those with which the image began.
    void sizesAreThoseOfNodesThatBeginWithNothing() {
        const NodeDesc& scale = *catalog_.find("scale");
        QCOMPARE(imageRoleOf(scale, scale.params.front()), ImageRole::Other);
        const NodeDesc& empty = *catalog_.find("empty");
        QCOMPARE(imageRoleOf(empty, empty.params.front()), ImageRole::Width);
    }

    void onlyWhatWasAskedForIsTaken_data() {
        QTest::addColumn<int>("what");
        QTest::addColumn<QStringList>("changed");
        const auto row = [](const char* name, ImageUse what, const QStringList& changed) {
            QTest::newRow(name) << static_cast<int>(what) << changed;
        };
        row("prompt", ImageUse::Prompt, {"encode.prompt"});
        row("seed", ImageUse::Seed, {"denoise.seed"});
        row("size", ImageUse::Size, {"empty.width", "empty.height"});
        row("all",
            ImageUse::All,
            {"denoise.steps", "denoise.seed", "empty.width", "empty.height", "encode.prompt"});
    }

    void onlyWhatWasAskedForIsTaken() {
        QFETCH(int, what);
        QFETCH(QStringList, changed);
        graph::Document of = aGraph();
        of.nodes.at("encode").params["prompt"] = "a fox";
        of.nodes.at("denoise").params = {{"steps", 8}, {"seed", 42}};
        of.nodes.at("empty").params = {{"width", 768}, {"height", 320}};
        of.nodes.at("save").params["prefix"] = "fox";
        graph::Document open = aGraph();
        QVERIFY(use(open, of, static_cast<ImageUse>(what)).left.empty());
        QStringList differ;
        const auto before = valuesBehind(aGraph(), catalog_);
        const auto after = valuesBehind(open, catalog_);
        for (size_t i = 0; i < after.size(); ++i) {
            if (after[i].value != before[i].value) {
                differ << namesOf({after[i]});
            }
        }
        QCOMPARE(differ, changed);
    }

    void aTakenSeedIsKept() {
        graph::Document of = aGraph();
        of.nodes.at("denoise").params["seed"] = 42;
        graph::Document open = aGraph();
        setSeedMode(open.nodes.at("denoise"), "seed", SeedMode::Random);
        QCOMPARE(use(open, of, ImageUse::Seed).taken, 1);
        QCOMPARE(seedModeOf(open.nodes.at("denoise"), "seed"), SeedMode::Keep);
    }

    /// Another id, and another type that has such a value.
    void otherNodesTakeWhatMeansTheSame() {
        graph::Document of = aGraph();
        of.nodes.at("denoise").params = {{"steps", 8}, {"seed", 42}, {"shift", 5}};
        graph::Document open = aGraph("other");
        open.nodes["words"] = open.nodes.at("encode");
        removeNodes(open, catalog_, {"encode"});
        ui::connect(open, {"words", "positive"}, {"denoise", "positive"});
        of.nodes.at("encode").params["prompt"] = "a fox";
        const UsedValues used = use(open, of, ImageUse::All);
        QCOMPARE(open.nodes.at("words").params.at("prompt"), Json("a fox"));
        QCOMPARE(open.nodes.at("denoise").params.at("steps"), Json(8));
        QCOMPARE(open.nodes.at("denoise").params.at("seed"), Json(42));
        QCOMPARE(namesOf(used.left), QStringList("denoise.shift"));
    }

    /// An image names files without their folders.
    void filesAreNotTaken() {
        graph::Document of = aGraph();
        of.nodes.at("load").params["file"] = "dream.safetensors";
        graph::Document open = aGraph();
        QCOMPARE(namesOf(use(open, of, ImageUse::All).left), QStringList("load.file"));
        QVERIFY(!open.nodes.at("load").params.contains("file"));
        open.nodes.at("load").params["file"] = "dream.safetensors";
        QVERIFY(use(open, of, ImageUse::All).left.empty());
    }

    void whatNoNodeTakesIsLeft() {
        graph::Document of = aGraph();
        graph::Document open;
        open.nodes["denoise"].type = "denoise";
        const UsedValues used = use(open, of, ImageUse::Size);
        QCOMPARE(used.taken, 0);
        QCOMPARE(namesOf(used.left), (QStringList{"empty.width", "empty.height"}));
    }

    void aValueThatIsRefusedIsLeft() {
        graph::Document of = aGraph();
        of.nodes.at("empty").params["width"] = 0;
        graph::Document open = aGraph();
        QCOMPARE(namesOf(use(open, of, ImageUse::Size).left), QStringList("empty.width"));
    }

    /// A muted node made nothing of the image, though it comes first, and takes nothing.
    void mutedNodesTakeNoPart() {
        graph::Document of = aGraph();
        of.nodes["a"] = of.nodes.at("denoise");
        of.nodes.at("a").params["seed"] = 7;
        of.nodes.at("a").mode = graph::NodeMode::Muted;
        of.nodes.at("denoise").params["seed"] = 42;
        graph::Document open = aGraph();
        open.nodes["a"] = of.nodes.at("a");
        QCOMPARE(use(open, of, ImageUse::Seed).taken, 1);
        QCOMPARE(open.nodes.at("denoise").params.at("seed"), Json(42));
        QCOMPARE(open.nodes.at("a").params.at("seed"), Json(7));
    }
};

LOWTIDE_TEST(ImageValuesTest)

}  // namespace image_values_test

#include "image_values_test.moc"
