// What published checkpoints are planned to take, against the bytes that their headers state.
#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/published/loading_graphs.hpp"
#include "tests/published/published_rows.hpp"

#include <QtTest/QtTest>

#include <cmath>

namespace planned_test {

using namespace lowtide;

namespace {

/// A graph of the sources, or a preset by its name.
QString graphPath(const QString& named) {
    return testing::sourcePath(named.endsWith(".json") ? named
                                                       : "resources/presets/" + named + ".json");
}

QString fileAt(const QString& relative) {
    return testing::publishedFolder() + "/models/" + relative;
}

/// Loads a denoiser alone, with what its family needs, changes it by a LoRA and samples: the plan
/// until then, for a card of 24 GB.
Json plannedWithLora(const QString& denoiser, const Json& lora, bool isVideo) {
    Plugin& module = testing::publishedModule();
    const std::string path = fileAt(denoiser).toStdString();
    std::string text;
    module.call("recognise", Json{{"path", path}}.dump(), nullptr, text);
    Json graph = testing::loadingGraph(Json::parse(text), path).graph;
    const auto add = [&](const char* id, const char* type, Json params) {
        graph["nodes"][id] = {{"type", type}, {"params", std::move(params)}};
    };
    const auto link = [&](const char* from, const char* port, const char* to, const char* into) {
        graph["links"].push_back({{"from", {from, port}}, {"to", {to, into}}});
    };
    add("loras", "load.lora_stack", lora);
    add("encode", "prompt.encode", {{"prompt", "a fox"}});
    add("denoise", "denoise.sample", {{"steps", 4}, {"cfg", 1.0}});
    add("latent",
        isVideo ? "latent.video" : "latent.empty",
        isVideo ? Json{{"width", 832}, {"height", 480}, {"frames", 33}}
                : Json{{"width", 1024}, {"height", 1024}});
    link("load", "model", "loras", "model");
    link("loras", "model", "encode", "model");
    link("loras", "model", "denoise", "model");
    link("encode", "positive", "denoise", "positive");
    link("encode", "negative", "denoise", "negative");
    link("latent", "latent", "denoise", "latent");
    const Json options = {{"as", "RTX 4090"}, {"until", Json::array({"denoise"})}};
    const Status status = module.runner()->plan(graph.dump(), options.dump(), text);
    Json answer = Json::parse(text);
    answer["ok"] = status == Status::Ok;
    return answer;
}

/// "load.checkpoint=FOLDERS/sd-turbo latent.width=512" with the folders of now.
Json settingsOf(QString text) {
    const QString root = testing::publishedFolder();
    text.replace("FOLDERS", root + "/folders");
    text.replace("MODELS", root + "/models");
    text.replace("IMAGE", root + "/pictures/plain.png");
    Json settings = Json::array();
    for (const QString& each : text.split(' ')) {
        settings.push_back(each.toStdString());
    }
    return settings;
}

}  // namespace

class PlannedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void takesWhatItsHeaderStates_data() const {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("expected");
        for (const testing::PublishedRow& row : testing::publishedRows("plan")) {
            QTest::newRow(qPrintable(row.what)) << row.what << row.expected;
        }
    }

    /// The row states "refused", "refused=WORDS" of the message, or how many times the bytes in the
    /// files the weights of a component may take at most: "1.05" of each, "denoiser:0.6" of one.
    void takesWhatItsHeaderStates() const {
        QFETCH(QString, what);
        QFETCH(QString, expected);
        const QString path = graphPath(what.section(' ', 0, 0));
        const Json options = {{"graphFolder", QFileInfo(path).path().toStdString()},
                              {"as", "RTX 4090"},
                              {"set", settingsOf(what.section(' ', 1))}};
        std::string text;
        const Status status = testing::publishedModule().runner()->plan(
            testing::contentsOf(path).toStdString(), options.dump(), text);
        if (expected.startsWith("refused")) {
            const std::string words = expected.section('=', 1).toStdString();
            QVERIFY2(status == Status::Invalid, text.substr(0, 2000).c_str());
            QVERIFY2(text.find(words) != std::string::npos, text.c_str());
            return;
        }
        QVERIFY2(status == Status::Ok, text.substr(0, 2000).c_str());
        const std::string role =
            expected.contains(':') ? expected.section(':', 0, 0).toStdString() : "";
        const double most = expected.section(':', -1).toDouble();
        const Json components = Json::parse(text).at("plan").at("components");
        QVERIFY(!components.empty());
        for (const Json& part : components) {
            const auto planned = part.at("weights").get<double>();
            const auto inFiles = part.at("file_bytes").get<double>();
            if (role.empty() || part.at("role") == role) {
                QVERIFY2(planned <= most * inFiles, part.dump(2).c_str());
            }
        }
    }

    void aLoraKeepsAQuantisedDenoiserAsItLies_data() {
        QTest::addColumn<QString>("denoiser");
        QTest::addColumn<QString>("lora");
        QTest::addColumn<bool>("isVideo");
        const QString fourSteps = "loras/lora_wan22_lightning_4steps.safetensors";
        QTest::newRow("WAN 2.2 fp8_scaled")
            << "diffusion_models/wan2.2_t2v_high_noise_14B_fp8_scaled.safetensors" << fourSteps
            << true;
        QTest::newRow("WAN 2.2 Q4_K_M")
            << "diffusion_models/Wan2.2-T2V-A14B-HighNoise-Q4_K_M.gguf" << fourSteps << true;
        QTest::newRow("HiDream-I1 fp8") << "diffusion_models/hidream_i1_dev_fp8.safetensors"
                                        << "loras/lora_hidream_diffusers.safetensors" << false;
        QTest::newRow("HiDream-I1 fp8, mixtures of experts")
            << "diffusion_models/hidream_i1_dev_fp8.safetensors"
            << "loras/lora_hidream_experts.safetensors" << false;
    }

    /// A denoiser takes the bytes of its file and of the LoRA's, which the plan keeps in the types
    /// that lie there; headers and what no network reads are less than a hundredth.
    void aLoraKeepsAQuantisedDenoiserAsItLies() {
        QFETCH(QString, denoiser);
        QFETCH(QString, lora);
        QFETCH(bool, isVideo);
        const Json answer =
            plannedWithLora(denoiser, {{"file_1", fileAt(lora).toStdString()}}, isVideo);
        QVERIFY2(answer.at("ok").get<bool>(), answer.dump(1).substr(0, 2000).c_str());
        const auto of = [](const QString& file) {
            return static_cast<double>(QFileInfo(fileAt(file)).size());
        };
        int denoisers = 0;
        for (const Json& part : answer.at("plan").at("components")) {
            if (part.at("role") == "denoiser") {
                const double truth = of(denoiser) + of(lora);
                const auto planned = part.at("weights").get<double>();
                QVERIFY2(std::abs(planned / truth - 1) < 0.01, part.dump(2).c_str());
                ++denoisers;
            }
        }
        QCOMPARE(denoisers, 1);
    }
};

LOWTIDE_TEST(PlannedTest)

}  // namespace planned_test

#include "planned_test.moc"
