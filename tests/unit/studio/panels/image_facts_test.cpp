// What is listed of an image: what made it, first and at its defaults too, and nothing else.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/viewer_bench.hpp"
#include "ui/document/edits.hpp"
#include "ui/panels/image_facts.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace image_facts_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

PortDesc port(const char* id, const char* type) {
    return {.id = id, .label = id, .type = type};
}

ParamDesc text(const char* id, const char* label) {
    return {.id = id,
            .label = label,
            .kind = ParamKind::Text,
            .defaultValue = std::string(),
            .multiline = true};
}

ParamDesc number(const char* id, const char* label, int64_t byDefault) {
    return {.id = id, .label = label, .kind = ParamKind::Int, .defaultValue = byDefault};
}

ParamDesc file(const char* id, const char* label) {
    return {.id = id, .label = label, .kind = ParamKind::File, .defaultValue = std::string()};
}

/// With the ids of real nodes, by which models are known.
std::vector<NodeDesc> someNodes() {
    return {
        {.id = "load.checkpoint",
         .label = "Load checkpoint",
         .outputs = {port("model", "MODEL")},
         .params = {file("checkpoint", "Checkpoint"), file("vae", "Autoencoder")}},
        {.id = "load.lora",
         .label = "Load LoRA",
         .inputs = {port("model", "MODEL")},
         .outputs = {port("model", "MODEL")},
         .params = {file("file", "LoRA"), number("strength", "Strength", 1)}},
        {.id = "prompt.encode",
         .label = "Encode prompt",
         .inputs = {port("model", "MODEL")},
         .outputs = {port("positive", "CONDITIONING")},
         .params = {text("negative", "Negative prompt"), text("prompt", "Prompt")}},
        {.id = "latent.empty",
         .label = "Empty latent",
         .outputs = {port("latent", "LATENT")},
         .params = {number("width", "Width", 512), number("height", "Height", 512)}},
        {.id = "denoise.sample",
         .label = "Denoise",
         .inputs = {port("positive", "CONDITIONING"), port("latent", "LATENT")},
         .outputs = {port("image", "IMAGE")},
         .params =
             {{.id = "seed", .label = "Seed", .kind = ParamKind::Seed, .defaultValue = uint64_t{0}},
              {.id = "cfg",
               .label = "Guidance",
               .kind = ParamKind::Float,
               .defaultValue = 7.5,
               .step = 0.5},
              number("steps", "Steps", 20),
              number("shift", "Flow shift", 3),
              {.id = "sampler",
               .label = "Sampler",
               .kind = ParamKind::Choice,
               .defaultValue = std::string("euler"),
               .choices = {{"euler", "Euler"}, {"ddim", "DDIM"}}}}},
        {.id = "save.image",
         .label = "Save image",
         .output = true,
         .inputs = {port("image", "IMAGE")}}};
}

/// checkpoint -> lora -> encode -> denoise -> save.
graph::Document aGraph() {
    graph::Document document;
    document.nodes["load"].type = "load.checkpoint";
    document.nodes["lora"].type = "load.lora";
    document.nodes["encode"].type = "prompt.encode";
    document.nodes["empty"].type = "latent.empty";
    document.nodes["denoise"].type = "denoise.sample";
    document.nodes["save"].type = "save.image";
    connect(document, {"load", "model"}, {"lora", "model"});
    connect(document, {"lora", "model"}, {"encode", "model"});
    connect(document, {"encode", "positive"}, {"denoise", "positive"});
    connect(document, {"empty", "latent"}, {"denoise", "latent"});
    connect(document, {"denoise", "image"}, {"save", "image"});
    document.nodes.at("load").params["checkpoint"] = "dream.safetensors";
    document.nodes.at("lora").params["file"] = "ink.safetensors";
    document.nodes.at("encode").params["prompt"] = "a boat\non the lake";
    return document;
}

QStringList linesOf(const std::vector<ImageFact>& facts) {
    QStringList lines;
    for (const ImageFact& fact : facts) {
        lines << fact.name + ": " + fact.value;
    }
    return lines;
}

}  // namespace

class ImageFactsTest : public test::StrictTest {
    Q_OBJECT

    graph::Catalog catalog_{someNodes()};

    [[nodiscard]] LoadedImage imageOf(const graph::Document& document, const QSize& size) const {
        LoadedImage image;
        image.path = "/images/fox_00001.png";
        image.levels = {viewer_bench::plainImage(size.width(), size.height(), Qt::red)};
        image.texts = {{"lowtide_graph", graph::toText(document)}, {"encoder", "Lavc"}};
        return image;
    }

private Q_SLOTS:

    void whatUsersReadFirstIsAlwaysThere() {
        QCOMPARE(linesOf(settingFacts(aGraph(), catalog_)),
                 (QStringList{"Prompt: a boat\non the lake",
                              "Checkpoint: dream.safetensors",
                              "LoRA: ink.safetensors",
                              "Sampler: Euler",
                              "Steps: 20",
                              "Guidance: 7.5",
                              "Seed: 0",
                              "Size: 512 x 512 pixels"}));
    }

