#include "plugin/base/units.hpp"
#include "plugin/graph/issues.hpp"
#include "plugin/memory/policy.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/document/edits.hpp"
#include "ui/panels/fixes.hpp"
#include "ui/panels/memory_settings.hpp"

#include <QtTest/QtTest>

namespace fixes_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

graph::Catalog sampleCatalog() {
    return graph::Catalog({{.id = "test.denoise",
                            .label = "Denoise",
                            .output = true,
                            .components = {"denoiser"},
                            .params = {{.id = "steps",
                                        .label = "Steps",
                                        .kind = ParamKind::Int,
                                        .defaultValue = int64_t{20},
                                        .min = 1,
                                        .max = 100}}}});
}

graph::Document sampleDocument() {
    graph::Document document;
    graph::DocumentNode node;
    node.type = "test.denoise";
    node.params = {{"steps", 20}};
    document.nodes["denoise"] = node;
    return document;
}

PortDesc port(const char* id, const char* type) {
    return {.id = id, .label = id, .type = type};
}

graph::Catalog imageCatalog() {
    return graph::Catalog(
        {{.id = "test.model", .outputs = {port("model", "MODEL")}},
         {.id = "test.load", .outputs = {port("image", "IMAGE"), port("mask", "MASK")}},
         {.id = "test.fit",
          .label = "Fit",
          .inputs = {port("image", "IMAGE"), port("mask", "MASK"), port("model", "MODEL")},
          .outputs = {port("image", "IMAGE"), port("mask", "MASK")}},
         {.id = "test.encode",
          .inputs = {port("image", "IMAGE"), port("model", "MODEL")},
          .outputs = {port("latent", "LATENT")}},
         {.id = "test.denoise", .inputs = {port("latent", "LATENT"), port("mask", "MASK")}}});
}

graph::Document imageDocument() {
    graph::Document document;
    for (const char* name : {"model", "load", "encode", "denoise"}) {
        document.nodes[name].type = std::string("test.") + name;
    }
    connect(document, {"load", "image"}, {"encode", "image"});
    connect(document, {"model", "model"}, {"encode", "model"});
    connect(document, {"encode", "latent"}, {"denoise", "latent"});
    connect(document, {"load", "mask"}, {"denoise", "mask"});
    return document;
}

/// A prompt that could read LoRAs.
graph::Catalog promptCatalog() {
    return graph::Catalog(
        {{.id = "test.model", .outputs = {port("model", "MODEL")}},
         {.id = "test.lora",
          .inputs = {port("model", "MODEL")},
          .outputs = {port("model", "MODEL")}},
         {.id = "test.encode",
          .inputs = {port("model", "MODEL")},
          .outputs = {port("positive", "CONDITIONING"), port("model", "MODEL")},
          .params = {{.id = "prompt", .kind = ParamKind::Text, .defaultValue = std::string()},
                     {.id = "loras", .kind = ParamKind::Bool, .defaultValue = false}}},
         {.id = "test.denoise",
          .components = {"denoiser"},
          .inputs = {port("model", "MODEL"), port("positive", "CONDITIONING")}}});
}

graph::Document promptDocument() {
    graph::Document document;
    for (const char* name : {"model", "encode", "denoise"}) {
        document.nodes[name].type = std::string("test.") + name;
    }
    connect(document, {"model", "model"}, {"encode", "model"});
    connect(document, {"model", "model"}, {"denoise", "model"});
    connect(document, {"encode", "positive"}, {"denoise", "positive"});
    return document;
}

/// A denoiser whose model comes through an adapter from a file.
graph::Catalog modelCatalog() {
    return graph::Catalog(
        {{.id = "load.checkpoint", .outputs = {port("model", "MODEL")}},
         {.id = "test.adapter",
          .inputs = {port("model", "MODEL")},
          .outputs = {port("model", "MODEL")}},
         {.id = "test.decode", .components = {"autoencoder"}, .inputs = {port("model", "MODEL")}},
         {.id = "test.denoise", .components = {"denoiser*"}, .inputs = {port("model", "MODEL")}}});
}

