#include "plugin/base/error.hpp"
#include "plugin/graph/issues.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/graph/wiring.hpp"
#include "tests/fixtures/cpu_timer.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/graph/sample_graph.hpp"

#include <QtTest/QtTest>

namespace snapshot_test {

using namespace lowtide;
using namespace lowtide::graph;

class SnapshotTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void putsSourcesFirst_andLeavesOutWhatNothingPulls() {
        Json graph = textToImage();
        graph["nodes"]["lonely"] = {{"type", "latent.empty"}};

        const auto snapshot = snapshotOf(graph);

        QCOMPARE(snapshot->nodes.size(), size_t(6));
        for (size_t i = 0; i < snapshot->nodes.size(); ++i) {
            for (const SnapshotInput& input : snapshot->nodes[i].inputs) {
                QVERIFY(input.sourceNode < i);
            }
        }
        const SnapshotInput* latent = nodeOf(*snapshot, "decode").input("latent");
        QCOMPARE(snapshot->nodes[latent->sourceNode].id, std::string("denoise"));
        QCOMPARE(latent->sourcePort, std::string("latent"));
    }

    void endsWhereTheRunShallEnd() {
        Document document = documentFromJson(textToImage());
        document.until = {"encode", "latent"};

        const auto snapshot = makeSnapshot(document, catalog_);

        QCOMPARE(orderOf(*snapshot), QString("latent load encode"));
        QVERIFY(nodeOf(*snapshot, "encode").isWanted && nodeOf(*snapshot, "latent").isWanted);
        QVERIFY(!nodeOf(*snapshot, "load").isWanted);
    }

    void fillsDefaults_andTypesValues() {
        Json graph = textToImage();
        graph["nodes"]["denoise"]["params"]["cfg"] = 4;
        graph["nodes"]["denoise"]["params"]["seed"] = 18446744073709551615ull;

        const auto snapshot = snapshotOf(graph);

        const auto& params = nodeOf(*snapshot, "denoise").params;
        QVERIFY(params.at("steps") == Scalar(int64_t{4}));
        QVERIFY(params.at("cfg") == Scalar(4.0));
        QVERIFY(params.at("seed") == Scalar(uint64_t{18446744073709551615ull}));
        QVERIFY(params.at("sampler") == Scalar(std::string("euler")));
        QVERIFY(nodeOf(*snapshotOf(textToImage()), "denoise").params.at("seed") ==
                Scalar(uint64_t{0}));
    }

    void resolvesBypassedNodes() {
        Json graph = textToImage();
        graph["nodes"]["denoise"]["mode"] = "bypassed";

        const auto snapshot = snapshotOf(graph);

        const SnapshotInput* latent = nodeOf(*snapshot, "decode").input("latent");
        QCOMPARE(snapshot->nodes[latent->sourceNode].id, std::string("latent"));
        QVERIFY(orderOf(*snapshot).split(' ').filter("encode").isEmpty());
    }

    void keepsTheNetworksInUse_beforeSwitching() {
        Json graph = textToImage();
        for (const char* id : {"encode", "denoise", "decode", "save"}) {
            graph["nodes"][std::string(id) + "2"] = graph["nodes"][id];
        }
        const Json original = textToImage();
        for (const Json& link : original["links"]) {
            Json copy = link;
            copy["to"][0] = std::string(link["to"][0]) + "2";
            if (copy["from"][0] != "load" && copy["from"][0] != "latent") {
                copy["from"][0] = std::string(link["from"][0]) + "2";
            }
            graph["links"].push_back(copy);
        }

        QCOMPARE(orderOf(*snapshotOf(graph)),
                 QString("latent load encode encode2 denoise denoise2 decode save decode2 save2"));
    }

