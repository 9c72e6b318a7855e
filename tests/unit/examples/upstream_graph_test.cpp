#include "plugin/graph/issues.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/examples/canvas_states.hpp"

#include <QtTest/QtTest>

#include "examples/qtnodes_host/adapter/upstream_graph.hpp"

namespace upstream_graph_test {

using namespace lowtide;
using namespace lowtide::qtnodes_host;

class UpstreamGraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsTheGraphOffTheWires() {
        const TextToImage nodes;
        nodes.load->setParam("checkpoint", "builtin:mini");
        nodes.denoise->setParam("seed", 18446744073709551615ull);
        nodes.denoise->setMemory("leaf+stream");
        nodes.denoise->setPosition(10, 20);

        const UpstreamGraph upstream = upstreamGraph(std::vector<StatePtr>{nodes.save});

        const graph::Catalog catalog(nodes.canvas.types());
        const Issues issues = graph::validate(upstream.document, catalog);
        QVERIFY2(issues.empty(), issues.empty() ? "" : issues[0].message.str().c_str());
        const Json json = graph::toJson(upstream.document);
        QCOMPARE(json.at("nodes").size(), size_t{6});
        QCOMPARE(json.at("links").size(), size_t{8});
        const Json denoise = json.at("nodes").at("denoise_sample");
        QCOMPARE(denoise.at("params").at("seed"), Json(18446744073709551615ull));
        QCOMPARE(denoise.at("memory"), Json("leaf+stream"));
        QCOMPARE(denoise.at("position"), Json({10.0, 20.0}));
        QCOMPARE(denoise.at("v"), Json(2));
        // The text reads back as the same document: what runs is what is saved.
        QCOMPARE(graph::toText(graph::parseDocument(graph::toText(upstream.document))),
                 graph::toText(upstream.document));
    }

    void leavesOutWhatNoSinkNeeds() {
        const TextToImage nodes;
        const NodePtr unused = nodes.canvas.add("upscale.model");
        CanvasStates::wire(nodes.decode, 0, unused, 1);

        const UpstreamGraph upstream = upstreamGraph(std::vector<StatePtr>{nodes.save});

        QVERIFY(upstream.idOf(*unused).empty());
        QCOMPARE(upstream.nodes.size(), size_t{6});
        QVERIFY(upstreamGraph({}).document.nodes.empty());
    }

    void countsNodesOfOneType_andFindsThemAgain() {
        const TextToImage nodes;
        const NodePtr again = nodes.canvas.add("denoise.sample");
        CanvasStates::wire(nodes.denoise, 0, again, 3);
        CanvasStates::wire(again, 0, nodes.decode, 1);

        const UpstreamGraph upstream = upstreamGraph(std::vector<StatePtr>{nodes.save});

        QCOMPARE(upstream.idOf(*again), std::string("denoise_sample"));
        QCOMPARE(upstream.idOf(*nodes.denoise), std::string("denoise_sample_2"));
        QCOMPARE(upstream.nodes.at("denoise_sample_2").get(), nodes.denoise.get());
    }

    void twoSinksShareWhatTheyNeed() {
        const TextToImage nodes;
        const NodePtr other = nodes.canvas.add("save.image");
        CanvasStates::wire(nodes.decode, 0, other, 0);

        const UpstreamGraph upstream = upstreamGraph(std::vector<StatePtr>{nodes.save, other});

        QCOMPARE(upstream.nodes.size(), size_t{7});
        QCOMPARE(upstream.idOf(*nodes.save), std::string("save_image"));
        QCOMPARE(upstream.idOf(*other), std::string("save_image_2"));
    }

    /// 40 pairs of wires that part and meet again: 2^40 ways, 41 nodes.
    void visitsReconvergentWiresOnce() {
        const CanvasStates canvas;
        std::vector<NodePtr> chain = {canvas.add("control.offload")};
        for (int i = 0; i < 40; ++i) {
            const NodePtr next = canvas.add("control.offload");
            CanvasStates::wire(chain.back(), 0, next, 0);
            CanvasStates::wire(chain.back(), 0, next, 1);
            chain.push_back(next);
        }

        const NodePtr save = canvas.add("save.image");
        CanvasStates::wire(chain.back(), 0, save, 0);

        const UpstreamGraph upstream = upstreamGraph(std::vector<StatePtr>{save});

        QCOMPARE(upstream.nodes.size(), size_t{42});
        QCOMPARE(upstream.document.links.size(), size_t{81});
    }

    void endsAtACircleThatAHostMade() {
        const CanvasStates canvas;
        const NodePtr first = canvas.add("model.patch");
        const NodePtr second = canvas.add("model.patch");
        first->connect(0, {.node = second});
        second->connect(0, {.node = first});

        const NodePtr save = canvas.add("save.image");
        save->connect(0, {.node = first});

        QCOMPARE(upstreamGraph(std::vector<StatePtr>{save}).document.links.size(), size_t{3});
    }
};

LOWTIDE_TEST(UpstreamGraphTest)

}  // namespace upstream_graph_test

#include "upstream_graph_test.moc"
