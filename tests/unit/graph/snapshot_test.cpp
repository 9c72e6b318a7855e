#include "plugin/base/error.hpp"
#include "plugin/graph/snapshot.hpp"
#include "tests/unit/graph/sample_graph.hpp"

#include <QtTest/QtTest>

using namespace lowtide;
using namespace lowtide::graph;

class SnapshotTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void putsSourcesFirst_andLeavesOutWhatNothingPulls();
    void fillsDefaults_andTypesValues();
    void resolvesBypassedNodes();
    void keepsTheNetworksInUse_beforeSwitching();
    void keepsTheModelInUse_beforeSwitching();
    void hasOneOrder_whateverTheLinksOrderWas();
    void isRefused_whenTheGraphHasErrors();
    void readsPolicies();
    void writesTheValuesThatWereUsed_forPictures();

private:
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

void SnapshotTest::putsSourcesFirst_andLeavesOutWhatNothingPulls() {
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

void SnapshotTest::fillsDefaults_andTypesValues() {
    Json graph = textToImage();
    graph["nodes"]["denoise"]["params"]["cfg"] = 4;
    graph["nodes"]["denoise"]["params"]["seed"] = 18446744073709551615ull;

    const auto snapshot = snapshotOf(graph);

    const auto& params = nodeOf(*snapshot, "denoise").params;
    QVERIFY(params.at("steps") == Scalar(int64_t{4}));
    QVERIFY(params.at("cfg") == Scalar(4.0));
    QVERIFY(params.at("seed") == Scalar(uint64_t{18446744073709551615ull}));
    QVERIFY(params.at("sampler") == Scalar(std::string("euler")));
    QVERIFY(nodeOf(*snapshotOf(textToImage()), "denoise").params.at("seed") == Scalar(uint64_t{0}));
}

void SnapshotTest::resolvesBypassedNodes() {
    Json graph = textToImage();
    graph["nodes"]["denoise"]["mode"] = "bypassed";

    const auto snapshot = snapshotOf(graph);

    const SnapshotInput* latent = nodeOf(*snapshot, "decode").input("latent");
    QCOMPARE(snapshot->nodes[latent->sourceNode].id, std::string("latent"));
    QVERIFY(orderOf(*snapshot).split(' ').filter("encode").isEmpty());
}

void SnapshotTest::keepsTheNetworksInUse_beforeSwitching() {
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

void SnapshotTest::keepsTheModelInUse_beforeSwitching() {
    Json graph = textToImage();
    graph["nodes"]["load2"] = graph["nodes"]["load"];
    graph["nodes"]["patch"] = {{"type", "model.patch"}};
    for (const char* id : {"a", "b", "c"}) {  // a and c patch or use the first model, b the second
        const std::string encode = std::string(id) + "_encode";
        graph["nodes"][encode] = {{"type", "prompt.encode"}};
        graph["nodes"][std::string(id) + "_denoise"] = {{"type", "denoise.sample"}};
        addLink(graph, encode, "positive", std::string(id) + "_denoise", "positive");
        addLink(graph, "latent", "latent", std::string(id) + "_denoise", "latent");
    }
    addLink(graph, "load", "model", "patch", "model");
    for (const auto& [id, source] : {std::pair("a", "patch"), {"b", "load2"}, {"c", "load"}}) {
        addLink(graph, source, "model", std::string(id) + "_encode", "model");
        addLink(graph, source, "model", std::string(id) + "_denoise", "model");
        graph["nodes"][std::string(id) + "_decode"] = {{"type", "decode.image"}};
        graph["nodes"][std::string(id) + "_save"] = {{"type", "save.image"}};
        addLink(graph, source, "model", std::string(id) + "_decode", "model");
        addLink(
            graph, std::string(id) + "_denoise", "latent", std::string(id) + "_decode", "latent");
        addLink(graph, std::string(id) + "_decode", "image", std::string(id) + "_save", "image");
    }
    for (const char* id : {"encode", "denoise", "decode", "save"}) {
        graph["nodes"].erase(id);
    }
    Json links = Json::array();
    for (const Json& link : graph["links"]) {
        if (graph["nodes"].contains(link["to"][0]) && graph["nodes"].contains(link["from"][0])) {
            links.push_back(link);
        }
    }
    graph["links"] = links;

    QCOMPARE(
        orderOf(*snapshotOf(graph)),
        QString("latent load load2 patch a_encode c_encode a_denoise c_denoise a_decode a_save "
                "c_decode c_save b_encode b_denoise b_decode b_save"));
}

void SnapshotTest::hasOneOrder_whateverTheLinksOrderWas() {
    Json shuffled = textToImage();
    std::reverse(shuffled["links"].begin(), shuffled["links"].end());

    QCOMPARE(orderOf(*snapshotOf(shuffled)), orderOf(*snapshotOf(textToImage())));
}

void SnapshotTest::isRefused_whenTheGraphHasErrors() {
    Json graph = textToImage();
    graph["nodes"]["denoise"]["params"]["steps"] = 0;

    QVERIFY_EXCEPTION_THROWN(static_cast<void>(snapshotOf(graph)), Error);
}

void SnapshotTest::readsPolicies() {
    Json graph = textToImage();
    graph["nodes"]["denoise"]["memory"] = "model,after=keep";
    graph["memory_budget"] = "2GiB";
    graph["device"] = "fake:8GiB";

    const auto snapshot = snapshotOf(graph);

    QCOMPARE(nodeOf(*snapshot, "denoise").policy, memory::parsePolicy("model,after=keep"));
    QCOMPARE(nodeOf(*snapshot, "encode").policy, memory::Policy{});
    QCOMPARE(*snapshot->memoryBudget, 2 * kGiB);
    QCOMPARE(snapshot->device->kind, std::string("fake"));
}

void SnapshotTest::writesTheValuesThatWereUsed_forPictures() {
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

QTEST_GUILESS_MAIN(SnapshotTest)
#include "snapshot_test.moc"
