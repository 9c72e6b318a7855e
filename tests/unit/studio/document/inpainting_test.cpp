#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/graphs.hpp"
#include "ui/document/inpainting.hpp"

#include <QtTest/QtTest>

namespace inpainting_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

PortDesc in(const char* id, const char* type, bool optional = false) {
    return {.id = id, .label = id, .type = type, .optional = optional};
}

/// Nodes as a module describes them. Ids and labels state nothing of what they do.
std::vector<NodeDesc> plainNodes() {
    return {{.id = "a.load", .label = "L", .outputs = {in("model", "MODEL")}},
            {.id = "b.empty",
             .label = "Empty",
             .outputs = {in("latent", "LATENT")},
             .params = {{.id = "width", .kind = ParamKind::Int, .defaultValue = int64_t{64}}}},
            {.id = "c.sampler",
             .label = "Sampler",
             .inputs = {in("m", "MODEL"), in("z", "LATENT"), in("where", "MASK", true)},
             .outputs = {in("z", "LATENT")}},
            {.id = "d.decoder",
             .label = "Decoder",
             .inputs = {in("m", "MODEL"), in("z", "LATENT")},
             .outputs = {in("picture", "IMAGE")}},
            {.id = "e.save", .label = "Save", .output = true, .inputs = {in("picture", "IMAGE")}},
            {.id = "f.source",
             .label = "Source",
             .outputs = {in("picture", "IMAGE"), in("clear", "MASK")},
             .params = {{.id = "file", .kind = ParamKind::File, .defaultValue = std::string()}}},
            {.id = "g.maker",
             .label = "Maker",
             .inputs = {in("picture", "IMAGE")},
             .outputs = {in("mask", "MASK")},
             .params = {{.id = "threshold", .kind = ParamKind::Float, .defaultValue = 0.5},
                        {.id = "invert", .kind = ParamKind::Bool, .defaultValue = false}}},
            {.id = "h.encoder",
             .label = "Encoder",
             .inputs = {in("m", "MODEL"), in("picture", "IMAGE"), in("where", "MASK", true)},
             .outputs = {in("z", "LATENT")}},
            {.id = "i.fit",
             .label = "Fit",
             .inputs = {in("picture", "IMAGE"), in("mask", "MASK", true), in("m", "MODEL", true)},
             .outputs = {in("picture", "IMAGE"), in("mask", "MASK")}},
            {.id = "j.paste",
             .label = "Paste",
             .inputs = {in("below", "IMAGE"), in("above", "IMAGE"), in("where", "MASK", true)},
             .outputs = {in("picture", "IMAGE")}},
            {.id = "k.repeat",
             .label = "Repeat",
             .inputs = {in("z", "LATENT")},
             .outputs = {in("z", "LATENT")}}};
}

InpaintFiles files(int width = 64, int height = 64) {
    return {.image = "photo.png", .mask = "mask.png", .widthPixels = width, .heightPixels = height};
}

}  // namespace

class InpaintingTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{plainNodes()};
    graph::Document document_;

    void add(const char* id, const char* type) {
        const std::string made = addNode(document_, *catalog_.find(type), {0, 0});
        document_.nodes[id] = document_.nodes.extract(made).mapped();
    }

    void wire(const char* from, const char* out, const char* to, const char* into) {
        ui::connect(document_, {from, out}, {to, into});
    }

    QString feeding(const std::string& node, const char* port) const {
        const graph::Link* link = linkInto(document_, {node, port});
        return link ? QString::fromStdString(link->from.node + "." + link->from.port) : QString();
    }

    std::string only(const char* type) const {
        std::string found;
        for (const auto& [id, node] : document_.nodes) {
            if (node.type == type) {
                [&] { QVERIFY2(found.empty(), type); }();
                found = id;
            }
        }
        return found;
    }

    std::string above(const std::string& node, const char* port) const {
        const graph::Link* link = linkInto(document_, {node, port});
        return link ? link->from.node : std::string();
    }

    Json param(const std::string& node, const char* id) const {
        return document_.nodes.at(node).params.at(id);
    }

    /// load, empty -> one -> decode -> save.
    void makeTextToImage() {
        document_ = {};
        for (const auto& [id, type] : {std::pair("load", "a.load"),
                                       std::pair("empty", "b.empty"),
                                       std::pair("one", "c.sampler"),
                                       std::pair("decode", "d.decoder"),
                                       std::pair("save", "e.save")}) {
            add(id, type);
        }
        wire("load", "model", "one", "m");
        wire("load", "model", "decode", "m");
        wire("empty", "latent", "one", "z");
        wire("one", "z", "decode", "z");
        wire("decode", "picture", "save", "picture");
    }

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        makeTextToImage();
    }

    void partsAreKnownByTheirPorts() {
        const std::vector<InpaintPart> parts = {InpaintPart::None,
                                                InpaintPart::None,
                                                InpaintPart::Sampler,
                                                InpaintPart::Decode,
                                                InpaintPart::None,
                                                InpaintPart::Source,
                                                InpaintPart::MaskMaker,
                                                InpaintPart::Encode,
                                                InpaintPart::Fit,
                                                InpaintPart::Composite,
                                                InpaintPart::None};
        for (size_t i = 0; i < parts.size(); ++i) {
            QVERIFY2(inpaintPartOf(catalog_.nodes()[i]) == parts[i],
                     catalog_.nodes()[i].id.c_str());
        }
    }

    void aGraphOfTextGetsAllThatItLacks() {
        document_.exposed.push_back({.node = "empty", .param = "width", .label = "Width"});
        const InpaintWired wired = wireInpainting(document_, catalog_, files());
        QCOMPARE(wired.sampler, std::string("one"));
        const std::string encoder = only("h.encoder");
        const std::string maker = only("g.maker");
        const std::string paste = only("j.paste");
        QCOMPARE(feeding("one", "z").toStdString(), encoder + ".z");
        QCOMPARE(feeding(encoder, "m"), QString("load.model"));
        QCOMPARE(param(above(encoder, "picture"), "file"), Json("photo.png"));
        QCOMPARE(feeding("one", "where").toStdString(), maker + ".mask");
        QCOMPARE(param(above(maker, "picture"), "file"), Json("mask.png"));
        QCOMPARE(param(maker, "threshold"), Json(0.0));
        QCOMPARE(feeding("save", "picture").toStdString(), paste + ".picture");
        QCOMPARE(feeding(paste, "below"), feeding(encoder, "picture"));
        QCOMPARE(feeding(paste, "above"), QString("decode.picture"));
        QCOMPARE(feeding(paste, "where").toStdString(), maker + ".mask");
        QVERIFY(!document_.nodes.contains("empty"));
        QVERIFY(document_.exposed.empty());
    }

    void newNodesLieOnNone() {
        CanvasSizes sizes;
        for (const auto& [id, node] : document_.nodes) {
            sizes.nodes[id] = {180, 500};
        }
        const graph::Document before = document_;
        (void)wireInpainting(document_, catalog_, files(), {}, sizes);
        for (const auto& [id, node] : document_.nodes) {
            if (before.nodes.contains(id)) {
                continue;
            }
            const Point mine = positionOf(node);
            for (const auto& [other, there] : document_.nodes) {
                const Point its = positionOf(there);
                const double height = before.nodes.contains(other) ? 500 : 200;
                const bool isApart = other == id || mine.x >= its.x + 180 ||
                                     its.x >= mine.x + 180 || mine.y >= its.y + height ||
                                     its.y >= mine.y + 200;
                QVERIFY2(isApart, (id + " lies on " + other).c_str());
            }
        }
    }

    void theSecondTimeOnlyFilesChange() {
        (void)wireInpainting(document_, catalog_, files());
        const std::string maker = only("g.maker");
        document_.nodes.at(maker).params["invert"] = true;
        const size_t nodes = document_.nodes.size();
        const size_t links = document_.links.size();
        InpaintFiles other = files();
        other.mask = "other.png";
        (void)wireInpainting(document_, catalog_, other);
        QCOMPARE(document_.nodes.size(), nodes);
        QCOMPARE(document_.links.size(), links);
        QCOMPARE(param(above(maker, "picture"), "file"), Json("other.png"));
        QCOMPARE(param(maker, "invert"), Json(false));
    }

    void oddSizesAreFittedWithTheirMask() {
        (void)wireInpainting(document_, catalog_, files(101, 64));
        const std::string fit = only("i.fit");
        QCOMPARE(feeding(only("h.encoder"), "picture").toStdString(), fit + ".picture");
        QCOMPARE(feeding("one", "where").toStdString(), fit + ".mask");
        QCOMPARE(feeding(fit, "mask").toStdString(), only("g.maker") + ".mask");
        QCOMPARE(feeding(only("j.paste"), "below").toStdString(), fit + ".picture");
        QCOMPARE(feeding(only("j.paste"), "where").toStdString(), fit + ".mask");
        QCOMPARE(feeding(fit, "m"), QString("load.model"));
    }

    /// An image's own transparency is no mask of ours, nor is the mask of what a fit has padded.
    void aMaskOfTransparencyIsReplaced() {
        add("photo", "f.source");
        add("encode", "h.encoder");
        wire("load", "model", "encode", "m");
        wire("photo", "picture", "encode", "picture");
        wire("encode", "z", "one", "z");
        wire("photo", "clear", "one", "where");
        (void)wireInpainting(document_, catalog_, files());
        QCOMPARE(param("photo", "file"), Json("photo.png"));
        QCOMPARE(feeding("one", "where").toStdString(), only("g.maker") + ".mask");
    }

    void nodesBetweenRemain() {
        add("repeat", "k.repeat");
        wire("empty", "latent", "repeat", "z");
        wire("repeat", "z", "one", "z");
        (void)wireInpainting(document_, catalog_, files());
        QCOMPARE(feeding("one", "z"), QString("repeat.z"));
        QCOMPARE(feeding("repeat", "z").toStdString(), only("h.encoder") + ".z");
    }

    void ofTwoSamplersTheFirstInTheChainIsWired_orTheSelected() {
        add("two", "c.sampler");
        wire("load", "model", "two", "m");
        wire("one", "z", "two", "z");
        wire("two", "z", "decode", "z");
        graph::Document chain = document_;
        QCOMPARE(wireInpainting(chain, catalog_, files()).sampler, std::string("one"));
        add("other", "c.sampler");
        QCOMPARE(wireInpainting(document_, catalog_, files(), {"other"}).sampler,
                 std::string("other"));
    }

    void whatHasNoSamplerIsLeftAlone() {
        graph::Document empty;
        QVERIFY(wireInpainting(empty, catalog_, files()).refusal ==
                InpaintWired::Refusal::NoSampler);
        QVERIFY(empty.nodes.empty());
        const graph::Catalog none{{}};
        const graph::Document before = document_;
        QVERIFY(wireInpainting(document_, none, files()).refusal == InpaintWired::Refusal::NoNodes);
        QCOMPARE(shown(document_), shown(before));
    }

    /// Bypassed, muted and unknown nodes, wires from nowhere: nothing of it ends the program.
    void oddGraphsAreSurvived() {
        document_.nodes.at("one").mode = graph::NodeMode::Muted;
        QVERIFY(wireInpainting(document_, catalog_, files()).refusal ==
                InpaintWired::Refusal::NoSampler);
        document_.nodes.at("one").mode = graph::NodeMode::Active;
        document_.nodes.at("empty").type = "nobody.knows";
        document_.nodes.at("decode").type = "nobody.knows.either";
        QCOMPARE(wireInpainting(document_, catalog_, files()).sampler, std::string("one"));
        add("round", "k.repeat");
        wire("round", "z", "round", "z");
        wire("round", "z", "one", "z");
        QCOMPARE(wireInpainting(document_, catalog_, files()).sampler, std::string("one"));
    }
};

LOWTIDE_TEST(InpaintingTest)

}  // namespace inpainting_test

#include "inpainting_test.moc"
