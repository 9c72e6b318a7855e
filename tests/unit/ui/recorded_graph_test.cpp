#include "cli/measured_graph.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace recorded_graph_test {

using namespace lowtide;
using namespace lowtide::cli;

namespace {

PortDesc cachePort() {
    return {.id = "step_cache", .type = "STEP_CACHE", .optional = true};
}

std::vector<NodeDesc> nodes() {
    const ParamDesc seed = {.id = "seed", .kind = ParamKind::Seed, .defaultValue = uint64_t{0}};
    return {{.id = "denoise.sample", .inputs = {cachePort()}, .params = {seed}},
            {.id = "cache.block", .outputs = {cachePort()}},
            {.id = "cache.mag_record", .outputs = {cachePort()}},
            {.id = "save.image"}};
}

Json node(const char* type, const char* mode = nullptr) {
    Json json = {{"type", type}, {"v", 1}};
    if (mode) {
        json["mode"] = mode;
    }
    return json;
}

Json link(const char* from, const char* to) {
    return {{"from", {from, "step_cache"}}, {"to", {to, "step_cache"}}};
}

/// Two passes, the first one with a cache.
graph::Document documentOf(const char* modeOfSecond = nullptr) {
    return graph::documentFromJson(
        {{"format", 1},
         {"nodes",
          {{"first", node("denoise.sample")},
           {"second", node("denoise.sample", modeOfSecond)},
           {"mag_record", node("save.image")},
           {"cache", node("cache.block")}}},
         {"links", Json::array({link("cache", "first"), link("cache", "second")})}});
}

}  // namespace

/// The graph that is run to record a curve.
class RecordedGraphTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{nodes()};

private Q_SLOTS:

    void theRecorderReplacesTheCache() {
        const RecordedGraph made = recordedGraph(documentOf(), catalog_, "first");

        QCOMPARE(made.denoiser, std::string("first"));
        const graph::Document& document = made.document;
        QCOMPARE(document.nodes.at("mag_record_2").type, std::string("cache.mag_record"));
        QCOMPARE(document.links.size(), size_t{2});
        const auto sourceOf = [&](const std::string& denoiser) {
            for (const graph::Link& each : document.links) {
                if (each.to.node == denoiser) {
                    return each.from.node;
                }
            }
            return std::string();
        };
        QCOMPARE(sourceOf("first"), std::string("mag_record_2"));
        QCOMPARE(sourceOf("second"), std::string("cache"));
    }

    void theSeedIsTheDenoisers() {
        const RecordedGraph made = recordedGraph(documentOf(), catalog_, "second");

        const Json json = parseJson(graph::toText(withSeed(made, 18446744073709551615u)), "graph");

        QCOMPARE(json.at("nodes").at("second").at("params").at("seed").get<uint64_t>(),
                 uint64_t{18446744073709551615u});
        QVERIFY(!json.at("nodes").at("first").contains("params") ||
                !json.at("nodes").at("first").at("params").contains("seed"));
    }

    void theOnlyDenoiserNeedsNoName() {
        QCOMPARE(recordedGraph(documentOf("muted"), catalog_, "").denoiser, std::string("first"));
    }

    void refuses_data() {
        testing::addTable<QString, QString, QString>(
            {"mode", "node", "expected"},
            {{"several", "", "", "several denoisers: first, second"},
             {"no denoiser", "", "cache", "\"cache\" is no denoiser"},
             {"unknown", "", "third", "\"third\" is no denoiser"},
             {"muted", "muted", "second", "\"second\" is no denoiser"}});
    }

    void refuses() {
        QFETCH(QString, mode);
        QFETCH(QString, node);
        QFETCH(QString, expected);
        const QByteArray own = mode.toUtf8();
        const auto error = testing::errorOf([&] {
            (void)recordedGraph(documentOf(own.isEmpty() ? nullptr : own.constData()),
                                catalog_,
                                node.toStdString());
        });

        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QVERIFY2(error->message().str().find(expected.toStdString()) != std::string::npos,
                 error->what());
    }

    void refusesGraphsWithoutADenoiser() {
        graph::Document document = documentOf();
        document.nodes.erase("first");
        document.nodes.erase("second");
        const auto error = testing::errorOf([&] { (void)recordedGraph(document, catalog_, ""); });

        QVERIFY(error && error->message().str().find("no denoiser") != std::string::npos);
    }
};

LOWTIDE_TEST(RecordedGraphTest)

}  // namespace recorded_graph_test

#include "recorded_graph_test.moc"
