#include "plugin/base/error.hpp"
#include "plugin/interop/export.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/interop/sample_workflow.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <set>

namespace export_test {

using namespace lowtide;
using namespace lowtide::interop;

namespace {

/// Text to image as a user of this program makes it: one node encodes both prompts.
constexpr const char* kOwnGraph = R"({
  "format": 2,
  "nodes": {
    "load": {"type": "load.checkpoint", "params": {"checkpoint": "/data/models/SDXL/dream.safetensors"}, "position": [0, 10]},
    "encode": {"type": "prompt.encode", "params": {"prompt": "a lighthouse", "negative": "fog"}, "title": "Words", "position": [300, 10]},
    "latent": {"type": "latent.empty", "params": {"width": 640, "height": 448, "batch": 2}},
    "denoise": {"type": "denoise.sample", "params": {"seed": 7, "steps": 12, "cfg": 6.5, "sampler": "dpmpp_2m", "schedule": "karras",
                "noise": "comfyui"}},
    "decode": {"type": "decode.image"},
    "save": {"type": "save.image", "params": {"prefix": "ComfyUI"}}
  },
  "links": [
    {"from": ["load", "model"], "to": ["encode", "model"]},
    {"from": ["load", "model"], "to": ["denoise", "model"]},
    {"from": ["load", "model"], "to": ["decode", "model"]},
    {"from": ["encode", "positive"], "to": ["denoise", "positive"]},
    {"from": ["encode", "negative"], "to": ["denoise", "negative"]},
    {"from": ["latent", "latent"], "to": ["denoise", "latent"]},
    {"from": ["denoise", "latent"], "to": ["decode", "latent"]},
    {"from": ["decode", "image"], "to": ["save", "image"]}
  ]
})";

Exported exportedFrom(const Json& graph) {
    return exportGraph(graph::documentFromJson(graph), importCatalog(), sourceTable());
}

/// Of what an import makes of it.
Exported exportedAgain(const std::string& api) {
    return exportGraph(importedFrom(api.c_str()).document, importCatalog(), sourceTable());
}

/// A node with all that feeds it in place of its links: ids play no part.
Json unfolded(const Json& api, const std::string& id) {
    const Json& node = api.at(id);
    Json inputs = Json::object();
    for (const auto& [name, value] : node.at("inputs").items()) {
        inputs[name] = value.is_array() ? Json::array({unfolded(api, value[0]), value[1]}) : value;
    }
    return {{"class", node.at("class_type")}, {"inputs", inputs}};
}

/// The node of that class that comes first.
std::string idOf(const Json& api, const std::string& type) {
    for (const auto& [id, node] : api.items()) {
        if (node.at("class_type") == type) {
            return id;
        }
    }
    return {};
}

Json saved(const Json& api) {
    const std::string id = idOf(api, "SaveImage");
    return id.empty() ? Json() : unfolded(api, id);
}

/// What the sampler's input is wired to.
Json samplerSource(const Json& api, const char* input) {
    const std::string id = idOf(api, "KSampler");
    return unfolded(api, id).at("inputs").at(input).at(0);
}

std::vector<std::string> reasonsOf(const std::vector<ReportEntry>& entries) {
    std::vector<std::string> reasons;
    for (const ReportEntry& entry : entries) {
        for (const Message& why : entry.why) {
            reasons.push_back(entry.id + ": " + why.str());
        }
    }
    return reasons;
}

/// Of the LoRAs from that node on towards the loader.
std::vector<Json> strengthsAlong(Json node) {
    std::vector<Json> strengths;
    for (; node.at("class") == "LoraLoader"; node = Json(node.at("inputs").at("model").at(0))) {
        strengths.push_back(node.at("inputs").at("strength_model"));
    }
    return strengths;
}

Json loaderAlong(Json node) {
    while (node.at("inputs").contains("model")) {
        node = Json(node.at("inputs").at("model").at(0));
    }
    return node;
}

Json textToImageWith(const char* id, const char* node) {
    Json json = parsed(kTextToImage);
    json[id] = parsed(node);
    return json;
}