graph::Document modelDocument() {
    graph::Document document;
    document.nodes["load"].type = "load.checkpoint";
    document.nodes["load"].params = {{"checkpoint", "models/dream.safetensors"}, {"unet", ""}};
    for (const char* name : {"adapter", "decode", "denoise"}) {
        document.nodes[name].type = std::string("test.") + name;
    }
    connect(document, {"load", "model"}, {"adapter", "model"});
    connect(document, {"load", "model"}, {"decode", "model"});
    connect(document, {"adapter", "model"}, {"denoise", "model"});
    return document;
}

QStringList wiresOf(const graph::Document& document) {
    QStringList wires;
    for (const graph::Link& link : document.links) {
        wires << QString::fromStdString(link.from.node + "." + link.from.port + " > " +
                                        link.to.node + "." + link.to.port);
    }
    wires.sort();
    return wires;
}

/// As `lowtide plan --device fake:64MiB --memory-budget 10MiB --policy denoise=none` refuses.
Issue refusal(const char* facts) {
    return {.code = "memory_infeasible",
            .node = "denoise",
            .item = "memory",
            .message = Message("node denoise needs 17.1 MiB, 10.0 MiB are there"),
            .hint = Message("words that nobody reads but users"),
            .facts = facts};
}

constexpr const char* kTighter = R"({"node": "denoise", "device": "fake", "needed": 17930000,
    "capacity": 10485760, "minimum": 20897792, "budget": 20897792, "policy": "auto"})";
constexpr const char* kNothingHelps = R"({"node": "denoise", "device": "fake", "needed": 17930000,
    "capacity": 10485760, "minimum": 20897792, "budget": 20897792})";
/// Of the host where the run's device is another.
constexpr const char* kNothingHelpsHere = R"({"node": "denoise", "device": "cpu",
    "minimum": 20897792})";
constexpr const char* kOfALaterVersion = R"({"device": 7, "minimum": "x", "policy": "spiral"})";

}  // namespace

class FixesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void setsTheCheapestPolicy() {
        const graph::Catalog catalog = sampleCatalog();
        graph::Document document = sampleDocument();
        document.nodes["denoise"].memory = "none";

        const std::vector<Fix> fixes = fixesFor(refusal(kTighter), document, catalog);
        QCOMPARE(fixes.size(), size_t{1});
        QCOMPARE(fixes[0].label, QString("Set the memory policy of Denoise to auto"));
        fixes[0].edit(document);

