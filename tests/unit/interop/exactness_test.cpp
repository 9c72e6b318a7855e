#include "tests/fixtures/test_program.hpp"
#include "tests/unit/interop/sample_workflow.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <string>
#include <utility>

namespace exactness_test {

using namespace lowtide;
using namespace lowtide::interop;

namespace {

/// The first four steps, of which that output is decoded.
Json withSplitLevels(int slot) {
    Json json = parsed(kCustomSampling);
    json["30"] =
        parsed(R"({"class_type": "SplitSigmas", "inputs": {"sigmas": ["8", 0], "step": 4}})");
    json["11"]["inputs"]["sigmas"] = parsed(R"(["30", 0])");
    json["12"]["inputs"]["samples"] = Json::array({"11", slot});
    return json;
}

/// The positive prompt of that node with a guidance; 20 combines two prompts, 22 appends one to the
/// other.
Json withGuidance(const char* prompt) {
    Json json = parsed(kTextToImage);
    json["12"] = json["6"];
    json["12"]["inputs"]["text"] = "a ship";
    json["20"] = parsed(
        R"({"class_type": "ConditioningCombine", "inputs": {"conditioning_1": ["6", 0], "conditioning_2": ["12", 0]}})");
    json["22"] = parsed(
        R"({"class_type": "ConditioningConcat", "inputs": {"conditioning_to": ["6", 0], "conditioning_from": ["12", 0]}})");
    json["21"] = parsed(R"({"class_type": "FluxGuidance", "inputs": {"guidance": 2.5}})");
    json["21"]["inputs"]["conditioning"] = Json::array({prompt, 0});
    json["3"]["inputs"]["positive"] = Json::array({"21", 0});
    for (const char* joined : {"20", "22"}) {
        if (joined != std::string_view(prompt)) {
            json.erase(joined);
        }
    }
    if (prompt == std::string_view("6")) {
        json.erase("12");
    }
    return json;
}

/// ControlNets that reach both prompts (22), the positive one more (24), the positive in ComfyUI's
/// older way (23), and one of two prompts (25, 26).
Json withControlNets(const std::string& positive, const std::string& negative) {
    Json json = parsed(kTextToImage);
    json["3"]["inputs"]["positive"] = parsed(positive.c_str());
    json["3"]["inputs"]["negative"] = parsed(negative.c_str());
    json["20"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "edges.png"}})");
    json["21"] =
        parsed(R"({"class_type": "ControlNetLoader", "inputs": {"control_net_name": "canny"}})");
    json["22"] = parsed(
        R"({"class_type": "ControlNetApplyAdvanced", "inputs": {"positive": ["6", 0], "negative": ["7", 0], "control_net": ["21", 0],
            "image": ["20", 0], "strength": 0.8, "start_percent": 0, "end_percent": 1}})");
    json["24"] = json["22"];
    json["24"]["inputs"]["positive"] = Json::array({"22", 0});
    json["24"]["inputs"]["negative"] = Json::array({"22", 1});
    json["23"] = parsed(
        R"({"class_type": "ControlNetApply", "inputs": {"conditioning": ["6", 0], "control_net": ["21", 0], "image": ["20", 0],
            "strength": 0.8}})");
    json["25"] = parsed(
        R"({"class_type": "ConditioningCombine", "inputs": {"conditioning_1": ["23", 0], "conditioning_2": ["6", 0]}})");
    json["26"] = parsed(
        R"({"class_type": "ConditioningCombine", "inputs": {"conditioning_1": ["6", 0], "conditioning_2": ["23", 0]}})");
    Json needed;
    addNeeded(json, "9", needed);
    return needed;
}

