#include "plugin/interop/settings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/interop/sample_workflow.hpp"

#include <QtTest/QtTest>

#include <algorithm>

namespace settings_test {

using namespace lowtide;
using namespace lowtide::interop;

namespace {

constexpr const char* kParameters =
    "a lighthouse, <lora:ink:0.5>\nat dusk\nNegative prompt: fog\nrain\n"
    "Steps: 20, Sampler: DPM++ 2M, Schedule type: Karras, CFG scale: 6.5, Seed: "
    "18446744073709551615, Size: 640x448, "
    "Model hash: 6CE0161689, Model: dream, VAE: better.pt, Clip skip: 2, Lora hashes: \"ink: 12, "
    "pen: 34\", Version: v1.10.1";

constexpr const char* kInvokeAi =
    R"({"app_version": "6.14", "positive_prompt": "cat", "negative_prompt": "dog", "width": 768, "height": 512,
  "seed": 12, "steps": 30, "cfg_scale": 7.5, "scheduler": "dpmpp_2m_k", "model": {"name": "dream", "hash": "blake3:ab"},
  "loras": [{"model": {"name": "ink"}, "weight": 0.75}], "clip_skip": 0})";

constexpr const char* kFooocus =
    R"json({"prompt": "cat", "negative_prompt": "dog", "steps": 30, "seed": "77",
  "guidance_scale": 4.0, "resolution": "(1152, 896)", "sampler": "dpmpp_2m_sde_gpu", "scheduler": "karras", "base_model": "juggernaut",
  "base_model_hash": "aa", "clip_skip": 2, "lora_combined_1": "offset : 0.1", "styles": "['Fooocus V2']", "vae": "Default (model)"})json";

constexpr const char* kSwarmUi =
    R"({"sui_image_params": {"prompt": "cat", "negativeprompt": "dog", "model": "OfficialStableDiffusion/dream",
  "seed": 5, "steps": 20, "cfgscale": 7.0, "width": 1024, "height": 768, "sampler": "euler", "scheduler": "simple", "loras": ["ink"],
  "loraweights": ["0.5"], "swarm_version": "0.9.8"}, "sui_models": [{"name": "dream.safetensors", "param": "model", "hash": "0xabcd"}]})";

}  // namespace

class SettingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsA1111() {
        const ImageSettings settings = readA1111(kParameters).value();

