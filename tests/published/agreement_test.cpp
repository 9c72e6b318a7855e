// What check says of published files, the loader does: in a plan, and in a run.
#include "plugin/base/json.hpp"
#include "plugin/host_api/recogniser.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/published/published_rows.hpp"

#include <QtTest/QtTest>

#include <map>

namespace agreement_test {

using namespace lowtide;

namespace {

/// The node that loads a kind, and its parameter.
struct Loader {
    const char* type;
    const char* param;
};

const std::map<std::string, Loader>& loaders() {
    static const std::map<std::string, Loader> kLoaders = {
        {"checkpoint", {"load.checkpoint", "checkpoint"}},
        {"autoencoder", {"load.autoencoder", "file"}},
        {"text_encoder", {"load.text_encoder", "file"}},
        {"image_encoder", {"load.image_encoder", "file"}},
        {"controlnet", {"load.controlnet", "controlnet"}},
        {"upscaler", {"load.upscaler", "upscaler"}}};
    return kLoaders;
}

Json node(const char* type, Json params) {
    return {{"type", type}, {"params", std::move(params)}};
}

Json graphOf(const std::string& kind, const std::string& path) {
    const Loader& loader = loaders().at(kind);
    return {{"format", 2}, {"nodes", {{"load", node(loader.type, {{loader.param, path}})}}}};
}

}  // namespace

class AgreementTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void checkPlanAndRunSayTheSame_data() {
        QTest::addColumn<QString>("what");
        for (const testing::PublishedRow& row : testing::publishedRows("check")) {
            QTest::newRow(qPrintable(row.what)) << row.what;
        }
    }

    void checkPlanAndRunSayTheSame() {
        QFETCH(QString, what);
        Plugin& module = testing::publishedModule();
        auto* recogniser = static_cast<Recogniser*>(module.extension(kRecogniser));
        const std::string path = (testing::publishedFolder() + "/" + what).toStdString();
        std::string text;
        recogniser->recognise(path, text);
        const Json known = Json::parse(text);
        const auto kind = known.at("kind").get<std::string>();
        if (!loaders().contains(kind)) {
            QSKIP("needs other files");
        }
        const std::string graph = graphOf(kind, path).dump();
        const Json options = {{"until", Json::array({"load"})}};
        std::string plan;
        const bool plans = module.runner()->plan(graph, options.dump(), plan) == Status::Ok;
        testing::EventLog log;
        const testing::ModuleRun run = testing::runModule(graph, options, log);

        QVERIFY2(plans == known.at("runs").get<bool>(), (text + "\n" + plan).c_str());
        QVERIFY2(plans == (run.status == Status::Ok), run.report.dump(1).c_str());
    }
};

LOWTIDE_TEST(AgreementTest)

}  // namespace agreement_test

#include "agreement_test.moc"
