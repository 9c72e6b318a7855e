#include "tests/fixtures/test_program.hpp"
#include "tests/unit/interop/sample_workflow.hpp"

#include <QtTest/QtTest>

#include <algorithm>

namespace translate_test {

using namespace lowtide;
using namespace lowtide::interop;

namespace {

constexpr const char* kPowerLoras = "Power Lora Loader (rgthree)";

/// A text encoder in a subgraph that shows its text.
constexpr const char* kSubgraph = R"({"last_node_id": 2, "nodes": [
      {"id": 2, "type": "aaaa", "title": "My prompt", "inputs": [{"name": "text", "type": "STRING", "widget": {"name": "text"}, "link": null}],
       "widgets_values": ["outer"]}], "links": [],
     "definitions": {"subgraphs": [{"id": "aaaa", "name": "Prompt", "inputs": [{"name": "text", "type": "STRING"}],
       "nodes": [{"id": 7, "type": "CLIPTextEncode", "inputs": [{"name": "text", "type": "STRING", "widget": {"name": "text"}, "link": 2}],
          "widgets_values": ["inner"]}],
       "links": [{"id": 2, "origin_id": -10, "origin_slot": 0, "target_id": 7, "target_slot": 0}]}]}})";

/// The denoiser of another file, prompted by the checkpoint.
Json withOtherDenoiser() {
    Json json = parsed(kTextToImage);
    json["10"] = parsed(
        R"({"class_type": "UNETLoader", "inputs": {"unet_name": "other.safetensors", "weight_dtype": "default"}})");
    json["3"]["inputs"]["model"] = Json::array({"10", 0});
    return json;
}

/// Text to image, upscaled and denoised once more by another model that has loaders of its own.
Json twoModels() {
    Json json = parsed(kCustomSampling);
    json["21"] =
        parsed(R"({"class_type": "UNETLoader", "inputs": {"unet_name": "flux1-dev.safetensors"}})");
    json["0"] = parsed(
        R"({"class_type": "CLIPLoader", "inputs": {"clip_name": "t5.safetensors", "type": "flux"}})");
    json["25"] =
        parsed(R"({"class_type": "CLIPTextEncode", "inputs": {"text": "dog", "clip": ["0", 0]}})");
    json["26"] = parsed(
        R"({"class_type": "LatentUpscale", "inputs": {"samples": ["11", 0], "upscale_method": "bilinear", "width": 1280, "height": 1280,
            "crop": "disabled"}})");
    json["27"] = parsed(
        R"({"class_type": "KSampler", "inputs": {"model": ["21", 0], "positive": ["25", 0], "negative": ["25", 0], "latent_image": ["26", 0],
            "seed": 1, "steps": 9, "cfg": 1, "sampler_name": "euler", "scheduler": "simple", "denoise": 0.5}})");
    json["12"]["inputs"]["samples"] = parsed(R"(["27", 0])");
    return json;
}

}  // namespace

class TranslateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void makesOurNodes() {
        const Imported imported = importedFrom(kTextToImage);