    void whatIsNotAtItsDefaultFollows() {
        graph::Document graph = aGraph();
        graph.nodes.at("denoise").params["shift"] = 5;
        graph.nodes.at("encode").params["negative"] = "blurry";
        graph.nodes.at("load").params["vae"] = "soft.safetensors";
        const QStringList lines = linesOf(settingFacts(graph, catalog_));
        QCOMPARE(lines.at(1), QString("Negative prompt: blurry"));
        QCOMPARE(lines.mid(9), (QStringList{"Flow shift: 5", "Autoencoder: soft.safetensors"}));
    }

    void aNodeThatWasCutOffIsNotListed() {
        graph::Document graph = aGraph();
        graph.nodes["again"] = graph.nodes.at("denoise");
        graph.nodes.at("again").params["seed"] = 8;
        QVERIFY(linesOf(settingFacts(graph, catalog_)).contains("Seed: 0"));
        graph.nodes["keep"].type = "save.image";
        ui::connect(graph, {"again", "image"}, {"keep", "image"});
        graph.nodes.at("again").title = "Once more";
        const QStringList lines = linesOf(settingFacts(graph, catalog_));
        QVERIFY2(lines.contains("Seed, Once more: 8"), qPrintable(lines.join('\n')));
        QVERIFY(lines.contains("Seed, Denoise: 0"));
    }

    /// The image has a size of its own, which is the graph's unless something enlarged it.
    void nothingIsNamedTwice() {
        const QStringList same = linesOf(factsOf(imageOf(aGraph(), {512, 512}), &catalog_));
        QCOMPARE(same.filter("Size").size(), 1);
        QCOMPARE(
            same.mid(6, 4),
            (QStringList{
                "Seed: 0", "Size: 512 x 512 pixels", "File: fox_00001.png", "Graph: 6 nodes"}));
        const QStringList other = linesOf(factsOf(imageOf(aGraph(), {1024, 1024}), &catalog_));
        QCOMPARE(other.filter("Size"),
                 (QStringList{"Size: 1024 x 1024 pixels", "Size, Empty latent: 512 x 512 pixels"}));
    }

    /// Captions are made of these, which take no text of the file.
    void settingsAreTheFactsBeforeTheFile() {
        const LoadedImage image = imageOf(aGraph(), {512, 512});
        std::vector<ImageFact> facts = factsOf(image, &catalog_);
        std::erase_if(facts,
                      [](const auto& fact) { return fact.kind != ImageFact::Kind::Setting; });
        QCOMPARE(linesOf(settingFacts(image, &catalog_)), linesOf(facts));
    }

    void textsOfTheFileAreRaw() {
        std::vector<ImageFact> facts = factsOf(imageOf(aGraph(), {8, 8}), &catalog_);
        std::erase_if(facts, [](const auto& fact) { return fact.kind != ImageFact::Kind::Raw; });
        QCOMPARE(facts.size(), size_t{2});
        QCOMPARE(facts.back().name, QString("encoder"));
    }

    void textsForComfyUIAreNamed() {
        LoadedImage image;
        image.texts = {
            {"prompt", R"({"1": {}})"}, {"workflow", R"({"nodes": []})"}, {"prompt", "a fox"}};
        const std::vector<ImageFact> facts = factsOf(image, &catalog_);
        QCOMPARE(facts.size(), size_t{3});
        QCOMPARE(facts[0].name, QString("For ComfyUI's server"));
        QCOMPARE(facts[1].name, QString("For ComfyUI's editor"));
        QCOMPARE(facts[2].name, QString("prompt"));
        QCOMPARE(facts[0].kind, ImageFact::Kind::Raw);
    }

    void valuesAreOffered_onlyOfAnImageWithAGraph() {
        FactsPanel panel;
        panel.setCatalog(&catalog_);
        const QSignalSpy asked(&panel, &FactsPanel::useAsked);
        panel.setImage(imageOf(aGraph(), {8, 8}));
        panel.show();
        for (const auto& [name, use] : {std::pair("usePrompt", ImageUse::Prompt),
                                        {"useSeed", ImageUse::Seed},
                                        {"useSize", ImageUse::Size},
                                        {"useAll", ImageUse::All}}) {
            QTest::mouseClick(panel.findChild<QToolButton*>(name), Qt::LeftButton);
            QCOMPARE(asked.back().front().value<ImageUse>(), use);
        }
        QCOMPARE(asked.size(), 4);
        LoadedImage without = imageOf(aGraph(), {8, 8});
        without.texts.clear();
        panel.setImage(without);
        QVERIFY(!panel.findChild<QToolButton*>("usePrompt")->isVisible());
    }
};

LOWTIDE_WINDOW_TEST(ImageFactsTest)

}  // namespace image_facts_test

#include "image_facts_test.moc"