    void keepsTheModelInUse_beforeSwitching() {
        Json graph = graphOf({{"load", "load.checkpoint"},
                              {"load2", "load.checkpoint"},
                              {"patch", "model.patch"},
                              {"latent", "latent.empty"}});
        addLink(graph, "load", "model", "patch", "model");
        const auto addBranch =
            [&](const char* model, const std::string& encode, const std::string& rest) {
                graph["nodes"][encode] = {{"type", "prompt.encode"}};
                graph["nodes"][rest + "_denoise"] = {{"type", "denoise.sample"}};
                graph["nodes"][rest + "_decode"] = {{"type", "decode.image"}};
                graph["nodes"][rest + "_save"] = {{"type", "save.image"}};
                for (const std::string& node : {encode, rest + "_denoise", rest + "_decode"}) {
                    addLink(graph, model, "model", node, "model");
                }
                addLink(graph, encode, "positive", rest + "_denoise", "positive");
                addLink(graph, "latent", "latent", rest + "_denoise", "latent");
                addLink(graph, rest + "_denoise", "latent", rest + "_decode", "latent");
                addLink(graph, rest + "_decode", "image", rest + "_save", "image");
            };
        addBranch(
            "patch", "a_encode", "z");  // ids that alone would let the second model in between
        addBranch("load", "b_encode", "y");
        addBranch("load2", "m_encode", "n");

        QCOMPARE(
            orderOf(*snapshotOf(graph)),
            QString("latent load load2 patch a_encode b_encode y_denoise z_denoise y_decode y_save "
                    "z_decode z_save m_encode n_denoise n_decode n_save"));
    }

    void keepsTheUpscalerInUse_beforeSwitching() {
        Json graph = textToImage();
        for (const char* load : {"load2", "load3"}) {
            graph["nodes"][load] = {{"type", "load.upscaler"}, {"params", {{"upscaler", load}}}};
        }
        const auto addBranch = [&](const char* upscaler, const std::string& node) {
            graph["nodes"][node] = {{"type", "upscale.model"}};
            graph["nodes"][node + "_save"] = {{"type", "save.image"}};
            addLink(graph, upscaler, "upscaler", node, "upscaler");
            addLink(graph, "decode", "image", node, "image");
            addLink(graph, node, "image", node + "_save", "image");
        };
        addBranch("load2", "ua");
        addBranch("load3", "ub");
        addBranch("load2", "uc");

        QCOMPARE(
            orderOf(*snapshotOf(graph)),
            QString("latent load load2 load3 encode denoise decode save ua ua_save uc uc_save ub "
                    "ub_save"));
    }

    void hasOneOrder_whateverTheLinksOrderWas() {
        Json shuffled = textToImage();
        std::reverse(shuffled["links"].begin(), shuffled["links"].end());

        QCOMPARE(orderOf(*snapshotOf(shuffled)), orderOf(*snapshotOf(textToImage())));
    }

    void isRefused_whenTheGraphHasErrors() {
        Json graph = textToImage();
        graph["nodes"]["denoise"]["params"]["steps"] = 0;

        QVERIFY_EXCEPTION_THROWN(static_cast<void>(snapshotOf(graph)), Error);
    }

    /// A shared graph may have thousands: each was followed to its begin, for each of them.
    void longChainsOfControlNodesTakeNoTime() {
        constexpr int kNodes = 5000;
        constexpr double kMostMilliseconds = 3000;  // 150 without sanitizers
        Json graph = graphOf({{"load", "load.checkpoint"}, {"latent", "latent.empty"}});
        std::vector<std::string> from = {"latent", "latent"};
        for (int i = 0; i < kNodes; ++i) {
            const std::string id = "pass" + std::to_string(i);
            graph["nodes"][id] = {{"type", "control.offload"}};
            graph["links"].push_back({{"from", from}, {"to", {id, "value"}}});
            from = {id, "value"};
        }
        const testing::CpuTimer timer;
        const Document document = documentFromJson(graph);
        const Wiring wiring(document, catalog_);
        QCOMPARE(wiring.typeOf({from[0], from[1]}), std::string("LATENT"));
        const Issues issues = validate(document, catalog_);
        QVERIFY2(timer.milliseconds() < kMostMilliseconds,
                 qPrintable(QString::number(timer.milliseconds())));
        QVERIFY(issues.size() < kNodes);
    }

