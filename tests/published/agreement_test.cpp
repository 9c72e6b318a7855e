// What check reports of published files and folders, whose headers are true; the loader does the
// same, in a plan and in a run.
#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/published/loading_graphs.hpp"
#include "tests/published/published_rows.hpp"

#include <QtTest/QtTest>

namespace agreement_test {

using namespace lowtide;

class AgreementTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Names, shapes and lengths of the key lists, and every small file, by the hashes of the
    /// published ones.
    void theDataIsThePublished() {
        testing::runReference(
            {testing::sourcePath("tests/published/make_published.py"), "--verify"});
    }

    void checkPlanAndRunStateTheSame_data() {
        const testing::Rows<QString, QString> add("what", "expected");
        for (const testing::PublishedRow& row : testing::publishedRows("check")) {
            add(qPrintable(row.what), row.what, row.expected);
        }
    }

    /// "runs", "not", or "runs=KIND".
    void checkPlanAndRunStateTheSame() {
        QFETCH(QString, what);
        QFETCH(QString, expected);
        Plugin& module = testing::publishedModule();
        const std::string path = (testing::publishedFolder() + "/" + what).toStdString();
        std::string text;
        module.call("recognise", Json{{"path", path}}.dump(), nullptr, text);
        const Json known = Json::parse(text);
        const QString kind = expected.section('=', 1);
        QVERIFY2(known.at("runs").get<bool>() == expected.startsWith("runs"), text.c_str());
        QVERIFY2(kind.isEmpty() || known.at("kind") == kind.toStdString(), text.c_str());
        if (known.at("kind") == "unknown" || known.at("kind") == "folder") {
            QVERIFY2(!expected.startsWith("runs"), text.c_str());
            return;  // nothing here loads it
        }
        const testing::LoadingGraph loading = testing::loadingGraph(known, path);
        const std::string graph = loading.graph.dump();
        const Json options = {{"until", Json::array({loading.until})}};
        std::string plan;
        const bool plans = module.runner()->plan(graph, options.dump(), plan) == Status::Ok;
        QVERIFY2(plans == expected.startsWith("runs"), (text + "\n" + plan).c_str());
        QVERIFY2(plan.find("embedding_missing") == std::string::npos, plan.c_str());
        if (known.at("kind") == "embedding") {
            return;  // a run encodes a prompt, with gigabytes; those of embedding_golden are small
        }
        const testing::ModuleRun run = testing::runModule(graph, options);
        QVERIFY2(plans == (run.status == Status::Ok), run.report.dump(1).c_str());
    }

    /// By its id in the graph, and the port that brought the file: "load.text_encoder" with ids of
    /// the examples, which is a type of nodes too.
    void anErrorNamesTheNodeByItsId() {
        const std::string models = testing::publishedFolder().toStdString() + "/models/";
        const std::string llama = "llama_3.1_8b_instruct_fp8_scaled.safetensors";
        const auto node = [&](const char* type, const char* file) {
            return Json{{"type", type}, {"params", {{"file", models + file}}}};
        };
        Json words = node("load.text_encoders", "text_encoders/clip_l_hidream.safetensors");
        words["params"].update({{"file_2", models + "text_encoders/clip_g_hidream.safetensors"},
                                {"file_3", models + "text_encoders/t5xxl_fp16.safetensors"},
                                {"file_4", models + "text_encoders/" + llama}});
        const Json graph = {
            {"format", 2},
            {"nodes",
             {{"mine",
               node("load.diffusion_model", "diffusion_models/hidream_i1_dev_fp8.safetensors")},
              {"words", words},
              {"pixels", node("load.autoencoder", "vae/ae.safetensors")}}},
            {"links",
             {{{"from", {"words", "text_encoder"}}, {"to", {"mine", "text_encoder"}}},
              {{"from", {"pixels", "autoencoder"}}, {"to", {"mine", "autoencoder"}}}}}};
        std::string text;
        const Status status =
            testing::publishedModule().runner()->plan(graph.dump(), R"({"until": ["mine"]})", text);
        QCOMPARE(status, Status::Invalid);
        const Json issue = Json::parse(text).at("issues").back();
        QCOMPARE(issue.at("node"), Json("mine"));
        QCOMPARE(issue.at("item"), Json("text_encoder"));
        QVERIFY2(text.find(llama + " has no tokenizer") != std::string::npos, text.c_str());
    }
};

LOWTIDE_TEST(AgreementTest)

}  // namespace agreement_test

#include "agreement_test.moc"