        const graph::Document& graph = imported.document;
        QCOMPARE(graph.nodes.size(), size_t{7});
        QCOMPARE(graph.nodes.at("3").type, std::string("denoise.sample"));
        QCOMPARE(
            graph.nodes.at("3").params,
            parsed(
                R"({"seed": 7, "steps": 12, "cfg": 6.5, "sampler": "dpmpp_2m", "schedule": "karras", "strength": 1, "noise": "comfyui"})"));
        QCOMPARE(graph.nodes.at("6").params, parsed(R"({"prompt": "a lighthouse"})"));
        QCOMPARE(*graph.nodes.at("6").title, std::string("Positive"));
        QCOMPARE(sourceOf(graph, "3", "negative"), std::string("7.positive"));
        QCOMPARE(sourceOf(graph, "6", "model"), std::string("4.model"));
        QCOMPARE(sourceOf(graph, "8", "model"), std::string("4.model"));
        QCOMPARE(imported.report.exact.size(), size_t{7});
        QCOMPARE(imported.report.runs, std::vector<std::string>{"9"});
    }

    void aSamplerOfPartsIsOneNode() {
        const Imported imported = importedFrom(kCustomSampling);

        const graph::Document& graph = imported.document;
        QCOMPARE(
            graph.nodes.at("11").params,
            parsed(
                R"({"seed": 42, "steps": 9, "cfg": 1.0, "sampler": "euler", "schedule": "simple", "strength": 1, "shift": 3, "noise": "comfyui"})"));
        QCOMPARE(sourceOf(graph, "11", "model"), std::string("1.model"));
        QCOMPARE(sourceOf(graph, "11", "positive"), std::string("5.positive"));
        QVERIFY(!graph.nodes.contains("7") && !graph.nodes.contains("8") &&
                !graph.nodes.contains("10"));
        QCOMPARE(imported.report.near.size(), size_t{0});
    }

    void aPartOfTheLevelsIsPartedFromItsOwnBeginning() {
        Json json = parsed(kCustomSampling);
        json["30"] =
            parsed(R"({"class_type": "SplitSigmas", "inputs": {"sigmas": ["8", 0], "step": 4}})");
        json["31"] =
            parsed(R"({"class_type": "SplitSigmas", "inputs": {"sigmas": ["30", 1], "step": 3}})");
        json["11"]["inputs"]["sigmas"] = parsed(R"(["31", 0])");

        const Json params = importedFrom(json.dump().c_str()).document.nodes.at("11").params;

        QCOMPARE(params["start_step"], Json(4));
        QCOMPARE(params["end_step"], Json(7));
    }

    void levelsOfASchedulerNodeAreNear_withASamplerThatLeavesOneOut() {
        Json json = parsed(kCustomSampling);
        json["7"]["inputs"]["sampler_name"] = "uni_pc";

        const Imported imported = importedFrom(json.dump().c_str());

        QCOMPARE(imported.document.nodes.at("11").params["sampler"], Json("unipc"));
        QVERIFY(hasClass(imported.report.near, "SamplerCustomAdvanced"));
    }

    void partsOfAModelGoIntoItsLoader() {
        const Imported imported = importedFrom(kCustomSampling);

        const graph::Document& graph = imported.document;
        QCOMPARE(sourceOf(graph, "1", "text_encoder"), std::string("2.text_encoder"));
        QCOMPARE(sourceOf(graph, "1", "autoencoder"), std::string("3.autoencoder"));
        QCOMPARE(sourceOf(graph, "5", "model"), std::string("1.model"));
        QCOMPARE(sourceOf(graph, "12", "model"), std::string("1.model"));
    }

    void aModelThatACheckpointPromptsIsItsDenoiser() {
        const Imported imported = importedFrom(withOtherDenoiser().dump().c_str());

        const graph::Document& graph = imported.document;
        QCOMPARE(graph.nodes.at("10").type, std::string("load.checkpoint"));
        QCOMPARE(graph.nodes.at("10").params,
                 parsed(R"({"checkpoint": "dream.safetensors", "unet": "other.safetensors"})"));
        QVERIFY(!graph.nodes.contains("4"));
        for (const char* node : {"3", "6", "7", "8"}) {
            QCOMPARE(sourceOf(graph, node, "model"), std::string("10.model"));
        }
        QVERIFY(hasClass(imported.report.exact, "CheckpointLoaderSimple"));
        QVERIFY(hasClass(imported.report.exact, "UNETLoader"));
        QCOMPARE(imported.report.runs, std::vector<std::string>{"9"});
    }

    void aCheckpointThatIsRunItselfRemains() {
        Json json = withOtherDenoiser();
        json["33"] = json["3"];
        json["33"]["inputs"]["model"] = Json::array({"4", 0});

        const graph::Document graph = importedFrom(json.dump().c_str()).document;

        QCOMPARE(graph.nodes.at("10").params["checkpoint"], Json("dream.safetensors"));
        QCOMPARE(sourceOf(graph, "33", "model"), std::string("4.model"));
        QCOMPARE(sourceOf(graph, "6", "model"), std::string("4.model"));
    }

    void aModelWithTextEncodersOfItsOwnHasNoCheckpoint() {
        Json json = withOtherDenoiser();
        json["11"] = parsed(
            R"({"class_type": "CLIPLoader", "inputs": {"clip_name": "l.safetensors", "type": "sdxl"}})");
        json["6"]["inputs"]["clip"] = json["7"]["inputs"]["clip"] = Json::array({"11", 0});

        const Imported imported = importedFrom(json.dump().c_str());

        QCOMPARE(imported.document.nodes.at("10").type, std::string("load.diffusion_model"));
        QVERIFY(
            imported.report.runs.empty());  // the autoencoder of a checkpoint is not wired to it
        QVERIFY(hasClass(imported.report.missing, "UNETLoader"));
    }

    void anAutoencoderOfACheckpointIsAValue() {
        Json json = parsed(kTextToImage);
        json["10"] =
            parsed(R"({"class_type": "VAELoader", "inputs": {"vae_name": "better.safetensors"}})");
        json["8"]["inputs"]["vae"] = parsed(R"(["10", 0])");

        const Imported imported = importedFrom(json.dump().c_str());

        QCOMPARE(imported.document.nodes.at("4").params["vae"], Json("better.safetensors"));
        QVERIFY(!imported.document.nodes.contains("10"));
        QCOMPARE(sourceOf(imported.document, "8", "model"), std::string("4.model"));
    }

    void aMissingAutoencoderOfACheckpointStopsWhatNeedsIt() {
        Json json = parsed(kTextToImage);
        json["10"] =
            parsed(R"({"class_type": "VAELoader", "inputs": {"vae_name": "better.safetensors"}})");
        json["8"]["inputs"]["vae"] = parsed(R"(["10", 0])");
        ImportNeeds needs = sampleNeeds();
        needs.findFile = [](const std::string& name, bool) {
            return name == "better.safetensors" ? std::nullopt : std::optional(name);
        };

        const Imported imported = translatePrompt(readPrompt(json, sourceTable()), needs);

        QCOMPARE(imported.report.missing.at(0).name, std::string("better.safetensors"));
        QVERIFY(imported.report.runs.empty());
    }

    void eachModelHasItsOwnParts() {
        const graph::Document graph = importedFrom(twoModels().dump().c_str()).document;

        QCOMPARE(sourceOf(graph, "1", "text_encoder"), std::string("2.text_encoder"));
        QCOMPARE(sourceOf(graph, "21", "text_encoder"), std::string("0.text_encoder"));
        QCOMPARE(sourceOf(graph, "25", "model"), std::string("21.model"));
    }

    void aSizeInPixelsIsGivenTheModelBeforeIt() {
        const graph::Document graph = importedFrom(twoModels().dump().c_str()).document;

        QCOMPARE(graph.nodes.at("26").params["by"], Json("size"));
        QCOMPARE(sourceOf(graph, "26", "model"), std::string("1.model"));
    }

    void whatAMutedNodeWouldFeedDoesNotRun() {
        Json json = parsed(kTextToImage);
        json.erase("5");
        json["3"]["inputs"].erase("latent_image");
        json["40"] = json["9"];
        json["41"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "a.png"}})");
        json["40"]["inputs"]["images"] = parsed(R"(["41", 0])");

        const ImportReport report = importedFrom(json.dump().c_str()).report;

        QCOMPARE(report.runs, std::vector<std::string>{"40"});
        QCOMPARE(report.missing.at(0).id, std::string("3"));
        QCOMPARE(report.missing.at(0).name, std::string("KSampler"));
        QVERIFY(!hasClass(report.exact, "KSampler"));
    }

    void whatTheFileLacksIsTheClassesDefault_orReported() {
        Json json = parsed(kTextToImage);
        json["3"]["inputs"].erase("denoise");
        json["3"]["inputs"].erase("scheduler");
        json["extra"] = parsed("[1]");

        const Imported imported = importedFrom(json.dump().c_str());

        QCOMPARE(imported.document.nodes.at("3").params["strength"], Json(1.0));
        QVERIFY(!imported.document.nodes.at("3").params.contains("schedule"));
        QVERIFY(hasClass(imported.report.near, "KSampler"));
        QCOMPARE(imported.report.leftOut.at(0).id, std::string("extra"));
    }

    void aValueThatNothingTakesIsReported() {
        Json json = parsed(kCustomSampling);
        json["1"]["inputs"]["weight_dtype"] = "fp8_e4m3fn";
        json["6"]["inputs"]["new_in_comfyui"] = 3;

        const ImportReport report = importedFrom(json.dump().c_str()).report;

        QVERIFY(hasClass(report.near, "UNETLoader") &&
                hasClass(report.near, "EmptySD3LatentImage"));
        QVERIFY(hasClass(report.exact, "CLIPLoader"));
    }

    /// So it is shown in the language of the user.
    void aReasonOfTheTableIsAMessage() {
        const ImportReport report = importedFrom(twoModels().dump().c_str()).report;

        const auto upscale = std::ranges::find(report.near, "LatentUpscale", &ReportEntry::name);
        QVERIFY(upscale != report.near.end());
        const Message& why = upscale->why.at(0);
        QVERIFY(why.parts() != nullptr);
        QCOMPARE(why.parts()->format, sourceTable().find("LatentUpscale")->recipes.at(0).near);
    }

    void imagesAreRotatedAndMirrored_data() {
        const testing::Rows<QString, QString, QString, QString> row(
            "type", "input", "value", "params");
        row("none", "ImageRotate", "rotation", "none", R"({"rotation": "none"})");
        row("90", "ImageRotate", "rotation", "90 degrees", R"({"rotation": "right"})");
        row("180", "ImageRotate", "rotation", "180 degrees", R"({"rotation": "half"})");
        row("270", "ImageRotate", "rotation", "270 degrees", R"({"rotation": "left"})");
        row("rows",
            "ImageFlip",
            "flip_method",
            "x-axis: vertically",
            R"({"rotation": "none", "flip": "vertical"})");
        row("columns",
            "ImageFlip",
            "flip_method",
            "y-axis: horizontally",
            R"({"rotation": "none", "flip": "horizontal"})");
    }

    /// ComfyUI rotates to the right, and flips the axis that it names.
    void imagesAreRotatedAndMirrored() {
        QFETCH(QString, type);
        QFETCH(QString, input);
        QFETCH(QString, value);
        QFETCH(QString, params);
        Json json = parsed(kTextToImage);
        json["10"] = {
            {"class_type", type.toStdString()},
            {"inputs",
             {{"image", Json::array({"8", 0})}, {input.toStdString(), value.toStdString()}}}};
        json["9"]["inputs"]["images"] = Json::array({"10", 0});

        const Imported imported = importedFrom(json.dump().c_str());

        QCOMPARE(imported.document.nodes.at("10").params, parsed(params.toStdString().c_str()));
        QCOMPARE(sourceOf(imported.document, "9", "image"), std::string("10.image"));
        QVERIFY(imported.report.near.empty());
    }

    void settingsRideOnWires() {
        Json json = parsed(kTextToImage);
        json["10"] = parsed(
            R"({"class_type": "CLIPSetLastLayer", "inputs": {"clip": ["4", 1], "stop_at_clip_layer": -2}})");
        json["11"] = parsed(
            R"({"class_type": "LoraLoader", "inputs": {"model": ["4", 0], "clip": ["10", 0], "lora_name": "ink.safetensors",
                                "strength_model": 0.5, "strength_clip": 0.25}})");
        json["3"]["inputs"]["model"] = parsed(R"(["11", 0])");
        json["6"]["inputs"]["clip"] = parsed(R"(["11", 1])");

        const graph::Document graph = importedFrom(json.dump().c_str()).document;

        QCOMPARE(graph.nodes.at("6").params["clip_skip"], Json(1));
        QVERIFY(!graph.nodes.at("7").params.contains("clip_skip"));
        QCOMPARE(sourceOf(graph, "6", "model"), std::string("11.model"));
        QCOMPARE(graph.nodes.at("11").params["text_strength"], Json(0.25));
    }

    void clipSkipIsCountedBySdxlsOwn() {
        Json json = parsed(kTextToImage);
        json["4"]["inputs"]["ckpt_name"] = "sd_xl_base_1.0.safetensors";
        json["10"] = parsed(
            R"({"class_type": "CLIPSetLastLayer", "inputs": {"clip": ["4", 1], "stop_at_clip_layer": -2}})");
        json["6"]["inputs"]["clip"] = parsed(R"(["10", 0])");

        QCOMPARE(importedFrom(json.dump().c_str()).document.nodes.at("6").params["clip_skip"],
                 Json(0));
    }

    void theLastLayerOfSdxlIsNotTaken() {
        Json json = parsed(kTextToImage);
        json["4"]["inputs"]["ckpt_name"] = "sd_xl_base_1.0.safetensors";
        json["10"] = parsed(
            R"({"class_type": "CLIPSetLastLayer", "inputs": {"clip": ["4", 1], "stop_at_clip_layer": -1}})");
        json["6"]["inputs"]["clip"] = parsed(R"(["10", 0])");

        const Imported imported = importedFrom(json.dump().c_str());

        QVERIFY(!imported.document.nodes.at("6").params.contains("clip_skip"));
        QVERIFY(hasClass(imported.report.near, "CLIPTextEncode"));
    }

    void aControlNetRidesOnThePrompts() {
        Json json = parsed(kTextToImage);
        json["20"] =
            parsed(R"({"class_type": "LoadImage", "inputs": {"image": "edges.png [input]"}})");
        json["21"] = parsed(
            R"({"class_type": "ControlNetLoader", "inputs": {"control_net_name": "canny"}})");
        json["22"] = parsed(
            R"({"class_type": "ControlNetApplyAdvanced", "inputs": {"positive": ["6", 0], "negative": ["7", 0], "control_net": ["21", 0],
                                "image": ["20", 0], "strength": 0.8, "start_percent": 0, "end_percent": 1}})");
        json["3"]["inputs"]["positive"] = parsed(R"(["22", 0])");
        json["3"]["inputs"]["negative"] = parsed(R"(["22", 1])");

        const graph::Document graph = importedFrom(json.dump().c_str()).document;

        QCOMPARE(sourceOf(graph, "3", "control"), std::string("22.control"));
        QCOMPARE(sourceOf(graph, "3", "negative"), std::string("7.positive"));
        QCOMPARE(graph.nodes.at("20").params["image"], Json("edges.png"));
    }

    void aMaskRidesOnTheLatent_alsoToTheNextSampler() {
        Json json = parsed(kTextToImage);
        json["20"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "mask.png"}})");
        json["21"] = parsed(
            R"({"class_type": "SetLatentNoiseMask", "inputs": {"samples": ["5", 0], "mask": ["20", 1]}})");
        json["3"]["inputs"]["latent_image"] = parsed(R"(["21", 0])");
        json["23"] = json["3"];
        json["23"]["inputs"]["latent_image"] = parsed(R"(["3", 0])");

        const graph::Document graph = importedFrom(json.dump().c_str()).document;

        QCOMPARE(sourceOf(graph, "3", "mask"), std::string("20.mask"));
        QCOMPARE(sourceOf(graph, "23", "mask"), std::string("20.mask"));
    }

    void stepsOfTheAdvancedSampler() {
        Json json = parsed(kTextToImage);
        json["3"] = parsed(
            R"({"class_type": "KSamplerAdvanced", "inputs": {"add_noise": "disable", "noise_seed": 3, "steps": 10, "cfg": 4,
            "sampler_name": "euler", "scheduler": "simple", "start_at_step": 5, "end_at_step": 10000, "return_with_leftover_noise": "enable",
            "model": ["4", 0], "positive": ["6", 0], "negative": ["7", 0], "latent_image": ["5", 0]}})");

        QCOMPARE(
            importedFrom(json.dump().c_str()).document.nodes.at("3").params,
            parsed(
                R"({"seed": 3, "steps": 10, "cfg": 4, "sampler": "euler", "schedule": "simple", "start_step": 5, "end_step": -1,
                            "add_noise": false, "keep_noise": true, "noise": "comfyui"})"));
    }

    void whatIsUnknownRemainsWithItsValues_andWhatItFeedsDoesNotRun() {
        Json json = parsed(kTextToImage);
        json["30"] =
            parsed(R"({"class_type": "FaceDetailer", "inputs": {"image": ["8", 0], "size": 512}})");
        json["31"] = parsed(
            R"({"class_type": "SaveImage", "inputs": {"filename_prefix": "face", "images": ["30", 0]}})");

        const Imported imported = importedFrom(json.dump().c_str());

        const graph::DocumentNode& node = imported.document.nodes.at("30");
        QCOMPARE(node.type, std::string("comfyui.FaceDetailer"));
        QCOMPARE(node.params, parsed(R"({"size": 512})"));
        QCOMPARE(sourceOf(imported.document, "30", "image"), std::string("8.image"));
        QCOMPARE(sourceOf(imported.document, "31", "image"), std::string("30.output_0"));
        QVERIFY(hasClass(imported.report.missing, "FaceDetailer"));
        QCOMPARE(imported.report.runs, std::vector<std::string>{"9"});
    }

    void aRowOfTheTableStatesWhyAClassIsMissing_data() {
        const testing::Rows<QString, QString> row("type", "why");
        row("a getter", "GetNode", "no SetNode");
        row("wires that are made while the editor is open", "Anything Everywhere", "Export (API)");
        row("no reason", "FaceDetailer", "no node here");
    }

    void aRowOfTheTableStatesWhyAClassIsMissing() {
        QFETCH(QString, type);
        QFETCH(QString, why);
        const Json json = {{"1", {{"class_type", type.toStdString()}, {"inputs", Json::object()}}}};

        const ImportReport report = importedFrom(json.dump().c_str()).report;

        QCOMPARE(report.missing.at(0).name, type.toStdString());
        QVERIFY(QString::fromStdString(report.missing.at(0).why.at(0).str()).contains(why));
    }

    void lorasOfOneNodeAreRowsOfOurs_data() {
        QTest::addColumn<std::string>("workflow");
        QTest::addRow("editor") << std::string(R"({"nodes": [
            {"id": 4, "type": "CheckpointLoaderSimple", "outputs": [{"type": "MODEL"}, {"type": "CLIP"}], "widgets_values": ["dream.safetensors"]},
            {"id": 10, "type": "TYPE", "inputs": [{"name": "model", "type": "MODEL", "link": 1},
             {"name": "clip", "type": "CLIP", "link": 2}], "outputs": [{"type": "MODEL"}, {"type": "CLIP"}],
             "widgets_values": [{}, {"type": "PowerLoraLoaderHeaderWidget"},
              {"on": true, "lora": "a.safetensors", "strength": 0.5, "strengthTwo": null},
              {"on": false, "lora": "b.safetensors", "strength": 1, "strengthTwo": 0.25}, {}, ""]}],
            "links": [[1, 4, 0, 10, 0, "MODEL"], [2, 4, 1, 10, 1, "CLIP"]]})");
        QTest::addRow("server") << std::string(R"({
            "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "dream.safetensors"}},
            "10": {"class_type": "TYPE", "inputs": {"model": ["4", 0], "clip": ["4", 1],
             "PowerLoraLoaderHeaderWidget": {"type": "PowerLoraLoaderHeaderWidget"}, "\u2795 Add Lora": "",
             "lora_10": {"on": false, "lora": "b.safetensors", "strength": 1, "strengthTwo": 0.25},
             "lora_2": {"on": true, "lora": "a.safetensors", "strength": 0.5}}}})");
    }

    void lorasOfOneNodeAreRowsOfOurs() {
        QFETCH(std::string, workflow);

        const Imported imported = importedFrom(withType(workflow, kPowerLoras).c_str());

        QCOMPARE(
            imported.document.nodes.at("10").params,
            parsed(
                R"({"use_1": true, "file_1": "a.safetensors", "strength_1": 0.5, "text_strength_1": 0.5,
                    "use_2": false, "file_2": "b.safetensors", "strength_2": 1, "text_strength_2": 0.25})"));
        QCOMPARE(sourceOf(imported.document, "10", "model"), std::string("4.model"));
        QVERIFY(hasClass(imported.report.exact, kPowerLoras));
    }

    void aLoraThatIsOffMayLack() {
        ImportNeeds needs = sampleNeeds();
        needs.findFile = [](const std::string& name, bool) {
            return name == "b.safetensors" ? std::nullopt : std::optional(name);
        };
        const auto missingOf = [&](bool isOn) {
            Json json = parsed(R"({
                "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "dream.safetensors"}},
                "10": {"class_type": "TYPE", "inputs": {"model": ["4", 0], "clip": ["4", 1],
                 "lora_1": {"lora": "b.safetensors", "strength": 1}}}})");
            json["10"]["class_type"] = kPowerLoras;
            json["10"]["inputs"]["lora_1"]["on"] = isOn;
            return translatePrompt(readPrompt(json, sourceTable()), needs).report.missing.size();
        };
        QCOMPARE(missingOf(false), size_t{0});
        QCOMPARE(missingOf(true), size_t{1});
    }

    void moreLorasThanRowsAreReported_thoseThatAreOffFirst() {
        const auto unnamedOf = [](int on, int off) {
            Json json = parsed(R"({"10": {"class_type": "TYPE", "inputs": {}}})");
            json["10"]["class_type"] = kPowerLoras;
            for (int i = 0; i < on + off; ++i) {
                json["10"]["inputs"]["lora_" + std::to_string(i + 1)] = {
                    {"on", i < on}, {"lora", "x"}, {"strength", 1}};
            }
            return readPrompt(json, sourceTable()).nodes.at("10").unnamed.size();
        };
        QCOMPARE(unnamedOf(8, 0), size_t{0});
        QCOMPARE(unnamedOf(8, 3), size_t{0});
        QCOMPARE(unnamedOf(9, 3), size_t{1});
    }

    void aGroupNodeOfAnOlderVersionIsMissing_withWhatHelps() {
        const Imported imported =
            importedFrom(R"({"1": {"class_type": "workflow>Upscale", "inputs": {"steps": 4}}})");

        QCOMPARE(imported.document.nodes.at("1").params, parsed(R"({"steps": 4})"));
        QVERIFY(imported.report.missing.at(0).why.at(0).str().find("subgraph") !=
                std::string::npos);
    }

    void namesOfSamplersAreOurs() {
        Json json = parsed(kTextToImage);
        json["3"]["inputs"]["sampler_name"] = "euler_ancestral";

        const Imported imported = importedFrom(json.dump().c_str());

        QCOMPARE(imported.document.nodes.at("3").params["sampler"], Json("euler_a"));
        QVERIFY(imported.report.near.empty());
    }

    void aValueThatIsRefusedIsReported() {
        Json json = parsed(kTextToImage);
        json["3"]["inputs"]["sampler_name"] = "dpm_fast";
        json["3"]["inputs"]["steps"] = 12.0;

        const Imported imported = importedFrom(json.dump().c_str());

        QVERIFY(!imported.document.nodes.at("3").params.contains("sampler"));
        QCOMPARE(imported.document.nodes.at("3").params["steps"], Json(12));
        QVERIFY(hasClass(imported.report.near, "KSampler"));
    }

    void aFamilyThatDoesNotRunIsMissing() {
        Json json = parsed(kTextToImage);
        json["4"]["inputs"]["ckpt_name"] = "ltx-video-2b.safetensors";

        const Imported imported = importedFrom(json.dump().c_str());

        QCOMPARE(imported.report.missing.at(0).kind, std::string("family"));
        QCOMPARE(imported.report.missing.at(0).name, std::string("ltx"));
        QVERIFY(imported.report.runs.empty());
    }

    void aModelThatIsNotThereIsMissing_withItsSource() {
        ImportNeeds needs = sampleNeeds();
        needs.findFile = [](const std::string&, bool) { return std::optional<std::string>(); };
        Prompt prompt = promptOf(kTextToImage);
        prompt.models["dream.safetensors"] = {.folder = "checkpoints",
                                              .url = "https://example.org/dream"};

        const Imported imported = translatePrompt(std::move(prompt), needs);

        QCOMPARE(imported.report.missing.at(0).kind, std::string("model"));
        QCOMPARE(imported.report.missing.at(0).url, std::string("https://example.org/dream"));
        QCOMPARE(imported.document.nodes.at("4").params["checkpoint"], Json("dream.safetensors"));
    }

    void filesGetTheNamesThatAGraphWrites() {
        ImportNeeds needs = sampleNeeds();
        needs.findFile = [](const std::string& name, bool) {
            return std::optional<std::string>("styles/" + name);
        };
        QCOMPARE(translatePrompt(promptOf(kTextToImage), needs)
                     .document.nodes.at("4")
                     .params["checkpoint"],
                 Json("styles/dream.safetensors"));
    }

    void subgraphsAreGroupsOfTheCanvas_withNamesAndValues() {
        const graph::Document graph = importedFrom(kSubgraph).document;

        QCOMPARE(
            graph.groups,
            parsed(
                R"([{"id": "2", "title": "My prompt", "folded": true, "values": [{"node": "2:7", "item": "prompt"}]}])"));
        QCOMPARE(graph.nodes.at("2:7").extra, parsed(R"({"group": "2"})"));
        QCOMPARE(graph.exposed.at(0).param, std::string("prompt"));
        QVERIFY(graph.extra.empty());
    }

    void framesRemain() {
        const graph::Document graph =
            importedFrom(
                R"({"last_node_id": 1, "nodes": [{"id": 1, "type": "CLIPTextEncode", "widgets_values": ["cat"]}], "links": [],
                    "groups": [{"title": "Models", "bounding": [10, 20, 300, 400]}]})")
                .document;

        QCOMPARE(
            graph.frames,
            parsed(
                R"([{"id": "frame_1", "text": "Models", "position": [10, 20], "size": [300, 400]}])"));
    }

    void theReportIsWhatOtherToolsRead() {
        Json json = parsed(kTextToImage);
        json["30"] = parsed(R"({"class_type": "FaceDetailer", "inputs": {"image": ["8", 0]}})");

        const Json report = toJson(importedFrom(json.dump().c_str()).report);

        QCOMPARE(report["missing"][0]["kind"], Json("node"));
        QCOMPARE(report["missing"][0]["class"], Json("FaceDetailer"));
        QCOMPARE(report["missing"][0]["id"], Json("30"));
        QVERIFY(report["near"].is_array() && report["exact"].is_array());
    }

    void theGraphCanBeSavedAndReadAgain() {
        const Imported imported = importedFrom(kCustomSampling);
        const std::string text = graph::toText(imported.document);
        QCOMPARE(graph::toText(graph::parseDocument(text)), text);
    }
};

LOWTIDE_TEST(TranslateTest)

}  // namespace translate_test

#include "translate_test.moc"
