#include "plugin/graph/snapshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/graph/sample_graph.hpp"

#include <QtTest/QtTest>

#include <functional>
#include <set>

namespace key_test {

using namespace lowtide;
using namespace lowtide::graph;

using Change = std::function<void(Json&)>;

namespace {

/// Keys by node id; `fingerprint` is what the loader states of its file.
std::map<std::string, std::string> keysOf(const Json& graph,
                                          std::vector<NodeDesc> nodes = sampleNodes(),
                                          const std::string& fingerprint = "file 1",
                                          const std::string& numerics = "cpu, 2 threads") {
    const Catalog catalog(std::move(nodes));
    const auto snapshot = makeSnapshot(documentFromJson(graph), catalog);
    std::vector<std::vector<std::string>> fingerprints(snapshot->nodes.size());
    for (size_t i = 0; i < fingerprints.size(); ++i) {
        if (snapshot->nodes[i].desc->id == "load.checkpoint") {
            fingerprints[i] = {fingerprint};
        }
    }
    const auto keys = makeKeys(*snapshot, fingerprints, numerics, {{"", "cpu"}});
    std::map<std::string, std::string> byId;
    for (size_t i = 0; i < keys.size(); ++i) {
        byId[snapshot->nodes[i].id] = keys[i];
    }
    return byId;
}

/// The nodes whose keys differ, sorted.
QString changed(const std::map<std::string, std::string>& before,
                const std::map<std::string, std::string>& after) {
    QStringList ids;
    for (const auto& [id, key] : before) {
        if (!after.contains(id) || after.at(id) != key) {
            ids << QString::fromStdString(id);
        }
    }
    return ids.join(" ");
}

void insertControl(Json& graph) {
    graph["nodes"]["free"] = {{"type", "control.offload"}};
    removeLinksInto(graph, "decode", "latent");
    addLink(graph, "denoise", "latent", "free", "value");
    addLink(graph, "free", "value", "decode", "latent");
}

}  // namespace

class KeyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void changesWithWhatChangesTheResult_data() {
        const testing::Rows<Change, QString> row("change", "ids");
        const auto denoise = [](const char* key, Json value) {
            return [key, value](Json& g) { g["nodes"]["denoise"][key] = value; };
        };
        row(
            "parameter",
            [](Json& g) { g["nodes"]["denoise"]["params"]["steps"] = 5; },
            "decode denoise save");
        row(
            "seed",
            [](Json& g) { g["nodes"]["denoise"]["params"]["seed"] = 1; },
            "decode denoise save");
        row(
            "early parameter",
            [](Json& g) { g["nodes"]["encode"]["params"]["prompt"] = "x"; },
            "decode denoise encode save");
        row(
            "default stated", [](Json& g) { g["nodes"]["denoise"]["params"]["cfg"] = 7.5; }, "");
        row(
            "cosmetic parameter",
            [](Json& g) { g["nodes"]["denoise"]["params"]["note"] = "seen"; },
            "");
        row("title", denoise("title", "My sampler"), "");
        row("position", denoise("position", {3, 4}), "");
        row(
            "unknown parameter", [](Json& g) { g["nodes"]["denoise"]["params"]["zzz"] = 1; }, "");
        row("policy", denoise("memory", "model"), "");
        row("device of a policy", denoise("memory", "model@fake:8GiB"), "decode denoise save");
        row("the run's own device stated", denoise("memory", "model@cpu"), "");
        row("precision", denoise("precision", {{"storage", "f16"}}), "decode denoise save");
        row(
            "optional input removed",
            [](Json& g) { removeLinksInto(g, "denoise", "negative"); },
            "decode denoise save");
        row(
            "another port of the same node",
            [](Json& g) {
                removeLinksInto(g, "denoise", "positive");
                addLink(g, "encode", "negative", "denoise", "positive");
            },
            "decode denoise save");
        row("control node in between", insertControl, "");
        row(
            "order of links",
            [](Json& g) { std::reverse(g["links"].begin(), g["links"].end()); },
            "");
        row(
            "alias of the type",
            [](Json& g) { g["nodes"]["encode"]["type"] = "CLIPTextEncode"; },
            "");
    }

    void changesWithWhatChangesTheResult() {
        QFETCH(Change, change);
        QFETCH(QString, ids);
        Json graph = textToImage();
        change(graph);

        QCOMPARE(changed(keysOf(textToImage()), keysOf(graph)), ids);
    }

    void changesWithVersion_fingerprintAndNumerics() {
        const auto keys = keysOf(textToImage());
        std::vector<NodeDesc> newer = sampleNodes();
        for (NodeDesc& node : newer) {
            node.version += node.id == "decode.image" ? 1 : 0;
        }

        QCOMPARE(changed(keys, keysOf(textToImage(), newer)), QString("decode save"));
        QCOMPARE(changed(keys, keysOf(textToImage(), sampleNodes(), "file 2")),
                 QString("decode denoise encode load save"));
        QCOMPARE(changed(keys, keysOf(textToImage(), sampleNodes(), "file 1", "cpu, 4 threads")),
                 QString("decode denoise encode latent load save"));
    }

    void isTheSame_forEverySizeOfADevice() {
        Json large = textToImage();
        large["nodes"]["denoise"]["memory"] = "model@fake:8GiB";
        Json small = textToImage();
        small["nodes"]["denoise"]["memory"] = "none@fake:1GiB";

        QCOMPARE(changed(keysOf(large), keysOf(small)), QString());
    }

    void isTheSame_forTheSameWorkUnderOtherIds() {
        std::string text = textToImage().dump();
        for (const char* id : {"denoise", "encode", "latent"}) {
            const std::string quoted = "[\"" + std::string(id) + "\"";
            for (size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted)) {
                text.replace(at, quoted.size(), "[\"z_" + std::string(id) + "\"");
            }
        }
        Json graph = parseJson(text, "renamed");
        for (const char* id : {"denoise", "encode", "latent"}) {
            graph["nodes"]["z_" + std::string(id)] = graph["nodes"][id];
            graph["nodes"].erase(id);
        }

        const auto keys = keysOf(textToImage());
        const auto renamed = keysOf(graph);

        QCOMPARE(renamed.at("z_denoise"), keys.at("denoise"));
        QCOMPARE(renamed.at("save"), keys.at("save"));
        QCOMPARE(std::set<std::string>({keys.at("load"),
                                        keys.at("encode"),
                                        keys.at("latent"),
                                        keys.at("denoise"),
                                        keys.at("decode"),
                                        keys.at("save")})
                     .size(),
                 size_t(6));
    }

    void isThatOfItsInput_forControlNodes() {
        Json graph = textToImage();
        insertControl(graph);
        addLink(graph, "load", "model", "free", "model");

        const auto keys = keysOf(graph);

        QCOMPARE(keys.at("free"), keys.at("denoise"));
    }
};

LOWTIDE_TEST(KeyTest)

}  // namespace key_test

#include "key_test.moc"
