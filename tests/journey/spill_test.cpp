// A GPU whose driver lends memory of the host, slowly: no run at its budget ever touches it.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace spill_test {

using namespace lowtide;

namespace {

/// The text-to-image example with a second image of another size behind the same prompt.
Json twoSizes() {
    Json graph = Json::parse(testing::exampleText("text_to_image"));
    for (const char* node : {"latent", "denoise", "decode", "save"}) {
        graph["nodes"][std::string("wide_") + node] = graph["nodes"][node];
    }
    graph["nodes"]["wide_latent"]["params"]["width"] = 192;
    const Json links = graph["links"];
    for (Json link : links) {
        if (!graph["nodes"].contains("wide_" + link["to"][0].get<std::string>())) {
            continue;
        }
        for (const char* end : {"from", "to"}) {
            const std::string wide = "wide_" + link[end][0].get<std::string>();
            link[end][0] = graph["nodes"].contains(wide) ? Json(wide) : link[end][0];
        }
        graph["links"].push_back(link);
    }
    return graph;
}

/// Decode and a stage that is as large behind it.
std::string graphNamed(const QString& name) {
    return (name == "two sizes" ? twoSizes() : Json::parse(testing::exampleText("demo"))).dump();
}

std::vector<std::string> settingsOf(const QString& name) {
    std::vector<std::string> settings = {"denoise.steps=2"};
    if (name == "two sizes") {
        settings.insert(settings.end(), {"wide_denoise.steps=2", "wide_save.prefix=wide"});
    } else {
        settings.push_back("upscale.scale=2");
    }
    return settings;
}

Json optionsFor(const QString& graph, const QString& policy, const QTemporaryDir& folder) {
    std::vector<std::string> policies;
    for (const char* node : {"encode", "denoise", "decode", "wide_denoise", "wide_decode"}) {
        if (graph == "two sizes" || !QString(node).startsWith("wide")) {
            policies.push_back(std::string(node) + "=" + policy.toStdString());
        }
    }
    return {{"set", settingsOf(graph)},
            {"policies", policies},
            {"out", folder.path().toStdString()},
            {"forceExecution", true}};
}

}  // namespace

class SpillTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void noRunTouchesASpilledByte_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("policy");
        for (const char* graph : {"two sizes", "decode and upscale"}) {
            for (const char* policy : {"none", "model", "auto", "block+stream", "leaf+stream"}) {
                QTest::addRow("%s, %s", graph, policy) << graph << policy;
            }
        }
    }

    void noRunTouchesASpilledByte() {
        QFETCH(QString, graph);
        QFETCH(QString, policy);
        const QTemporaryDir folder;
        Json options = optionsFor(graph, policy, folder);
        options["device"] = "fake:1GiB";
        std::string text;
        testing::openModule().runner()->plan(graphNamed(graph), options.dump(), text);
        const Json plan = Json::parse(text);
        QVERIFY2(plan.contains("plan"), text.c_str());
        const auto minimum = plan.at("plan").at("devices")[0].at("minimum").get<int64_t>();
        const std::string size = std::to_string(minimum);
        options["device"] = "fake:" + size + ",spill=1GiB";
        options["memoryBudget"] = size;

        const testing::ModuleRun run = testing::runModule(graphNamed(graph), options);

        QVERIFY2(run.status == Status::Ok, run.report.at("issues").dump().c_str());
        QVERIFY2(run.report.at("issues").empty(), run.report.at("issues").dump().c_str());
        const Json counts = run.report.at("rehearsal").at("fake");
        QCOMPARE(counts.at("spilled"), Json(0));
        QCOMPARE(counts.at("spilledTouched"), Json(0));
        QCOMPARE(counts.at("held"), Json(0));
        QVERIFY(counts.at("allocations").at("activation").get<int64_t>() > 0);
    }
};

LOWTIDE_TEST(SpillTest)

}  // namespace spill_test

#include "spill_test.moc"