        QCOMPARE(settings.prompt, std::string("a lighthouse, <lora:ink:0.5>\nat dusk"));
        QCOMPARE(settings.negative, std::string("fog\nrain"));
        QCOMPARE(settings.steps, std::optional<int64_t>(20));
        QCOMPARE(settings.seed, std::optional<uint64_t>(18446744073709551615u));
        QCOMPARE(settings.cfg, std::optional<double>(6.5));
        QCOMPARE(settings.widthPixels, std::optional<int64_t>(640));
        QCOMPARE(settings.heightPixels, std::optional<int64_t>(448));
        QCOMPARE(settings.clipSkip, std::optional<int64_t>(2));
        QCOMPARE(settings.sampler + "," + settings.schedule, std::string("DPM++ 2M,Karras"));
        QCOMPARE(settings.model + "," + settings.modelHash, std::string("dream,6ce0161689"));
        QCOMPARE(settings.autoencoder, std::string("better.pt"));
        QCOMPARE(settings.others, (std::vector<std::string>{"Lora hashes", "Version"}));
    }

    void aQuotedFieldMayHaveCommas() {
        const auto fields = a1111Fields(kParameters);
        const std::pair<std::string, std::string> quoted("Lora hashes", "ink: 12, pen: 34");
        QVERIFY(std::ranges::find(fields, quoted) != fields.end());
    }

    void aPromptMayBeginWithTheNegative() {
        const ImageSettings settings =
            readA1111("Negative prompt: fog\nSteps: 5, Seed: 1, Size: 8x8").value();
        QCOMPARE(settings.prompt, std::string());
        QCOMPARE(settings.negative, std::string("fog"));
    }

    void theStrengthOfAnUpscaleIsNotOfTheImage() {
        const ImageSettings settings =
            readA1111("cat\nSteps: 5, Denoising strength: 0.5, Hires upscale: 2").value();
        QVERIFY(!settings.strength.has_value());
    }

    void aFieldWithoutQuotesMayHaveCommas() {
        const ImageSettings settings =
            readA1111("cat\nSteps: 5, Raw prompt: a, b, c, Seed: 7").value();
        QCOMPARE(settings.seed, std::optional<uint64_t>(7));
    }

    void forgesModulesGoWithTheModel() {
        const graph::Document graph =
            importedFrom(
                "cat\nSteps: 20, Sampler: Euler, Model: flux1-dev, Distilled CFG Scale: 3.5, "
                "Module 1: ae, Module 2: t5xxl")
                .document;

        QCOMPARE(graph.nodes.at("load").type, std::string("load.diffusion_model"));
        QCOMPARE(sourceOf(graph, "load", "text_encoder"), std::string("text_encoder.text_encoder"));
        QCOMPARE(sourceOf(graph, "load", "autoencoder"), std::string("autoencoder.autoencoder"));
        QCOMPARE(sourceOf(graph, "prompt", "model"), std::string("load.model"));
    }

    void whatIsNoNumberIsNotTaken() {
        const ImageSettings settings =
            readA1111("cat\nSteps: 5, CFG scale: nan, Distilled CFG Scale: inf, Seed: 1").value();
        QVERIFY(!settings.cfg.has_value());
        QVERIFY(!settings.guidance.has_value());
    }

    void otherTextsAreNone_data() {
        testing::addRows("text",
                         {"",
                          "a cat",
                          "a cat: big",
                          "a: b, c: d, e: f",
                          "(cat:1.2), (dog:1.3), (Steps:1.1)",
                          "\n\n\n",
                          "{}",
                          "a\nb\nc: \"d"});
    }

    void bytesThatAreNoTextAreNone() {
        QVERIFY(!readA1111("cat \xff\nSteps: 5, Seed: 1").has_value());
    }

    void otherTextsAreNone() {
        QFETCH(QString, text);
        QVERIFY(!readA1111(text.toStdString()).has_value());
    }

    void readsInvokeAi() {
        const ImageSettings settings = readSettings(parsed(kInvokeAi)).value();

        QVERIFY(settings.program == ForeignProgram::InvokeAi);
        QCOMPARE(settings.prompt + "," + settings.negative, std::string("cat,dog"));
        QCOMPARE(settings.seed, std::optional<uint64_t>(12));
        QCOMPARE(settings.model, std::string("dream"));
        QCOMPARE(settings.loras.at(0).strength, 0.75);
    }

    void readsFooocus() {
        const ImageSettings settings = readSettings(parsed(kFooocus)).value();

        QVERIFY(settings.program == ForeignProgram::Fooocus);
        QCOMPARE(settings.seed, std::optional<uint64_t>(77));
        QCOMPARE(settings.widthPixels, std::optional<int64_t>(1152));
        QCOMPARE(settings.heightPixels, std::optional<int64_t>(896));
        QCOMPARE(settings.loras.at(0).name, std::string("offset"));
        QCOMPARE(settings.autoencoder, std::string());
        QCOMPARE(settings.others, std::vector<std::string>{"styles"});
    }

    void readsSwarmUi() {
        const ImageSettings settings = readSettings(parsed(kSwarmUi)).value();

        QVERIFY(settings.program == ForeignProgram::SwarmUi);
        QCOMPARE(settings.modelHash, std::string("abcd"));
        QCOMPARE(settings.loras.at(0).strength, 0.5);
        QCOMPARE(settings.others, std::vector<std::string>{"swarm_version"});
    }

    void namesOfSamplers_data() {
        const testing::Rows<QString, QString, QString> row("sampler", "schedule", "known");
        row("two fields", "DPM++ 2M", "Karras", "dpmpp_2m karras");
        row("one field of older versions", "DPM++ 2M SDE Karras", "", "dpmpp_2m_sde karras");
        row("a name with a space", "Euler a", "", "euler_ancestral ");
        row("a sampler and a schedule of one name", "DDIM", "DDIM", "ddim ddim_uniform");
        row("InvokeAI's", "dpmpp_2m_k", "", "dpmpp_2m karras");
        row("unknown", "Magic", "Odd", " ");
    }

    void namesOfSamplers() {
        QFETCH(QString, sampler);
        QFETCH(QString, schedule);
        QFETCH(QString, known);

        const SamplerNames::Known found =
            sourceSamplerNames().find(sampler.toStdString(), schedule.toStdString());

        QCOMPARE(QString::fromStdString(found.sampler + " " + found.schedule), known);
    }

    void makesAGraph() {
        const Imported imported = importedFrom(kParameters);

        const graph::Document& graph = imported.document;
        const Json& denoise = graph.nodes.at("denoise").params;
        QCOMPARE(denoise["sampler"], Json("dpmpp_2m"));
        QCOMPARE(denoise["schedule"], Json("karras"));
        QVERIFY(!denoise.contains("noise"));  // it draws in its own way
        QCOMPARE(graph.nodes.at("prompt").params["loras"], Json(true));
        QCOMPARE(graph.nodes.at("prompt").params["clip_skip"], Json(1));
        QCOMPARE(graph.nodes.at("load").params,
                 parsed(R"({"checkpoint": "dream", "vae": "better.pt"})"));
        QCOMPARE(graph.nodes.at("latent").params["width"], Json(640));
        QCOMPARE(graph.extra["model_hashes"]["dream"], Json("6ce0161689"));
        QCOMPARE(imported.report.source, std::string("AUTOMATIC1111 settings"));
        QCOMPARE(imported.report.leftOut.at(0).name, std::string("Lora hashes"));
        QCOMPARE(imported.report.near.at(0).name, std::string("Sampler"));
    }

    void aGraphHasTheLorasOfTheSettings() {
        const graph::Document graph = importedFrom(kSwarmUi).document;

        QCOMPARE(graph.nodes.at("lora_1").params["strength"], Json(0.5));
        QCOMPARE(sourceOf(graph, "denoise", "model"), std::string("lora_1.model"));
        QCOMPARE(graph.nodes.at("denoise").params["noise"], Json("comfyui"));
    }
};

LOWTIDE_TEST(SettingsTest)

}  // namespace settings_test

#include "settings_test.moc"
