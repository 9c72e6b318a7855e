#include "plugin/graph/issues.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/graph/sample_graph.hpp"

#include <QtTest/QtTest>

#include <functional>

namespace validate_test {

using namespace lowtide;
using namespace lowtide::graph;

using Change = std::function<void(Json&)>;

namespace {

Issues issuesOf(const Json& graph) {
    const Catalog catalog(sampleNodes());
    return validate(documentFromJson(graph), catalog);
}

/// "error required_input_missing denoise.latent", one line per issue.
QString linesOf(const Issues& issues) {
    QStringList lines;
    for (const Issue& issue : issues) {
        lines << QString("%1 %2 %3.%4")
                     .arg(issue.severity == Severity::Error ? "error" : "warning")
                     .arg(QString::fromStdString(issue.code))
                     .arg(QString::fromStdString(issue.node))
                     .arg(QString::fromStdString(issue.item));
    }
    return lines.join("\n");
}

Json withParam(const std::string& node, const std::string& id, const Json& value) {
    Json graph = textToImage();
    graph["nodes"][node]["params"][id] = value;
    return graph;
}

}  // namespace

class ValidateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void acceptsAGoodGraph() { QCOMPARE(linesOf(issuesOf(textToImage())), QString()); }

    void findsOneFault_data() {
        const testing::Rows<Change, QString> row("change", "lines");
        row(
            "unknown type",
            [](Json& g) { g["nodes"]["denoise"]["type"] = "denoise.sampel"; },
            "error missing_node_type denoise.");
        row(
            "missing input",
            [](Json& g) { removeLinksInto(g, "denoise", "latent"); },
            "error required_input_missing denoise.latent");
        row(
            "missing optional input",
            [](Json& g) { removeLinksInto(g, "denoise", "negative"); },
            "");
        row(
            "required parameter",
            [](Json& g) { g["nodes"]["load"]["params"].erase("checkpoint"); },
            "error required_input_missing load.checkpoint");
        row(
            "wrong wire type",
            [](Json& g) {
                removeLinksInto(g, "decode", "latent");
                addLink(g, "encode", "positive", "decode", "latent");
            },
            "error return_type_mismatch decode.latent");
        row(
            "too small",
            [](Json& g) { g["nodes"]["denoise"]["params"]["steps"] = 0; },
            "error value_smaller_than_min denoise.steps");
        row(
            "too big",
            [](Json& g) { g["nodes"]["denoise"]["params"]["cfg"] = 30.5; },
            "error value_bigger_than_max denoise.cfg");
        row(
            "not in list",
            [](Json& g) { g["nodes"]["denoise"]["params"]["sampler"] = "dpm"; },
            "error value_not_in_list denoise.sampler");
        row(
            "wrong type",
            [](Json& g) { g["nodes"]["denoise"]["params"]["steps"] = "7"; },
            "error invalid_input_type denoise.steps");
        row(
            "unknown parameter",
            [](Json& g) { g["nodes"]["denoise"]["params"]["stepz"] = 4; },
            "warning unknown_parameter denoise.stepz");
        row(
            "link from no node",
            [](Json& g) {
                removeLinksInto(g, "decode", "latent");
                addLink(g, "ghost", "latent", "decode", "latent");
            },
            "error bad_linked_input decode.latent");
        row(
            "link from no port",
            [](Json& g) {
                removeLinksInto(g, "decode", "latent");
                addLink(g, "denoise", "laten", "decode", "latent");
            },
            "error bad_linked_input decode.latent");
        row(
            "link to no port",
            [](Json& g) { addLink(g, "denoise", "latent", "decode", "extra"); },
            "error bad_linked_input decode.extra");
        row(
            "link to a parameter",
            [](Json& g) { addLink(g, "denoise", "latent", "denoise", "steps"); },
            "error bad_linked_input denoise.steps");
        row(
            "link to no node",
            [](Json& g) { addLink(g, "denoise", "latent", "ghost", "latent"); },
            "warning bad_linked_input denoise.latent");
        row(
            "two links",
            [](Json& g) { addLink(g, "latent", "latent", "decode", "latent"); },
            "error bad_linked_input decode.latent");
        row(
            "newer node",
            [](Json& g) { g["nodes"]["denoise"]["v"] = 3; },
            "warning newer_node_version denoise.");
        row(
            "no outputs",
            [](Json& g) { g["nodes"]["save"]["mode"] = "muted"; },
            "error prompt_no_outputs .");
        row(
            "empty graph",
            [](Json& g) {
                g["nodes"] = Json::object();
                g["links"] = Json::array();
            },
            "error prompt_no_outputs .");
        row(
            "bad policy",
            [](Json& g) { g["nodes"]["denoise"]["memory"] = "fast"; },
            "error invalid_policy denoise.memory");
        row(
            "bad policy key",
            [](Json& g) {
                g["nodes"]["denoise"]["memory"] = {{"policy", 5}};
            },
            "error invalid_policy denoise.memory");
        row(
            "policy without components",
            [](Json& g) { g["nodes"]["latent"]["memory"] = "model"; },
            "error policy_without_components latent.memory");
        row(
            "policy of an unknown role",
            [](Json& g) {
                g["nodes"]["denoise"]["memory"] = {{"components", {{"autoencoder", "model"}}}};
            },
            "error policy_without_components denoise.memory");
        row(
            "policy of a role outside the pattern",
            [](Json& g) {
                g["nodes"]["encode"]["memory"] = {{"components", {{"image_encoder", "model"}}}};
            },
            "error policy_without_components encode.memory");
        row(
            "policy and precision of a role that the pattern means",
            [](Json& g) {
                g["nodes"]["encode"]["memory"] = {{"components", {{"text_encoder_4", "model"}}}};
                g["nodes"]["encode"]["precision"] = {
                    {"components", {{"text_encoder_2", {{"compute", "f32"}}}}}};
            },
            "");
        row(
            "good policy",
            [](Json& g) {
                g["nodes"]["denoise"]["memory"] = {{"policy", "model"},
                                                   {"components", {{"denoiser", "none"}}}};
            },
            "");
        row(
            "bad budget",
            [](Json& g) { g["memory_budget"] = "lots"; },
            "error invalid_budget .memory_budget");
        row(
            "bad device", [](Json& g) { g["device"] = "gpu9"; }, "error invalid_device .device");
        row(
            "bad threshold",
            [](Json& g) { g["gc_threshold"] = 101; },
            "error invalid_collection .gc_threshold");
        row(
            "bad low memory",
            [](Json& g) { g["low_memory"] = "perhaps"; },
            "error invalid_collection .low_memory");
        row(
            "exposed nothing",
            [](Json& g) {
                g["exposed"] = {{{"node", "denoise"}, {"param", "stepz"}}};
            },
            "warning unknown_parameter denoise.stepz");
        row(
            "exposed precision of a node without components",
            [](Json& g) {
                g["exposed"] = {{{"node", "denoise"}, {"param", "precision"}},
                                {{"node", "latent"}, {"param", "precision"}}};
            },
            "warning unknown_parameter latent.precision");
    }