    void whatGoesInACircleHasNoType() {
        Json graph = graphOf({{"a", "control.offload"}, {"b", "control.offload"}});
        graph["links"].push_back({{"from", {"a", "value"}}, {"to", {"b", "value"}}});
        graph["links"].push_back({{"from", {"b", "value"}}, {"to", {"a", "value"}}});
        const Document document = documentFromJson(graph);
        const Wiring wiring(document, catalog_);
        QCOMPARE(wiring.typeOf({"a", "value"}), std::string("*"));
        QCOMPARE(wiring.typeOf({"b", "value"}), std::string("*"));
        QCOMPARE(wiring.cycles().size(), size_t{1});
    }

    void readsPolicies() {
        Json graph = textToImage();
        graph["nodes"]["denoise"]["memory"] = "model,after=keep";
        graph["memory_budget"] = "2GiB";
        graph["device"] = "fake:8GiB";
        graph["gc_threshold"] = 55;
        graph["low_memory"] = "off";

        const auto snapshot = snapshotOf(graph);

        QCOMPARE(nodeOf(*snapshot, "denoise").policy, memory::parsePolicy("model,after=keep"));
        QCOMPARE(nodeOf(*snapshot, "encode").policy, memory::Policy{});
        QCOMPARE(snapshot->memoryBudget.main.value_or(0), 2 * kGiB);
        QCOMPARE(snapshot->device->kind, std::string("fake"));
        QCOMPARE(snapshot->collectionThreshold, std::optional<int>(55));
        QVERIFY(snapshot->lowMemory == memory::LowMemory::Off);
    }

    void writesTheValuesThatWereUsed_forImages() {
        Json graph = textToImage();
        graph["nodes"]["denoise"]["params"]["unknown"] = {1, 2};

        const auto snapshot = snapshotOf(graph);
        const Json text = parseJson(snapshot->graphText, "picture");

        QVERIFY(snapshot->graphText.find('\n') == std::string::npos);
        QCOMPARE(text["nodes"]["denoise"]["params"]["cfg"], Json(7.5));
        QCOMPARE(text["nodes"]["denoise"]["params"]["unknown"], Json({1, 2}));
        QCOMPARE(text["nodes"]["load"]["params"]["checkpoint"], Json("tiny.safetensors"));
        QVERIFY(!snapshotOf(text)->nodes.empty());
    }

    void keepsNoFolderOfAFile_forImages() {
        Json graph = textToImage();
        graph["nodes"]["spare"] = {
            {"type", graph["nodes"]["load"]["type"]},
            {"params", {{"checkpoint", "/users/someone/spare.safetensors"}}}};

        const auto snapshot = snapshotOf(graph);
        const Json text = parseJson(snapshot->graphText, "picture");

        QCOMPARE(text["nodes"]["spare"]["params"]["checkpoint"], Json("spare.safetensors"));
        QVERIFY(snapshot->graphText.find("someone") == std::string::npos);
    }

private:
    static Json graphOf(const std::vector<std::pair<std::string, std::string>>& types) {
        Json graph = {{"format", 1}, {"links", Json::array()}};
        for (const auto& [id, type] : types) {
            graph["nodes"][id] = {{"type", type}};
            if (type == "load.checkpoint") {
                graph["nodes"][id]["params"]["checkpoint"] = "x";
            }
        }
        return graph;
    }

    std::shared_ptr<const Snapshot> snapshotOf(const Json& graph) const {
        return makeSnapshot(documentFromJson(graph), catalog_);
    }

    static QString orderOf(const Snapshot& snapshot) {
        QStringList ids;
        for (const SnapshotNode& node : snapshot.nodes) {
            ids << QString::fromStdString(node.id);
        }
        return ids.join(" ");
    }

    static const SnapshotNode& nodeOf(const Snapshot& snapshot, const std::string& id) {
        return *std::find_if(snapshot.nodes.begin(), snapshot.nodes.end(), [&](const auto& node) {
            return node.id == id;
        });
    }

    const Catalog catalog_{sampleNodes()};
};

LOWTIDE_TEST(SnapshotTest)

}  // namespace snapshot_test

#include "snapshot_test.moc"