Json withControlNet() {
    Json json = parsed(kTextToImage);
    json["20"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "edges.png"}})");
    json["21"] =
        parsed(R"({"class_type": "ControlNetLoader", "inputs": {"control_net_name": "canny"}})");
    json["22"] = parsed(
        R"({"class_type": "ControlNetApplyAdvanced", "inputs": {"positive": ["6", 0], "negative": ["7", 0], "control_net": ["21", 0],
            "image": ["20", 0], "strength": 0.8, "start_percent": 0, "end_percent": 1}})");
    json["3"]["inputs"]["positive"] = parsed(R"(["22", 0])");
    json["3"]["inputs"]["negative"] = parsed(R"(["22", 1])");
    return json;
}

Json withMask() {
    Json json = parsed(kTextToImage);
    json["20"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "mask.png"}})");
    json["21"] = parsed(
        R"({"class_type": "SetLatentNoiseMask", "inputs": {"samples": ["5", 0], "mask": ["20", 1]}})");
    json["3"]["inputs"]["latent_image"] = parsed(R"(["21", 0])");
    return json;
}

/// Its text encoder and its autoencoder have loaders of their own, its levels are shifted.
Json zimage() {
    Json json = parsed(kTextToImage);
    json["4"] = parsed(
        R"({"class_type": "UNETLoader", "inputs": {"unet_name": "z_image_turbo.safetensors", "weight_dtype": "default"}})");
    json["5"]["class_type"] = "EmptySD3LatentImage";
    json["20"] = parsed(
        R"({"class_type": "CLIPLoader", "inputs": {"clip_name": "qwen.safetensors", "type": "lumina2", "device": "default"}})");
    json["21"] = parsed(R"({"class_type": "VAELoader", "inputs": {"vae_name": "ae.safetensors"}})");
    json["22"] = parsed(
        R"({"class_type": "ModelSamplingAuraFlow", "inputs": {"shift": 3, "model": ["4", 0]}})");
    json["3"]["inputs"]["model"] = parsed(R"(["22", 0])");
    json["6"]["inputs"]["clip"] = json["7"]["inputs"]["clip"] = parsed(R"(["20", 0])");
    json["8"]["inputs"]["vae"] = parsed(R"(["21", 0])");
    return json;
}

/// A video that begins with an image, which its image encoder sees, too.
Json imageToVideo() {
    Json json = zimage();
    json["4"]["inputs"]["unet_name"] = "wan2.1_i2v_480p_14B_fp8.safetensors";
    json["20"]["inputs"]["type"] = "wan";
    json["22"]["class_type"] = "ModelSamplingSD3";
    json.erase("5");
    json["30"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "first.png"}})");
    json["31"] = parsed(
        R"({"class_type": "CLIPVisionLoader", "inputs": {"clip_name": "clip_vision_h.safetensors"}})");
    json["32"] = parsed(
        R"({"class_type": "CLIPVisionEncode", "inputs": {"clip_vision": ["31", 0], "image": ["30", 0], "crop": "none"}})");
    json["33"] = parsed(
        R"({"class_type": "WanImageToVideo", "inputs": {"positive": ["6", 0], "negative": ["7", 0], "vae": ["21", 0],
            "clip_vision_output": ["32", 0], "start_image": ["30", 0], "width": 480, "height": 832, "length": 49, "batch_size": 1}})");
    json["3"]["inputs"]["positive"] = parsed(R"(["33", 0])");
    json["3"]["inputs"]["negative"] = parsed(R"(["33", 1])");
    json["3"]["inputs"]["latent_image"] = parsed(R"(["33", 2])");
    return json;
}

Json withAdvancedSampler() {
    return textToImageWith(
        "3",
        R"({"class_type": "KSamplerAdvanced", "inputs": {"add_noise": "disable", "noise_seed": 3, "steps": 10, "cfg": 4,
            "sampler_name": "euler", "scheduler": "simple", "start_at_step": 5, "end_at_step": 10000, "return_with_leftover_noise": "enable",
            "model": ["4", 0], "positive": ["6", 0], "negative": ["7", 0], "latent_image": ["5", 0]}})");
}

Json withAutoencoder() {
    Json json = textToImageWith(
        "10", R"({"class_type": "VAELoader", "inputs": {"vae_name": "better.safetensors"}})");
    json["8"]["inputs"]["vae"] = parsed(R"(["10", 0])");
    return json;
}