/// A video between two images (30, 31) whose image encoder is given these (32, 33), or not.
Json betweenTwoImages(const std::string& start, const std::string& end) {
    Json json = parsed(kCustomSampling);
    json["1"]["inputs"]["unet_name"] = "wan2.1_flf2v_720p_14B_fp16.safetensors";
    json["30"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "first.png"}})");
    json["31"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "last.png"}})");
    json["34"] = parsed(
        R"({"class_type": "WanFirstLastFrameToVideo", "inputs": {"positive": ["5", 0], "negative": ["5", 0], "vae": ["3", 0],
            "start_image": ["30", 0], "end_image": ["31", 0], "width": 480, "height": 832, "length": 49, "batch_size": 1}})");
    json["10"]["inputs"]["conditioning"] = Json::array({"34", 0});
    json["11"]["inputs"]["latent_image"] = Json::array({"34", 2});
    json.erase("6");
    if (!start.empty() || !end.empty()) {
        json["35"] = parsed(
            R"({"class_type": "CLIPVisionLoader", "inputs": {"clip_name": "clip_vision_h.safetensors"}})");
        json["32"] = parsed(
            R"({"class_type": "CLIPVisionEncode", "inputs": {"clip_vision": ["35", 0], "image": ["30", 0], "crop": "none"}})");
        json["33"] = json["32"];
        json["33"]["inputs"]["image"] = Json::array({"31", 0});
    }
    for (const auto& [name, wire] :
         {std::pair("clip_vision_start_image", start), std::pair("clip_vision_end_image", end)}) {
        if (!wire.empty()) {
            json["34"]["inputs"][name] = parsed(wire.c_str());
        }
    }
    Json needed;
    addNeeded(json, "13", needed);
    return needed;
}

}  // namespace

/// What an import lists as exact is what ComfyUI does; what is not, is near with its reason.
class ExactnessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void denoisedOutputIsOfStepsThatEndWithoutNoise() {
        const Imported imported = importedFrom(withSplitLevels(1).dump().c_str());

