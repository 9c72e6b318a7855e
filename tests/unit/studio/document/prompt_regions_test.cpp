#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/prompt_regions.hpp"

#include <QtTest/QtTest>

#include <algorithm>

namespace prompt_regions_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

PortDesc port(const char* id, const char* type) {
    return {.id = id, .label = id, .type = type};
}

ParamDesc number(const char* id) {
    return {.id = id, .label = id, .kind = ParamKind::Int, .defaultValue = int64_t{512}};
}

std::vector<NodeDesc> nodesWith(bool hasAreas, bool hasMasks) {
    std::vector<NodeDesc> nodes = {
        {.id = "load", .label = "Load", .outputs = {port("model", "MODEL")}},
        {.id = "encode",
         .label = "Encode",
         .inputs = {port("model", "MODEL")},
         .outputs = {port("positive", "CONDITIONING"), port("negative", "CONDITIONING")},
         .params = {{.id = "prompt", .kind = ParamKind::Text, .defaultValue = std::string()},
                    {.id = "negative", .kind = ParamKind::Text, .defaultValue = std::string()}}},
        {.id = "empty",
         .label = "Empty",
         .outputs = {port("latent", "LATENT")},
         .params = {number("width"), number("height")}},
        {.id = "sample",
         .label = "Sample",
         .inputs = {port("model", "MODEL"),
                    port("positive", "CONDITIONING"),
                    port("negative", "CONDITIONING"),
                    port("latent", "LATENT")},
         .outputs = {port("latent", "LATENT")}}};
    if (hasAreas) {
        nodes.push_back({.id = "conditioning.area",
                         .label = "Area",
                         .inputs = {port("conditioning", "CONDITIONING")},
                         .outputs = {port("conditioning", "CONDITIONING")},
                         .params = {number("x"), number("y"), number("width"), number("height")}});
        nodes.push_back({.id = "conditioning.combine",
                         .label = "Combine",
                         .inputs = {port("first", "CONDITIONING"), port("second", "CONDITIONING")},
                         .outputs = {port("conditioning", "CONDITIONING")}});
    }
    if (hasMasks) {
        nodes.push_back({.id = "conditioning.mask",
                         .label = "Mask",
                         .inputs = {port("conditioning", "CONDITIONING"), port("mask", "MASK")},
                         .outputs = {port("conditioning", "CONDITIONING")}});
        nodes.push_back(
            {.id = "read",
             .label = "Read",
             .outputs = {port("image", "IMAGE")},
             .params = {{.id = "file", .kind = ParamKind::File, .defaultValue = std::string()}}});
        nodes.push_back(
            {.id = "levels",
             .label = "Levels",
             .inputs = {port("image", "IMAGE")},
             .outputs = {port("mask", "MASK")},
             .params = {{.id = "threshold", .kind = ParamKind::Float, .defaultValue = 0.5}}});
    }
    return nodes;
}

}  // namespace

class PromptRegionsTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{nodesWith(true, true)};
    graph::Document document_;

    [[nodiscard]] std::string above(const std::string& node, const char* input) const {
        const graph::Link* link = linkInto(document_, {node, input});
        return link ? link->from.node : std::string();
    }

    [[nodiscard]] RegionWired wire(const char* prompt) {
        return wireRegion(document_,
                          catalog_,
                          {.prompt = prompt,
                           .xPixels = 100,
                           .yPixels = 200,
                           .widthPixels = 300,
                           .heightPixels = 90,
                           .imageWidthPixels = 1024,
                           .imageHeightPixels = 1024});
    }