Json withLora() {
    Json json = textToImageWith(
        "11",
        R"({"class_type": "LoraLoader", "inputs": {"model": ["4", 0], "clip": ["4", 1], "lora_name": "ink.safetensors",
            "strength_model": 0.5, "strength_clip": 0.25}})");
    json["3"]["inputs"]["model"] = parsed(R"(["11", 0])");
    json["6"]["inputs"]["clip"] = json["7"]["inputs"]["clip"] = parsed(R"(["11", 1])");
    return json;
}

Json withClipSkip() {
    Json json = textToImageWith(
        "10",
        R"({"class_type": "CLIPSetLastLayer", "inputs": {"clip": ["4", 1], "stop_at_clip_layer": -2}})");
    json["6"]["inputs"]["clip"] = json["7"]["inputs"]["clip"] = parsed(R"(["10", 0])");
    return json;
}

/// A checkpoint that fills masks is given the image without what the mask covers.
Json withInpaintModel() {
    Json json = parsed(kTextToImage);
    json.erase("5");
    json["10"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "hall.png"}})");
    json["11"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "mask.png"}})");
    json["12"] = parsed(
        R"({"class_type": "InpaintModelConditioning", "inputs": {"positive": ["6", 0], "negative": ["7", 0], "vae": ["4", 2],
            "pixels": ["10", 0], "mask": ["11", 1], "noise_mask": true}})");
    json["3"]["inputs"]["positive"] = parsed(R"(["12", 0])");
    json["3"]["inputs"]["negative"] = parsed(R"(["12", 1])");
    json["3"]["inputs"]["latent_image"] = parsed(R"(["12", 2])");
    return json;
}

Json withInpaintModelAndControlNet() {
    Json json = withInpaintModel(), other = withControlNet();
    for (const char* id : {"20", "21", "22"}) {
        json[id] = other[id];
    }
    for (const char* input : {"positive", "negative"}) {
        json["22"]["inputs"][input] = json["3"]["inputs"][input];
        json["3"]["inputs"][input] = other["3"]["inputs"][input];
    }
    return json;
}

/// The checkpoint with the denoiser of another file.
Json withOtherDenoiser(const char* type, const char* file) {
    Json json = parsed(kTextToImage);
    json["10"] = {{"class_type", type}, {"inputs", {{"unet_name", file}}}};
    if (std::string_view(type) == "UNETLoader") {
        json["10"]["inputs"]["weight_dtype"] = "default";
    }
    json["3"]["inputs"]["model"] = parsed(R"(["10", 0])");
    return json;
}

Json imageToImage() {
    Json json = parsed(kTextToImage);
    json["10"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "first.png"}})");
    json["5"] =
        parsed(R"({"class_type": "VAEEncode", "inputs": {"pixels": ["10", 0], "vae": ["4", 2]}})");
    json["3"]["inputs"]["denoise"] = 0.5;
    return json;
}

/// A video by a model of two denoisers, each with a LoRA of its own.
Json twoDenoisers() {
    Json graph = parsed(kOwnGraph);
    graph["nodes"]["load"] = parsed(
        R"({"type": "load.diffusion_model", "params": {"file": "wan2.2_t2v_high_noise_14B.safetensors", "low_noise": "wan2.2_t2v_low_noise_14B.safetensors"}})");
    graph["nodes"]["texts"] =
        parsed(R"({"type": "load.text_encoder", "params": {"file": "umt5.safetensors"}})");
    graph["nodes"]["vae"] =
        parsed(R"({"type": "load.autoencoder", "params": {"file": "wan_vae.safetensors"}})");
    graph["nodes"]["loras"] = parsed(
        R"({"type": "load.lora_stack", "params": {"file_1": "high.safetensors", "expert_1": "high_noise", "text_strength_1": 0.25,
            "use_2": false, "file_2": "off.safetensors", "file_3": "low.safetensors", "expert_3": "low_noise", "strength_3": 0.5}})");
    graph["nodes"]["denoise"]["params"] = parsed(
        R"({"seed": 7, "steps": 10, "cfg": 3.5, "cfg_2": 2.5, "sampler": "euler", "schedule": "simple", "noise": "comfyui", "shift": 5,
            "boundary": 0.9})");
    for (Json& link : graph["links"]) {
        if (link["from"][0] == "load" && link["to"][0] != "decode") {
            link["from"][0] = "loras";
        }
    }
    for (const char* link :
         {R"({"from": ["load", "model"], "to": ["loras", "model"]})",
          R"({"from": ["texts", "text_encoder"], "to": ["load", "text_encoder"]})",
          R"({"from": ["vae", "autoencoder"], "to": ["load", "autoencoder"]})"}) {
        graph["links"].push_back(parsed(link));
    }
    return graph;
}