    void findsOneFault() {
        QFETCH(Change, change);
        QFETCH(QString, lines);
        Json graph = textToImage();
        change(graph);

        QCOMPARE(linesOf(issuesOf(graph)), lines);
    }

    void warnsOnly_whenNoOutputPullsTheNode() {
        Json graph = textToImage();
        graph["nodes"]["lonely"] = {{"type", "denoise.sample"}, {"params", {{"steps", 0}}}};
        graph["nodes"]["stranger"] = {{"type", "not.installed"}};

        const Issues issues = issuesOf(graph);

        QCOMPARE(issues.size(), size_t(5));  // steps, three inputs, the type
        QVERIFY(!hasErrors(issues));
    }

    void asksOnlyTheNodes_thatAreActive() {
        Json graph = withParam("denoise", "steps", 0);
        graph["nodes"]["denoise"]["mode"] = "bypassed";

        QCOMPARE(linesOf(issuesOf(graph)), QString());
    }

    void forwardsTheInputOfEqualType_throughABypassedNode() {
        Json graph = textToImage();
        graph["nodes"]["denoise"]["mode"] =
            "bypassed";  // LATENT is its fourth input, its first output
        graph["nodes"]["stranger"] = {{"type", "not.installed"}, {"mode", "bypassed"}};
        removeLinksInto(graph, "decode", "latent");
        addLink(graph, "denoise", "latent", "stranger", "in");
        addLink(graph, "load", "model", "stranger", "also");
        addLink(graph, "stranger", "out", "decode", "latent");
        removeLinksInto(graph, "stranger", "in");
        addLink(graph, "latent", "latent", "stranger", "in");

        QCOMPARE(linesOf(issuesOf(graph)), QString());
    }