        QCOMPARE(document.nodes["denoise"].memory, Json("auto"));
    }

    void keepsTheDevice_whenThePolicyChanges() {
        const graph::Catalog catalog = sampleCatalog();
        graph::Document document = sampleDocument();
        document.nodes["denoise"].memory = "none@fake:8GiB";

        fixesFor(refusal(kTighter), document, catalog).at(0).edit(document);

        const memory::Policy policy =
            memory::policyFromJson(document.nodes["denoise"].memory, "denoise");
        QCOMPARE(policy.name, std::string("auto"));
        QVERIFY(policy.device.has_value());
        QVERIFY(policy.device == memory::parsePolicy("none@fake:8GiB").device);
    }

    void raisesTheBudget_whereThereIsOne() {
        const graph::Catalog catalog = sampleCatalog();
        graph::Document document = sampleDocument();
        document.memoryBudget = "10MiB";

        const std::vector<Fix> fixes = fixesFor(refusal(kTighter), document, catalog);
        QCOMPARE(fixes.size(), size_t{2});
        QCOMPARE(fixes[1].label, QString("Raise the budget to 20 MiB"));
        fixes[1].edit(document);

        QCOMPARE(*document.memoryBudget, std::string("20MiB"));
        QVERIFY(parseBytes(*document.memoryBudget).value_or(0) >= 20897792);
        QCOMPARE(withBudget("cpu=8GiB,fake=10MiB", "fake", 10 * kMiB, 20 * kMiB),
                 std::string("fake=20MiB,cpu=8GiB"));
        QCOMPARE(withBudget("1GiB,fake:1=2MiB", "cpu", 5, 20 * kMiB),
                 std::string("1GiB,cpu=20MiB,fake:1=2MiB"));
    }

    void movesTheNodeToTheCpu() {
        const graph::Catalog catalog = sampleCatalog();
        graph::Document document = sampleDocument();

        const std::vector<Fix> fixes = fixesFor(refusal(kNothingHelps), document, catalog);
        QCOMPARE(fixes.size(), size_t{1});
        fixes[0].edit(document);

        const memory::Policy policy =
            memory::policyFromJson(document.nodes["denoise"].memory, "denoise");
        QCOMPARE(policy.device->id(), std::string("cpu"));
    }

    void proposesNothing_thatWouldNotHelp() {
        const graph::Catalog catalog = sampleCatalog();
        QVERIFY(fixesFor(refusal(kNothingHelpsHere), sampleDocument(), catalog).empty());
        QVERIFY(fixesFor(refusal(kOfALaterVersion), sampleDocument(), catalog).empty());
        QVERIFY(fixesFor(refusal("no JSON"), sampleDocument(), catalog).empty());
        graph::Document bounded = sampleDocument();
        bounded.memoryBudget = "10MiB";
        QVERIFY(fixesFor(refusal(kNothingHelpsHere), bounded, catalog).empty());
    }

    void asksWhereAFileIs_data() {
        testing::addTable<QString, QString>(
            {"value", "label"},
            {{"a path", "/far/lost.safetensors", "Locate lost.safetensors..."},
             {"of another system", "far\\lost.safetensors", "Locate lost.safetensors..."},
             {"a name", "lost.ckpt", "Locate lost.ckpt..."},
             {"in the module", "builtin:mini", ""},
             {"nothing", "", ""}});
    }

    void asksWhereAFileIs() {
        QFETCH(QString, value);
        QFETCH(QString, label);
        NodeDesc load{.id = "test.load", .label = "Load"};
        load.params = {{.id = "checkpoint", .label = "Checkpoint", .kind = ParamKind::File}};
        const graph::Catalog catalog({load});
        graph::Document document;
        document.nodes["load"].type = "test.load";
        document.nodes["load"].params = {{"checkpoint", value.toStdString()}};
        Issue issue{.code = "not_found", .node = "load", .item = "checkpoint"};

        const std::vector<Fix> fixes = fixesFor(issue, document, catalog);

        QCOMPARE(fixes.size(), label.isEmpty() ? size_t{0} : size_t{1});
        if (!fixes.empty()) {
            QCOMPARE(fixes[0].label, label);
            QVERIFY(!fixes[0].edit);
        }
        issue.severity = Severity::Warning;
        QVERIFY(fixesFor(issue, document, catalog).empty());
    }

    void removesIssuesOfValidation_data() {
        testing::addTable<QString, QString, QString>(
            {"params", "memory", "budget"},
            {{"too small", R"({"steps": 0})", "", ""},
             {"too big", R"({"steps": 1000})", "", ""},
             {"wrong type", R"({"steps": "many"})", "", ""},
             {"unknown parameter", R"({"steps": 20, "stepps": 3})", "", ""},
             {"unknown policy", R"({"steps": 20})", "fast", ""},
             {"no budget", R"({"steps": 20})", "", "much"}});
    }

    void removesIssuesOfValidation() {
        QFETCH(QString, params);
        QFETCH(QString, memory);
        QFETCH(QString, budget);
        const graph::Catalog catalog = sampleCatalog();
        graph::Document document = sampleDocument();
        document.nodes["denoise"].params = Json::parse(params.toStdString());
        if (!memory.isEmpty()) {
            document.nodes["denoise"].memory = memory.toStdString();
        }
        if (!budget.isEmpty()) {
            document.memoryBudget = budget.toStdString();
        }
        const Issues before = graph::validate(document, catalog);
        QVERIFY(!before.empty());

        const std::vector<Fix> fixes = fixesFor(before[0], document, catalog);
        QVERIFY2(!fixes.empty(), before[0].code.c_str());
        fixes[0].edit(document);

        const Issues after = graph::validate(document, catalog);
        QVERIFY2(after.empty(), after.empty() ? "" : after[0].message.str().c_str());
    }

    void offersNothing_whereAUserDecides() {
        const graph::Catalog catalog = sampleCatalog();
        const graph::Document document = sampleDocument();

        QVERIFY(
            fixesFor({.code = "missing_node_type", .node = "denoise"}, document, catalog).empty());
        QVERIFY(fixesFor({.code = "value_smaller_than_min", .node = "gone", .item = "steps"},
                         document,
                         catalog)
                    .empty());
        QVERIFY(fixesFor({.code = "memory_infeasible", .node = "gone"}, document, catalog).empty());
    }

    void writesBudgets_data() {
        testing::addTable<qint64, QString>({"bytes", "text"},
                                           {{"6 GiB", qint64{6 * kGiB}, "6GiB"},
                                            {"1.5 GiB", qint64{kGiB + kGiB / 2}, "1536MiB"},
                                            {"odd", qint64{4097}, "4097"},
                                            {"3 KiB", qint64{3 * kKiB}, "3KiB"}});
    }

    void writesBudgets() {
        QFETCH(qint64, bytes);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(budgetText(bytes)), text);
        QCOMPARE(parseBytes(text.toStdString()).value_or(-1), Bytes{bytes});
    }

    void roundsUp_data() {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<qint64>("rounded");
        QTest::newRow("nothing") << qint64{0} << qint64{0};
        QTest::newRow("one byte") << qint64{1} << qint64{kKiB};
        QTest::newRow("exact") << qint64{6 * kGiB} << qint64{6 * kGiB};
        QTest::newRow("one more") << qint64{4 * kGiB + 1} << qint64{4 * kGiB + 256 * kMiB};
        QTest::newRow("20897792") << qint64{20897792} << qint64{20 * kMiB};
    }

    void roundsUp() {
        QFETCH(qint64, bytes);
        QFETCH(qint64, rounded);
        QCOMPARE(qint64{roundedUp(bytes)}, rounded);
    }

    /// The image that is refused goes through the node that the issue names, and its mask too; the
    /// model that refused it states what it takes.
    void aNodeIsInsertedBeforeAnImageThatDoesNotFit() {
        const graph::Catalog catalog = imageCatalog();
        graph::Document document = imageDocument();
        const Issue issue{.code = "picture_size",
                          .node = "encode",
                          .item = "image",
                          .facts = R"({"width": 300, "height": 200, "multiple": 8,
                                       "insert": "test.fit"})"};
        const std::vector<Fix> fixes = fixesFor(issue, document, catalog);
        QCOMPARE(fixes.size(), size_t{1});
        QCOMPARE(fixes[0].label, QString("Insert Fit"));
        fixes[0].edit(document);
        QCOMPARE(wiresOf(document),
                 QStringList({"encode.latent > denoise.latent",
                              "fit.image > encode.image",
                              "fit.mask > denoise.mask",
                              "load.image > fit.image",
                              "load.mask > fit.mask",
                              "model.model > encode.model",
                              "model.model > fit.model"}));
    }

    void nothingIsInsertedThatIsNotThere() {
        Issue issue{.code = "picture_size", .node = "encode", .item = "image", .facts = {}};
        QVERIFY(fixesFor(issue, imageDocument(), imageCatalog()).empty());
        issue.facts = R"({"insert": "test.unknown"})";
        QVERIFY(fixesFor(issue, imageDocument(), imageCatalog()).empty());
        issue.facts = R"({"insert": "test.fit"})";
        issue.item = "latent";
        QVERIFY(fixesFor(issue, imageDocument(), imageCatalog()).empty());
    }

    void tagsOfLorasAreRead_byOneButton() {
        const graph::Catalog catalog = promptCatalog();
        graph::Document document = promptDocument();
        const Issue issue{.code = "prompt_syntax", .node = "encode", .item = "prompt"};
        QVERIFY(fixesFor(issue, document, catalog).empty());
        document.nodes.at("encode").params["prompt"] = "a fox <lora:ink:0.8>";

        const std::vector<Fix> fixes = fixesFor(issue, document, catalog);

        QCOMPARE(fixes.size(), size_t{1});
        QCOMPARE(fixes[0].label, QString("Read LoRAs of the prompt"));
        fixes[0].edit(document);
        QCOMPARE(document.nodes.at("encode").params.at("loras"), Json(true));
        QCOMPARE(wiresOf(document),
                 QStringList({"encode.model > denoise.model",
                              "encode.positive > denoise.positive",
                              "model.model > encode.model"}));
        QVERIFY(fixesFor(issue, document, catalog).empty());
    }

    void aLoraThatChangesNoDenoiserIsUsedThereToo() {
        const graph::Catalog catalog = promptCatalog();
        graph::Document document = promptDocument();
        document.nodes["lora"].type = "test.lora";
        ui::connect(document, {"model", "model"}, {"lora", "model"});
        ui::connect(document, {"lora", "model"}, {"encode", "model"});
        const Issue issue{.code = "lora_without_denoiser", .node = "lora", .item = "model"};

        const std::vector<Fix> fixes = fixesFor(issue, document, catalog);

        QCOMPARE(fixes.size(), size_t{1});
        fixes[0].edit(document);
        QCOMPARE(linkInto(document, {"denoise", "model"})->from.node, std::string("lora"));
    }

    void offersToConvertTheModelThatDoesNotFit() {
        const graph::Catalog catalog = modelCatalog();
        graph::Document document = modelDocument();

        std::vector<Fix> fixes = fixesFor(refusal(kTighter), document, catalog, true);
        QCOMPARE(fixes.size(), size_t{2});  // behind what costs time only
        QCOMPARE(fixes[1].label, QString("Convert dream.safetensors to a smaller file..."));
        QVERIFY(!fixes[1].edit);
        QVERIFY(fixes[1].convert.has_value());
        QCOMPARE(fixes[1].convert->kind, ModelKind::Checkpoint);
        QCOMPARE(fixes[1].convert->value, std::string("models/dream.safetensors"));

        document.nodes["load"].params["unet"] = "own.gguf";
        fixes = fixesFor(refusal(kTighter), document, catalog, true);
        QCOMPARE(fixes.at(1).convert.value_or(NamedModel()).kind, ModelKind::Denoiser);
        QCOMPARE(fixes.at(1).label, QString("Convert own.gguf to a smaller file..."));
    }

    void offersNoConversion_whereItWouldNotHelp() {
        const graph::Catalog catalog = modelCatalog();
        const auto count = [&](const graph::Document& document, const char* node, bool canConvert) {
            Issue issue = refusal(kNothingHelpsHere);
            issue.node = node;
            return fixesFor(issue, document, catalog, canConvert).size();
        };
        graph::Document document = modelDocument();
        QCOMPARE(count(document, "denoise", true), size_t{1});
        QCOMPARE(count(document, "denoise", false), size_t{0});
        QCOMPARE(count(document, "decode", true), size_t{0});
        QCOMPARE(count(document, "gone", true), size_t{0});
        document.nodes["load"].params["checkpoint"] = "builtin:mini";
        QCOMPARE(count(document, "denoise", true), size_t{0});
        document.nodes["load"].params.erase("checkpoint");
        QCOMPARE(count(document, "denoise", true), size_t{0});
        document = modelDocument();
        ui::disconnect(document, {"adapter", "model"});
        QCOMPARE(count(document, "denoise", true), size_t{0});
        document = modelDocument();
        ui::connect(document, {"adapter", "model"}, {"adapter", "model"});
        QCOMPARE(count(document, "denoise", true), size_t{0});  // a circle ends
    }
};

LOWTIDE_TEST(FixesTest)

}  // namespace fixes_test

#include "fixes_test.moc"