/// Inputs that a row's recipe, its rule or a default states.
std::set<std::string> statedInputs(const ClassRow& row) {
    std::set<std::string> stated;
    const auto note = [&](const Json& spec) {
        stated.insert(spec.is_string() ? spec.get<std::string>()
                                       : spec.value("from", std::string()));
    };
    for (const auto& [param, spec] : row.recipes.front().nodes.front().params) {
        note(spec);
    }
    for (const auto& [name, spec] : row.exported.values) {
        stated.insert(name);
    }
    for (const auto& [port, name] : row.recipes.front().nodes.front().inputs) {
        stated.insert(name);
    }
    for (const Widget& widget : row.widgets) {
        if (widget.defaultValue) {
            stated.insert(widget.name);
        }
    }
    return stated;
}

}  // namespace

class ExportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void oneNodeForBothPromptsIsTwoThere() {
        const Exported exported = exportedFrom(parsed(kOwnGraph));

        QCOMPARE(reasonsOf(exported.report.near), std::vector<std::string>());
        QCOMPARE(reasonsOf(exported.report.missing), std::vector<std::string>());
        QCOMPARE(exported.report.exact.size(), size_t{6});
        QCOMPARE(saved(apiPrompt(exported.prompt)), saved(parsed(kTextToImage)));
    }

    void whatWasImportedIsTheSameAgain_data() {
        QTest::addColumn<std::string>("api");
        QTest::addRow("text to image") << parsed(kTextToImage).dump();
        QTest::addRow("ControlNet") << withControlNet().dump();
        QTest::addRow("mask") << withMask().dump();
        QTest::addRow("files of a network each") << zimage().dump();
        QTest::addRow("KSamplerAdvanced") << withAdvancedSampler().dump();
        QTest::addRow("autoencoder") << withAutoencoder().dump();
        QTest::addRow("LoRA") << withLora().dump();
        QTest::addRow("image to video") << imageToVideo().dump();
        QTest::addRow("clip skip") << withClipSkip().dump();
        QTest::addRow("image to image") << imageToImage().dump();
        QTest::addRow("inpainting checkpoint") << withInpaintModel().dump();
        QTest::addRow("inpainting checkpoint, ControlNet")
            << withInpaintModelAndControlNet().dump();
        QTest::addRow("another denoiser")
            << withOtherDenoiser("UNETLoader", "other.safetensors").dump();
        QTest::addRow("a quantised denoiser")
            << withOtherDenoiser("UnetLoaderGGUF", "other.gguf").dump();
    }

    void whatWasImportedIsTheSameAgain() {
        QFETCH(std::string, api);

        const Exported exported = exportedAgain(api);

        QCOMPARE(reasonsOf(exported.report.missing), std::vector<std::string>());
        const Json made = saved(apiPrompt(exported.prompt)), expected = saved(parsed(api.c_str()));
        QVERIFY2(made == expected, Json::diff(expected, made).dump().c_str());
    }

    void oneNodeStandsBetweenForAllThatNeedIt() {
        const Json api = apiPrompt(exportedAgain(withClipSkip().dump()).prompt);

        QCOMPARE(std::count_if(
                     api.begin(),
                     api.end(),
                     [](const Json& node) { return node.at("class_type") == "CLIPSetLastLayer"; }),
                 std::ptrdiff_t{1});
    }

    void noFolderOfTheMachineIsInIt() {
        Json graph = parsed(kOwnGraph);
        const auto nameOf = [&](const char* path) {
            graph["nodes"]["load"]["params"]["checkpoint"] = path;
            const Json api = apiPrompt(exportedFrom(graph).prompt);
            return api.at(idOf(api, "CheckpointLoaderSimple")).at("inputs").at("ckpt_name");
        };
        QCOMPARE(nameOf("/data/models/dream.safetensors"), Json("dream.safetensors"));
        QCOMPARE(nameOf("C:\\models\\dream.safetensors"), Json("dream.safetensors"));
        QCOMPARE(nameOf("../dream.safetensors"), Json("dream.safetensors"));
        QCOMPARE(nameOf("SDXL/dream.safetensors"), Json("SDXL/dream.safetensors"));
    }

    void anEmptyNegativeOfSdxlIsNear_unlessItIsEncoded() {
        Json graph = parsed(kOwnGraph);
        graph["nodes"]["encode"]["params"] = parsed(R"({"prompt": "a lighthouse"})");
        const auto nearOf = [&](const char* file, bool isEncoded) {
            graph["nodes"]["load"]["params"]["checkpoint"] = file;
            graph["nodes"]["encode"]["params"]["encode_empty"] = isEncoded;
            return exportedFrom(graph).report.near.size();
        };
        QCOMPARE(nearOf("sd_xl_base_1.0.safetensors", false), size_t{1});
        QCOMPARE(nearOf("sd_xl_base_1.0.safetensors", true), size_t{0});
        QCOMPARE(nearOf("v1-5-pruned.safetensors", false), size_t{0});
        QCOMPARE(nearOf("unknown.safetensors", false), size_t{1});
    }

    void whatIsNoFileIsNear_data() {
        testing::addRows("name", {"builtin:mini", "/data/models/sd_xl_base_1.0", "dreams/"});
    }

    void whatIsNoFileIsNear() {
        QFETCH(QString, name);
        Json graph = parsed(kOwnGraph);
        graph["nodes"]["load"]["params"]["checkpoint"] = name.toStdString();

        const Exported exported = exportedFrom(graph);

        QCOMPARE(exported.report.near.size(), size_t{1});
        QCOMPARE(exported.report.near.at(0).id, std::string("load"));
        QVERIFY(exported.report.missing.empty());
    }

    void anotherNoiseIsNear_withTheReason() {
        Json graph = parsed(kOwnGraph);
        graph["nodes"]["denoise"]["params"] =
            parsed(R"({"seed": 7, "cfg": 6.5, "sampler": "checkpoint"})");

        const Exported exported = exportedFrom(graph);

        QCOMPARE(reasonsOf(exported.report.near),
                 (std::vector<std::string>{
                     "denoise: noise is \"diffusers\", in ComfyUI it is \"comfyui\"",
                     "denoise: sampler is \"checkpoint\", ComfyUI is given \"euler\"",
                     "denoise: schedule is \"automatic\", ComfyUI is given \"simple\""}));
        QVERIFY(exported.report.missing.empty());
    }

    void fractionsOfAScheduleAreSteps() {
        Json graph = parsed(kOwnGraph);
        graph["nodes"]["denoise"]["params"]["end_at"] = 0.75;

        const Exported exported = exportedFrom(graph);

        const Json api = apiPrompt(exported.prompt);
        const Json inputs = api.at(idOf(api, "KSamplerAdvanced")).at("inputs");
        QCOMPARE(inputs.at("end_at_step"), Json(9));
        QCOMPARE(inputs.at("return_with_leftover_noise"), Json("enable"));
        QCOMPARE(inputs.at("add_noise"), Json("enable"));
        QCOMPARE(
            reasonsOf(exported.report.near),
            std::vector<std::string>{"denoise: fractions of the schedule are rounded to steps"});
    }

    void rowsOfLorasAreNodesOfTheirOwn() {
        Json graph = twoDenoisers();
        graph["nodes"]["load"]["params"].erase("low_noise");
        for (const char* param : {"cfg_2", "boundary"}) {
            graph["nodes"]["denoise"]["params"].erase(param);
        }
        for (const char* param : {"expert_1", "expert_3"}) {
            graph["nodes"]["loras"]["params"].erase(param);
        }

        const Exported exported = exportedFrom(graph);

        const Json model =
            samplerSource(apiPrompt(exported.prompt), "model").at("inputs").at("model");
        const Json last = model.at(0).at("inputs"), first = last.at("model").at(0).at("inputs");
        QCOMPARE(last.at("lora_name"), Json("low.safetensors"));
        QCOMPARE(last.at("strength_model"), Json(0.5));
        QCOMPARE(first.at("lora_name"), Json("high.safetensors"));
        QCOMPARE(first.at("strength_clip"), Json(0.25));
        QCOMPARE(first.at("model").at(0).at("class"), Json("UNETLoader"));
        QCOMPARE(reasonsOf(exported.report.near), std::vector<std::string>());
        QVERIFY(std::ranges::find(exported.report.exact, "loras", &ReportEntry::id) !=
                exported.report.exact.end());
    }

    /// At a shift of 5 the fifth of ten steps is the first below 0.9 (0.978, 0.952, 0.921, 0.882),
    /// by the levels that were recorded in ComfyUI.
    void aModelOfTwoDenoisersIsTwo_eachWithItsSteps() {
        const Exported exported = exportedFrom(twoDenoisers());

        QCOMPARE(reasonsOf(exported.report.missing), std::vector<std::string>());
        QCOMPARE(reasonsOf(exported.report.near), std::vector<std::string>());
        QCOMPARE(exported.report.exact.size(), size_t{9});  // each node of the graph once
        const Json low =
            saved(apiPrompt(exported.prompt))["inputs"]["images"][0]["inputs"]["samples"][0];
        QCOMPARE(low["class"], Json("KSamplerAdvanced"));
        const Json high = low["inputs"]["latent_image"][0];
        QCOMPARE(high["inputs"]["end_at_step"], Json(4));
        QCOMPARE(high["inputs"]["return_with_leftover_noise"], Json("enable"));
        QCOMPARE(high["inputs"]["cfg"], Json(3.5));
        QCOMPARE(low["inputs"]["start_at_step"], Json(4));
        QCOMPARE(low["inputs"]["end_at_step"], Json(10000));
        QCOMPARE(low["inputs"]["add_noise"], Json("disable"));
        QCOMPARE(low["inputs"]["cfg"], Json(2.5));
        for (const Json* stage : {&high, &low}) {
            const bool isLow = stage == &low;
            const Json shift = (*stage)["inputs"]["model"][0];
            QCOMPARE(shift["inputs"]["shift"], Json(5));
            const std::vector<Json> strengths = strengthsAlong(shift["inputs"]["model"][0]);
            QCOMPARE(strengths, (isLow ? std::vector<Json>{0.5} : std::vector<Json>{0.0, 1.0}));
            QCOMPARE(loaderAlong(shift)["inputs"]["unet_name"],
                     Json(isLow ? "wan2.2_t2v_low_noise_14B.safetensors"
                                : "wan2.2_t2v_high_noise_14B.safetensors"));
        }
    }

    void aModelOfTwoDenoisersIsRefused_whereTheStepIsNotKnown_data() {
        const testing::Rows<QString, QString, QString> row("param", "value", "why");
        row("automatic shift", "shift", "0", "flow shift is automatic");
        row("schedule", "schedule", R"("karras")", "schedules simple, normal");
        row("strength", "strength", "0.5", "strength is below 1");
        row("fractions", "start_at", "0.2", "fraction of the schedule");
    }

    void aModelOfTwoDenoisersIsRefused_whereTheStepIsNotKnown() {
        QFETCH(QString, param);
        QFETCH(QString, value);
        QFETCH(QString, why);
        Json graph = twoDenoisers();
        graph["nodes"]["denoise"]["params"][param.toStdString()] =
            parsed(value.toStdString().c_str());

        const std::vector<std::string> reasons = reasonsOf(exportedFrom(graph).report.missing);

        QVERIFY(std::ranges::any_of(reasons, [&](const std::string& reason) {
            return reason.starts_with("denoise: ") &&
                   reason.find(why.toStdString()) != std::string::npos;
        }));
    }

    void aSamplerThatRemembersIsNear_whereTheModelTakesOver() {
        Json graph = twoDenoisers();
        graph["nodes"]["denoise"]["params"]["sampler"] = "dpmpp_2m";

        QCOMPARE(reasonsOf(exportedFrom(graph).report.near),
                 std::vector<std::string>{
                     "denoise: in ComfyUI the sampler begins again with the low-noise model"});
    }

    void stepsOfOneDenoiserAloneAreOfThat() {
        Json graph = twoDenoisers();
        graph["nodes"]["denoise"]["params"]["start_step"] = 6;

        const Exported exported = exportedFrom(graph);

        QCOMPARE(reasonsOf(exported.report.missing), std::vector<std::string>());
        const Json api = apiPrompt(exported.prompt);
        QCOMPARE(std::count_if(
                     api.begin(),
                     api.end(),
                     [](const Json& node) { return node.at("class_type") == "KSamplerAdvanced"; }),
                 std::ptrdiff_t{1});
        const Json inputs = api.at(idOf(api, "KSamplerAdvanced")).at("inputs");
        QCOMPARE(inputs.at("start_at_step"), Json(6));
        QCOMPARE(inputs.at("add_noise"), Json("enable"));
    }

    void whatAClassHasForSeveralNodesIsReportedOnEach() {
        graph::Document graph = importedFrom(withInpaintModel().dump().c_str()).document;
        graph.nodes.at("12_masked").params["sampling"] = "sample";

        const Exported exported = exportGraph(graph, importCatalog(), sourceTable());

        QCOMPARE(reasonsOf(exported.report.near),
                 std::vector<std::string>{
                     "12_masked: sampling is \"sample\", in ComfyUI it is \"mean\""});
        QVERIFY(exported.report.missing.empty());
        QVERIFY(std::ranges::find(exported.report.exact, "12", &ReportEntry::id) !=
                exported.report.exact.end());
    }

    void aMaskOfAnotherImageIsNotThatOfTheClass() {
        graph::Document document = importedFrom(withInpaintModel().dump().c_str()).document;
        for (graph::Link& link : document.links) {
            if (link.to == graph::PortRef{"3", "mask"}) {
                link.from = {"10", "mask"};
            }
        }

        const Exported exported = exportGraph(document, importCatalog(), sourceTable());

        QVERIFY(!exported.report.missing.empty());
        QVERIFY(idOf(apiPrompt(exported.prompt), "InpaintModelConditioning").empty());
    }

    void whatHasNoCounterpartIsRefusedByName() {
        Json graph = parsed(kOwnGraph);
        graph["nodes"]["crisp"] = parsed(R"({"type": "image.sharpen"})");
        graph["links"][7]["to"] = parsed(R"(["crisp", "image"])");
        graph["links"].push_back(
            parsed(R"({"from": ["crisp", "image"], "to": ["save", "image"]})"));
        graph["nodes"]["denoise"]["params"]["cfg"] = -1;

        const Exported exported = exportedFrom(graph);

        QCOMPARE(reasonsOf(exported.report.missing),
                 (std::vector<std::string>{"denoise: cfg is -1, which is no value of ComfyUI",
                                           "crisp: no node of ComfyUI stands for it"}));
        QVERIFY(textsForComfyUi(exported, sourceTable()).empty());
        try {
            requireComplete(exported);
            QFAIL("it was not refused");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::InvalidInput);
            QVERIFY(error.message().str().find("\"crisp\" (image.sharpen): no node") !=
                    std::string::npos);
        }
    }

    void withoutANegativePromptThePositiveOneStandsThere() {
        Json graph = parsed(kOwnGraph);
        graph["links"].erase(size_t{4});

        const Json api = apiPrompt(exportedFrom(graph).prompt);

        QCOMPARE(samplerSource(api, "negative"), samplerSource(api, "positive"));
    }

    void theEditorsFormIsReadAsTheServersOne_data() { whatWasImportedIsTheSameAgain_data(); }

    void theEditorsFormIsReadAsTheServersOne() {
        QFETCH(std::string, api);
        const Prompt prompt = exportedAgain(api).prompt;

        const Json workflow = editorWorkflow(prompt, sourceTable());

        QCOMPARE(apiOf(readPrompt(workflow, sourceTable())),
                 apiOf(readPrompt(apiPrompt(prompt), sourceTable())));
    }

    void theEditorsFormHasWhatItsNodesNeed() {
        const Json workflow = editorWorkflow(exportedFrom(parsed(kOwnGraph)).prompt, sourceTable());

        QCOMPARE(workflow.at("version"), Json(0.4));
        QCOMPARE(workflow.at("last_link_id"), Json(workflow.at("links").size()));
        for (const Json& node : workflow.at("nodes")) {
            QVERIFY(node.at("id").is_number_integer());
            QVERIFY(node.at("pos").at(0).is_number() && node.at("size").at(1).is_number());
            if (node.at("type") == "KSampler") {
                QCOMPARE(node.at("widgets_values"),
                         parsed(R"([7, "fixed", 12, 6.5, "dpmpp_2m", "karras", 1.0])"));
            }
            if (node.value("title", "") == "Words") {
                QCOMPARE(node.at("pos").at(0), Json(450.0));
            }
        }
    }

    void theEditorSendsTheTextsOfTheServersForm() {
        Json graph = parsed(kOwnGraph);
        graph["nodes"]["encode"]["params"]["prompt"] = "a {fox, see http://x.y \\{";
        const Prompt prompt = exportedFrom(graph).prompt;

        const Json workflow = editorWorkflow(prompt, sourceTable());

        QVERIFY(workflow.dump().find("http:/{}/x.y") != std::string::npos);
        QCOMPARE(apiOf(readPrompt(workflow, sourceTable())),
                 apiOf(readPrompt(apiPrompt(prompt), sourceTable())));
    }

    void filesCarryItInAscii() {
        Json graph = parsed(kOwnGraph);
        graph["nodes"]["encode"]["params"]["prompt"] = "a caf\xC3\xA9";

        const std::vector<image::ImageText> texts =
            textsForComfyUi(exportedFrom(graph), sourceTable());

        QCOMPARE(texts.size(), size_t{2});
        QCOMPARE(texts[0].key, std::string("prompt"));
        QCOMPARE(texts[1].key, std::string("workflow"));
        for (const image::ImageText& text : texts) {
            QVERIFY(std::ranges::all_of(text.text, [](char c) { return c >= ' ' && c <= '~'; }));
            QVERIFY(isForeign(text.text));
        }
    }

    /// A reader that counts braces, also those of strings, finds the end of each.
    void filesCarryBracesInPairs_data() {
        QTest::addColumn<std::string>("text");
        QTest::addRow("closing") << std::string("a fox } in snow");
        QTest::addRow("opening") << std::string("a fox {, in snow");
        QTest::addRow("behind a quote") << std::string("a sign \"}\" and \\");
        QTest::addRow("behind a backslash") << std::string("a \\} fox \\\"}");
    }

    void filesCarryBracesInPairs() {
        QFETCH(std::string, text);
        Json graph = parsed(kOwnGraph);
        graph["nodes"]["encode"]["params"]["prompt"] = text;
        graph["nodes"]["encode"]["title"] = text;
        const Exported exported = exportedFrom(graph);

        const std::vector<image::ImageText> texts = textsForComfyUi(exported, sourceTable());

        QCOMPARE(texts.size(), size_t{2});
        for (const image::ImageText& each : texts) {
            int depth = 0;
            size_t end = 0;
            do {
                depth += each.text[end] == '{' ? 1 : each.text[end] == '}' ? -1 : 0;
                ++end;
            } while (depth > 0 && end < each.text.size());
            QCOMPARE(end, each.text.size());
            QCOMPARE(depth, 0);
        }
        QCOMPARE(parsed(texts[0].text.c_str()), apiPrompt(exported.prompt));
        QCOMPARE(parsed(texts[1].text.c_str()), editorWorkflow(exported.prompt, sourceTable()));
        QVERIFY(apiPrompt(exported.prompt).dump().find(Json(text).dump()) != std::string::npos);
    }

    /// A class may be chosen for any graph, so each that can be is complete.
    void everyClassThatIsWrittenHasAllValues() {
        int classes = 0;
        for (const auto& [name, row] : sourceTable().rows()) {
            if (!row.exported.isUsed || row.recipes.empty() ||
                row.recipes.front().nodes.size() != 1) {
                continue;
            }
            const bool hasExpression = std::ranges::any_of(
                row.recipes.front().nodes.front().params,
                [](const auto& param) { return param.second.contains("expr"); });
            if (hasExpression && row.exported.values.empty()) {
                continue;
            }
            ++classes;
            const std::set<std::string> stated = statedInputs(row);
            for (const Widget& widget : row.widgets) {
                QVERIFY2(widget.name.starts_with('~') || stated.contains(widget.name),
                         (name + "." + widget.name).c_str());
            }
        }
        QVERIFY(classes > 40);
    }
};

LOWTIDE_TEST(ExportTest)

}  // namespace export_test

#include "export_test.moc"