    /// Without ids of types: what is to be connected is the hint.
    void reportsWhatIsMissingInPlainWords() {
        Json graph = textToImage();
        removeLinksInto(graph, "decode", "latent");
        graph["nodes"]["load"]["params"].erase("checkpoint");

        const Issues issues = issuesOf(graph);

        QCOMPARE(linesOf(issues),
                 QString("error required_input_missing decode.latent\n"
                         "error required_input_missing load.checkpoint"));
        QCOMPARE(issues[0].message.str(),
                 std::string("the input \"latent\" of node decode is not connected"));
        QCOMPARE(issues[0].hint.str(), std::string("connect an output of type LATENT"));
        QCOMPARE(issues[1].message.str(),
                 std::string("node load needs a value for \"checkpoint\""));
    }

    void missesTheInput_whenItsSourceIsMuted() {
        Json graph = textToImage();
        graph["nodes"]["denoise"]["mode"] = "muted";

        const Issues issues = issuesOf(graph);

        QCOMPARE(linesOf(issues), QString("error required_input_missing decode.latent"));
        QVERIFY(issues.front().message.str().find("muted") != std::string::npos);
    }

    void takesTheTypeOfWhatAControlNodePasses() {
        Json graph = textToImage();
        graph["nodes"]["free"] = {{"type", "control.offload"}};
        removeLinksInto(graph, "decode", "latent");
        addLink(graph, "free", "value", "decode", "latent");
        addLink(graph, "denoise", "latent", "free", "value");

        QCOMPARE(linesOf(issuesOf(graph)), QString());

        removeLinksInto(graph, "free", "value");
        addLink(graph, "encode", "positive", "free", "value");
        QCOMPARE(linesOf(issuesOf(graph)), QString("error return_type_mismatch decode.latent"));
    }

    void namesTheNodesOfACircle_inDirection() {
        Json graph = textToImage();
        graph["nodes"]["again"] = {{"type", "denoise.sample"}};
        addLink(graph, "load", "model", "again", "model");
        addLink(graph, "encode", "positive", "again", "positive");
        addLink(graph, "denoise", "latent", "again", "latent");
        removeLinksInto(graph, "denoise", "latent");
        addLink(graph, "again", "latent", "denoise", "latent");

        const Issues issues = issuesOf(graph);

        QCOMPARE(linesOf(issues), QString("error dependency_cycle again."));
        QVERIFY(issues.front().message.str().find("again -> denoise -> again") !=
                std::string::npos);
    }

    void survivesACircleOfBypassedNodes() {
        Json graph = textToImage();
        for (const char* id : {"one", "two"}) {
            graph["nodes"][id] = {{"type", "model.patch"}, {"mode", "bypassed"}};
        }
        addLink(graph, "one", "model", "two", "model");
        addLink(graph, "two", "model", "one", "model");
        removeLinksInto(graph, "decode", "model");
        addLink(graph, "two", "model", "decode", "model");

        QCOMPARE(linesOf(issuesOf(graph)), QString("error required_input_missing decode.model"));
    }

    void survivesAVeryLongChain() {
        Json graph = textToImage();
        std::string before = "load";
        for (int i = 0; i < 20000; ++i) {
            const std::string id = "p" + std::to_string(i);
            graph["nodes"][id] = {{"type", "model.patch"}};
            addLink(graph, before, "model", id, "model");
            before = id;
        }
        removeLinksInto(graph, "decode", "model");
        addLink(graph, before, "model", "decode", "model");

        QCOMPARE(linesOf(issuesOf(graph)), QString());
    }

    void reportsWhatExists() {
        Json graph = textToImage();
        graph["nodes"]["denoise"]["type"] = "denoise.sampel";

        QVERIFY(issuesOf(graph).front().hint.str().find("denoise.sample") != std::string::npos);
        QVERIFY(issuesOf(withParam("denoise", "stepz", 4)).front().hint.str().find("\"steps\"") !=
                std::string::npos);
        QVERIFY(
            issuesOf(withParam("denoise", "steps", 151)).front().hint.str().find("from 1 to 150") !=
            std::string::npos);
    }
};

LOWTIDE_TEST(ValidateTest)

}  // namespace validate_test

#include "validate_test.moc"
