#include "plugin/graph/catalog.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/graph/sample_graph.hpp"

#include <QtTest/QtTest>

namespace node_json_test {

using namespace lowtide;
using namespace lowtide::graph;

namespace {

/// One that has everything a parameter may have.
ParamDesc fullParam() {
    ParamDesc desc = rangedParam("size", ParamKind::Int, int64_t{512}, 64, 4096);
    desc.label = "Size";
    desc.tooltip = "Side of the image";
    desc.unit = "px";
    desc.softMin = 256;
    desc.softMax = 1024;
    desc.step = 8;
    desc.advanced = true;
    return desc;
}

ParamDesc choiceParam() {
    ParamDesc desc = param("sampler", ParamKind::Choice, std::string("ddim"));
    desc.choices = {{"euler", "Euler"}, {"ddim", "DDIM"}};
    return desc;
}

NodeDesc fullNode() {
    return {.id = "sample",
            .label = "Sample",
            .category = "Denoise",
            .tooltip = "Takes noise away",
            .version = 3,
            .output = true,
            .sideEffect = true,
            .control = true,
            .aliases = {"KSampler"},
            .components = {"denoiser"},
            .inputs = {{"model", "Model", "What denoises", "MODEL", false},
                       {"latent", "Latent", "Where to begin", "LATENT", true}},
            .outputs = {{"latent", "Latent", "", "LATENT", false}},
            .params = {fullParam(), choiceParam()}};
}

}  // namespace

class NodeJsonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void parametersComeBackWhole_data() {
        QTest::addColumn<ParamDesc>("desc");
        QTest::newRow("everything") << fullParam();
        QTest::newRow("choices") << choiceParam();
        QTest::newRow("largest seed") << param("seed", ParamKind::Seed, UINT64_MAX);
        QTest::newRow("float of a whole number") << param("cfg", ParamKind::Float, 7.0);
        QTest::newRow("no default") << param("file", ParamKind::File, std::monostate());
        ParamDesc words = param("words", ParamKind::Text, std::string("a \"cat\"\n"));
        words.multiline = true;
        QTest::newRow("text") << words;
        ParamDesc title = param("title", ParamKind::Text, std::string());
        title.cosmetic = true;
        QTest::newRow("cosmetic") << title;
    }

    void parametersComeBackWhole() {
        QFETCH(ParamDesc, desc);
        const ParamDesc read = paramFromJson(Json::parse(toJson(desc).dump()));
        QCOMPARE(toJson(read), toJson(desc));
        QVERIFY(read.kind == desc.kind);
        QVERIFY(read.defaultValue == desc.defaultValue);
        QVERIFY(read.unit == desc.unit && read.tooltip == desc.tooltip);
        QVERIFY(read.min == desc.min && read.max == desc.max && read.step == desc.step);
        QVERIFY(read.softMin == desc.softMin && read.softMax == desc.softMax);
        QCOMPARE(read.choices.size(), desc.choices.size());
        QCOMPARE(read.multiline, desc.multiline);
        QCOMPARE(read.advanced, desc.advanced);
        QCOMPARE(read.cosmetic, desc.cosmetic);
    }

    void nodesComeBackWhole() {
        const NodeDesc node = fullNode();
        const NodeDesc read = nodeFromJson(Json::parse(toJson(node).dump()));
        QCOMPARE(toJson(read), toJson(node));
        QVERIFY(read.version == 3u && read.output && read.sideEffect && read.control);
        QVERIFY(read.inputs.at(1).optional && !read.inputs.at(0).optional);
        QVERIFY(read.aliases == node.aliases && read.components == node.components);
        QVERIFY(!nodeFromJson(toJson(NodeDesc{.id = "plain"})).control);
    }

    void brokenOnesAreRefused_data() {
        QTest::addColumn<Json>("change");
        QTest::newRow("unknown kind") << Json{{"kind", "colour"}};
        QTest::newRow("default out of range") << Json{{"default", 8192}};
        QTest::newRow("default of another kind") << Json{{"default", "large"}};
        QTest::newRow("limit that is a text") << Json{{"min", "64"}};
        QTest::newRow("no label") << Json{{"label", nullptr}};
        QTest::newRow("choices without ids") << Json{{"choices", {"a"}}};
    }

    void brokenOnesAreRefused() {
        QFETCH(Json, change);
        Json json = toJson(fullParam());
        json.update(change);
        QVERIFY_THROWS_EXCEPTION(std::exception, (void)paramFromJson(json));
    }
};

LOWTIDE_TEST(NodeJsonTest)

}  // namespace node_json_test

#include "node_json_test.moc"