private Q_SLOTS:

    /// load -> encode -> sample, empty -> sample; the image was enlarged to twice its size.
    void init() {
        test::failOnQtWarnings();
        document_ = {};
        double x = 0;
        for (const char* type : {"load", "encode", "empty", "sample"}) {
            const std::string made = addNode(document_, *catalog_.find(type), {x, 0});
            document_.nodes[type] = document_.nodes.extract(made).mapped();
            x += 300;
        }
        document_.nodes["encode"].params = {{"prompt", "a meadow"}, {"negative", "rain"}};
        document_.nodes["empty"].params = {{"width", 512}, {"height", 512}};
        ui::connect(document_, {"load", "model"}, {"encode", "model"});
        ui::connect(document_, {"load", "model"}, {"sample", "model"});
        ui::connect(document_, {"encode", "positive"}, {"sample", "positive"});
        ui::connect(document_, {"encode", "negative"}, {"sample", "negative"});
        ui::connect(document_, {"empty", "latent"}, {"sample", "latent"});
    }

    void aPartGetsAPromptOfItsOwn() {
        const RegionWired wired = wire("a fox");
        QVERIFY(wired.refusal == RegionWired::Refusal::None);
        const graph::DocumentNode& encoder = document_.nodes.at(wired.encoder);
        QCOMPARE(encoder.params.at("prompt"), Json("a fox"));
        QCOMPARE(encoder.params.at("negative"), Json("rain"));
        QCOMPARE(above(wired.encoder, "model"), std::string("load"));
        QCOMPARE(document_.nodes.at("encode").params.at("prompt"), Json("a meadow"));

        const std::string combine = above("sample", "positive");
        QCOMPARE(document_.nodes.at(combine).type, std::string("conditioning.combine"));
        QCOMPARE(above(combine, "first"), std::string("encode"));
        const std::string area = above(combine, "second");
        QCOMPARE(document_.nodes.at(area).type, std::string("conditioning.area"));
        QCOMPARE(above(area, "conditioning"), wired.encoder);
        QCOMPARE(above("sample", "negative"), std::string("encode"));
    }

    /// In pixels of the image that is made, in steps of 8.
    void theRectangleIsThatOfTheImageThatIsMade() {
        (void)wire("a fox");
        const std::string area = above(above("sample", "positive"), "second");
        const Json& params = document_.nodes.at(area).params;
        QCOMPARE(params.at("x"), Json(48));       // 50
        QCOMPARE(params.at("y"), Json(104));      // 100
        QCOMPARE(params.at("width"), Json(152));  // 150
        QCOMPARE(params.at("height"), Json(48));  // 45
    }

    /// Every level as it was painted.
    void aMaskLimitsThePromptOfAPartOfAnyForm() {
        const RegionWired wired = wireRegion(
            document_, catalog_, {.prompt = "a fox", .name = "The fox", .mask = "masks/fox.png"});
        QVERIFY(wired.refusal == RegionWired::Refusal::None);
        const std::string combine = above("sample", "positive");
        QCOMPARE(above(combine, "first"), std::string("encode"));
        const std::string part = above(combine, "second");
        QCOMPARE(document_.nodes.at(part).type, std::string("conditioning.mask"));
        QCOMPARE(above(part, "conditioning"), wired.encoder);
        const std::string maker = above(part, "mask");
        QCOMPARE(document_.nodes.at(maker).params.at("threshold"), Json(0.0));
        QCOMPARE(document_.nodes.at(above(maker, "image")).params.at("file"),
                 Json("masks/fox.png"));
        QVERIFY(document_.nodes.at(wired.encoder).title == std::optional<std::string>("The fox"));
        QCOMPARE(wireRegion(document_, catalog_, {.prompt = "a barn"}).refusal,
                 RegionWired::Refusal::None);
        QCOMPARE(above(above("sample", "positive"), "first"), combine);
    }

    void aSecondPartIsAddedToTheFirst() {
        const std::string first = wire("a fox").encoder;
        const std::string second = wire("a barn").encoder;
        QVERIFY(first != second);
        const std::string outer = above("sample", "positive");
        const std::string inner = above(outer, "first");
        QCOMPARE(above(above(inner, "second"), "conditioning"), first);
        QCOMPARE(above(above(outer, "second"), "conditioning"), second);
        QCOMPARE(document_.nodes.at(second).params.at("prompt"), Json("a barn"));
    }

    /// A file may have a wire from a node that it lacks.
    void aWireFromNowhereStatesNoSize() {
        document_.nodes.erase("empty");
        QVERIFY(wire("a fox").refusal == RegionWired::Refusal::None);
        const std::string area = above(above("sample", "positive"), "second");
        QCOMPARE(document_.nodes.at(area).params.at("x"), Json(104));
    }

    void noNodeLiesOnAnother() {
        (void)wire("a fox");
        (void)wire("a barn");
        (void)wireRegion(document_, catalog_, {.prompt = "a tree", .mask = "tree.png"});
        NodeIds all;
        for (const auto& [id, node] : document_.nodes) {
            all.insert(id);
        }
        const std::vector<NodeBox> boxes = nodeBoxesOf(document_, all, {});
        for (size_t one = 0; one < boxes.size(); ++one) {
            for (size_t other = one + 1; other < boxes.size(); ++other) {
                QVERIFY2(!boxes[one].touches(boxes[other], 0),
                         (boxes[one].id + " " + boxes[other].id).c_str());
            }
        }
    }

    void whatCannotBeWiredIsLeftAsItIs() {
        const std::string before = graph::toText(document_);
        const graph::Catalog without{nodesWith(false, true)};
        QVERIFY(wireRegion(document_, without, {.prompt = "a fox"}).refusal ==
                RegionWired::Refusal::NoNodes);
        const graph::Catalog withoutMasks{nodesWith(true, false)};
        QVERIFY(wireRegion(document_, withoutMasks, {.prompt = "a fox", .mask = "m.png"}).refusal ==
                RegionWired::Refusal::NoNodes);
        QCOMPARE(graph::toText(document_), before);
        std::erase_if(document_.links,
                      [](const graph::Link& link) { return link.from.node == "encode"; });
        const std::string unwired = graph::toText(document_);
        QVERIFY(wire("a fox").refusal == RegionWired::Refusal::NoPrompt);
        QCOMPARE(graph::toText(document_), unwired);
    }
};

LOWTIDE_TEST(PromptRegionsTest)

}  // namespace prompt_regions_test

#include "prompt_regions_test.moc"