        QCOMPARE(imported.document.nodes.at("11").params["keep_noise"], Json(false));
        QCOMPARE(imported.document.nodes.at("11").params["end_step"], Json(4));
        QCOMPARE(sourceOf(imported.document, "12", "latent"), std::string("11.latent"));
        QVERIFY(!imported.document.nodes.contains("11_denoised"));
        QVERIFY(imported.report.near.empty());
    }

    void bothOutputsOfStepsThatLeaveNoiseAreNodesOfTheirOwn() {
        Json json = withSplitLevels(1);
        json["22"] = json["12"];
        json["22"]["inputs"]["samples"] = Json::array({"11", 0});

        const Imported imported = importedFrom(json.dump().c_str());

        const graph::Document& graph = imported.document;
        Json denoised = graph.nodes.at("11").params;
        denoised["keep_noise"] = false;
        QCOMPARE(graph.nodes.at("11").params["keep_noise"], Json(true));
        QCOMPARE(graph.nodes.at("11_denoised").params, denoised);
        QCOMPARE(sourceOf(graph, "12", "latent"), std::string("11_denoised.latent"));
        QCOMPARE(sourceOf(graph, "22", "latent"), std::string("11.latent"));
        for (const char* port : {"model", "positive", "latent"}) {
            QCOMPARE(sourceOf(graph, "11_denoised", port), sourceOf(graph, "11", port));
        }
        QVERIFY(imported.report.near.empty());
    }

    /// Ids of prompts are texts of any form.
    void furtherNodesHaveIdsThatThePromptHasNot() {
        Json json = withSplitLevels(1);
        json["22"] = json["12"];
        json["22"]["inputs"]["samples"] = Json::array({"11", 0});
        json["11_denoised"] = json["13"];
        json["11_denoised"]["inputs"]["images"] = Json::array({"22", 0});

        const graph::Document graph = importedFrom(json.dump().c_str()).document;

        QCOMPARE(graph.nodes.at("11_denoised").type, std::string("save.image"));
        QCOMPARE(sourceOf(graph, "12", "latent"), std::string("11_denoised_2.latent"));
        QCOMPARE(graph.nodes.at("11_denoised_2").type, std::string("denoise.sample"));
    }

    void idsOfFurtherNodesAreNotTooLong() {
        const std::string id(190, 'x');
        Json json = withSplitLevels(1);
        json[id] = json["11"];
        json.erase("11");
        json["22"] = json["12"];
        json["22"]["inputs"]["samples"] = Json::array({id, 0});
        json["12"]["inputs"]["samples"] = Json::array({id, 1});

        const graph::Document graph = importedFrom(json.dump().c_str()).document;

        QVERIFY(sourceOf(graph, "12", "latent") != sourceOf(graph, "22", "latent"));
        QCOMPARE(graph::parseDocument(graph::toText(graph)).nodes.size(), graph.nodes.size());
    }

    void copiesOfPromptsHaveIdsThatThePromptHasNot() {
        Json json = withGuidance("6");
        json["3"]["inputs"]["negative"] = Json::array({"6", 0});
        json["21_6"] = json["7"];

        const graph::Document graph = importedFrom(json.dump().c_str()).document;

        QCOMPARE(graph.nodes.at("21_6").params["prompt"], Json("fog"));
        QCOMPARE(sourceOf(graph, "3", "positive"), std::string("21_6_2.positive"));
    }

    /// As ComfyUI's own runs show (their last latent and the last result of the network).
    void denoisedOutputIsNear_whereASamplerEndsOtherwise_data() {
        const testing::Rows<QString, bool, int, bool> row("sampler", "isSplit", "slot", "isNear");
        row("the last result", "euler", false, 1, false);
        row("not it", "dpm_adaptive", false, 1, true);
        row("the latent", "dpm_adaptive", false, 0, false);
        row("no noise is left", "dpmpp_2m_sde", false, 1, false);
        row("other noise where it ends", "dpmpp_2m_sde", true, 1, true);
    }

    void denoisedOutputIsNear_whereASamplerEndsOtherwise() {
        QFETCH(QString, sampler);
        QFETCH(bool, isSplit);
        QFETCH(int, slot);
        QFETCH(bool, isNear);
        Json json = isSplit ? withSplitLevels(slot) : parsed(kCustomSampling);
        json["7"]["inputs"]["sampler_name"] = sampler.toStdString();
        json["12"]["inputs"]["samples"] = Json::array({"11", slot});

        const ImportReport report = importedFrom(json.dump().c_str()).report;

        QCOMPARE(hasClass(report.near, "SamplerCustomAdvanced"), isNear);
        QCOMPARE(report.near.size(), isNear ? size_t{1} : size_t{0});
    }

    void guidanceIsThatOfAllPromptsThatAreCombined() {
        const graph::Document graph = importedFrom(withGuidance("20").dump().c_str()).document;

        QCOMPARE(graph.nodes.at("6").params["guidance"], Json(2.5));
        QCOMPARE(graph.nodes.at("12").params["guidance"], Json(2.5));
        QCOMPARE(sourceOf(graph, "3", "positive"), std::string("20.conditioning"));
        QCOMPARE(graph.nodes.size(), size_t{9});
    }

    /// ComfyUI joins the tokens of the other prompts alone.
    void guidanceIsNotThatOfPromptsThatAreAppended() {
        const graph::Document graph = importedFrom(withGuidance("22").dump().c_str()).document;

        QCOMPARE(graph.nodes.at("6").params["guidance"], Json(2.5));
        QVERIFY(!graph.nodes.at("12").params.contains("guidance"));
    }

    void aPromptThatIsUsedWithoutGuidance_orWithAnother_isEncodedOnceMore() {
        Json json = withGuidance("6");
        json["3"]["inputs"]["negative"] = Json::array({"6", 0});

        const Imported imported = importedFrom(json.dump().c_str());

        const graph::Document& graph = imported.document;
        QCOMPARE(sourceOf(graph, "3", "positive"), std::string("21_6.positive"));
        QCOMPARE(sourceOf(graph, "3", "negative"), std::string("6.positive"));
        QCOMPARE(graph.nodes.at("21_6").params["guidance"], Json(2.5));
        QCOMPARE(graph.nodes.at("21_6").params["prompt"], Json("a lighthouse"));
        QVERIFY(!graph.nodes.at("6").params.contains("guidance"));
        QCOMPARE(sourceOf(graph, "21_6", "model"), std::string("4.model"));
        QVERIFY(imported.report.near.empty());
    }

    void eachGuidanceHasAPromptOfItsOwn() {
        Json json = withGuidance("6");
        json["23"] = json["21"];
        json["23"]["inputs"]["guidance"] = 1.5;
        json["3"]["inputs"]["negative"] = Json::array({"23", 0});

        const graph::Document graph = importedFrom(json.dump().c_str()).document;

        QCOMPARE(graph.nodes.at("6").params["guidance"], Json(2.5));  // no other is left of it
        QCOMPARE(graph.nodes.at("23_6").params["guidance"], Json(1.5));
        QCOMPARE(sourceOf(graph, "3", "positive"), std::string("6.positive"));
        QCOMPARE(sourceOf(graph, "3", "negative"), std::string("23_6.positive"));
        QVERIFY(!graph.nodes.contains("21_6"));
    }

    /// ComfyUI appends the first of several prompts, ours refuses several.
    void ofPromptsThatAreAppendedTheFirstIsTaken() {
        Json json = withGuidance("20");
        json["24"] = parsed(
            R"({"class_type": "ConditioningSetTimestepRange", "inputs": {"conditioning": ["20", 0], "start": 0.0, "end": 0.5}})");
        json["21"] = parsed(
            R"({"class_type": "ConditioningConcat", "inputs": {"conditioning_to": ["7", 0], "conditioning_from": ["24", 0]}})");

        const Imported imported = importedFrom(json.dump().c_str());

        QCOMPARE(sourceOf(imported.document, "21", "first"), std::string("7.positive"));
        QCOMPARE(sourceOf(imported.document, "21", "second"), std::string("6.positive"));
        QVERIFY(imported.report.near.empty());
    }

    void zerosOfPromptsThatAreCombinedAreThoseOfTheFirst() {
        Json json = withGuidance("20");
        json["25"] = parsed(
            R"({"class_type": "ConditioningZeroOut", "inputs": {"conditioning": ["20", 0]}})");
        json["3"]["inputs"]["negative"] = Json::array({"25", 0});

        const Imported imported = importedFrom(json.dump().c_str());

        QCOMPARE(sourceOf(imported.document, "3", "negative"), std::string("6.negative"));
        QVERIFY(hasClass(imported.report.near, "ConditioningZeroOut"));
    }

    /// In ComfyUI a prompt has what it is given alone, but what ControlNetApply gives.
    void aControlNetOfSomePromptsIsNear_data() {
        const testing::Rows<QString, QString, QString> row("positive", "negative", "near");
        row("both", R"(["22", 0])", R"(["22", 1])", "");
        row("the positive alone", R"(["22", 0])", R"(["7", 0])", "KSampler");
        row("the negative alone", R"(["6", 0])", R"(["22", 1])", "KSampler");
        row("one more of the positive", R"(["24", 0])", R"(["22", 1])", "KSampler");
        row("ControlNetApply reaches the negative", R"(["23", 0])", R"(["7", 0])", "");
        row("the first of two", R"(["25", 0])", R"(["7", 0])", "ConditioningCombine");
        row("the second of two", R"(["26", 0])", R"(["7", 0])", "ConditioningCombine");
    }

    void aControlNetOfSomePromptsIsNear() {
        QFETCH(QString, positive);
        QFETCH(QString, negative);
        QFETCH(QString, near);
        const Json json = withControlNets(positive.toStdString(), negative.toStdString());

        const Imported imported = importedFrom(json.dump().c_str());

        QVERIFY(!sourceOf(imported.document, "3", "control").empty());
        const std::vector<ReportEntry>& list = imported.report.near;
        QCOMPARE(list.size(), near.isEmpty() ? size_t{0} : size_t{1});
        QVERIFY(near.isEmpty() || list[0].name == near.toStdString());
    }

    void withoutGuidanceOnlyThePositivePromptCounts_data() {
        const testing::Rows<double, QString, bool> row("cfg", "sampler", "isNear");
        row("guidance", 1.5, "euler", true);
        row("none", 1, "euler", false);
        row("CFG++", 1, "euler_cfg_pp", true);
    }

    void withoutGuidanceOnlyThePositivePromptCounts() {
        QFETCH(double, cfg);
        QFETCH(QString, sampler);
        QFETCH(bool, isNear);
        Json json = withControlNets(R"(["22", 0])", R"(["7", 0])");
        json["3"]["inputs"]["cfg"] = cfg;
        json["3"]["inputs"]["sampler_name"] = sampler.toStdString();

        const ImportReport report = importedFrom(json.dump().c_str()).report;

        const bool isStated = std::ranges::any_of(report.near, [](const ReportEntry& entry) {
            return std::ranges::any_of(entry.why, [](const Message& why) {
                return why.str().find("\"control\" of node \"22\"") != std::string::npos;
            });
        });
        QCOMPARE(isStated, isNear);
    }

    /// Ours is given the images that a video begins and ends with.
    void whatTheImageEncoderSeesInstead_isNear_data() {
        const testing::Rows<QString, QString, bool> row("start", "end", "isNear");
        row("both images", R"(["32", 0])", R"(["33", 0])", false);
        row("the other one", R"(["33", 0])", R"(["33", 0])", true);
        row("the first alone", R"(["32", 0])", "", true);
        row("none", "", "", false);
    }

    void whatTheImageEncoderSeesInstead_isNear() {
        QFETCH(QString, start);
        QFETCH(QString, end);
        QFETCH(bool, isNear);
        const Json json = betweenTwoImages(start.toStdString(), end.toStdString());

        const Imported imported = importedFrom(json.dump().c_str());

        QCOMPARE(hasClass(imported.report.near, "WanFirstLastFrameToVideo"), isNear);
        QCOMPARE(imported.report.near.size(), isNear ? size_t{1} : size_t{0});
        QCOMPARE(sourceOf(imported.document, "34", "last"), std::string("31.image"));
    }

    void aVideoWithoutItsImagesInTheImageEncoder_isNear_whereItIsThereForAnother() {
        Json json = betweenTwoImages(R"(["32", 0])", R"(["33", 0])");
        json["44"] = json["34"];
        for (const char* name : {"clip_vision_start_image", "clip_vision_end_image"}) {
            json["34"]["inputs"].erase(name);
        }
        json["41"] = json["11"];
        json["41"]["inputs"]["latent_image"] = Json::array({"44", 2});

        const ImportReport report = importedFrom(json.dump().c_str()).report;

        QCOMPARE(report.near.size(), size_t{1});
        QCOMPARE(report.near.at(0).id, std::string("34"));
    }

    /// ComfyUI keeps the rest of an image where the latent has the mask.
    void aMaskThatOnlyThePromptsHaveIsNear_data() {
        const testing::Rows<QString, bool> row("latent", "isNear");
        row("the latent with the mask", R"(["12", 2])", false);
        row("another latent", R"(["5", 0])", true);
        row("another latent with it", R"(["13", 0])", false);
    }

    void aMaskThatOnlyThePromptsHaveIsNear() {
        QFETCH(QString, latent);
        QFETCH(bool, isNear);
        Json json = parsed(kTextToImage);
        json["10"] = parsed(R"({"class_type": "LoadImage", "inputs": {"image": "a.png"}})");
        json["12"] = parsed(
            R"({"class_type": "InpaintModelConditioning", "inputs": {"positive": ["6", 0], "negative": ["7", 0], "vae": ["4", 2],
                "pixels": ["10", 0], "mask": ["10", 1], "noise_mask": true}})");
        json["13"] = parsed(
            R"({"class_type": "SetLatentNoiseMask", "inputs": {"samples": ["5", 0], "mask": ["10", 1]}})");
        json["3"]["inputs"]["positive"] = Json::array({"12", 0});
        json["3"]["inputs"]["negative"] = Json::array({"12", 1});
        json["3"]["inputs"]["latent_image"] = parsed(latent.toStdString().c_str());

        const ImportReport report = importedFrom(json.dump().c_str()).report;

        QCOMPARE(hasClass(report.near, "KSampler"), isNear);
    }

    void aWireThatNothingTakesIsReported() {
        Json json = parsed(kTextToImage);
        json["9"] = parsed(
            R"({"class_type": "SaveVideo", "inputs": {"filename_prefix": "v", "video": ["20", 0]}})");
        json["20"] = parsed(
            R"({"class_type": "CreateVideo", "inputs": {"images": ["8", 0], "fps": 16, "audio": ["21", 0]}})");
        json["21"] = parsed(R"({"class_type": "LoadAudio", "inputs": {"audio": "a.mp3"}})");
        json["5"]["inputs"]["odd"] = Json::array({"4", 0});

        const ImportReport report = importedFrom(json.dump().c_str()).report;

        QVERIFY(hasClass(report.near, "CreateVideo"));
        QVERIFY(hasClass(report.near, "EmptyLatentImage"));
        QVERIFY(hasClass(report.exact, "KSampler"));
    }
};

LOWTIDE_TEST(ExactnessTest)

}  // namespace exactness_test

#include "exactness_test.moc"
