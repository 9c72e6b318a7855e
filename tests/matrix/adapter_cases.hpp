#pragma once
// Graphs of the matrix with what is added to a checkpoint.
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/matrix/matrix_case.hpp"

#include <string>
#include <vector>

namespace matrix_test {

/// Networks that read hints next to the denoiser: one, two of them, one that is run in some steps
/// alone, and one that reads its hint once.
inline void addControls(std::vector<Case>& cases) {
    const std::string folder = lowtide::testing::controlGoldenFolder().toStdString();
    const auto net = [&](const char* node, const char* name) {
        return std::string(node) + ".controlnet=" + folder + "/controlnet/" + name;
    };
    const auto hint = [&](const char* node, const char* name) {
        return std::string(node) + ".image=" + folder + "/images/" + name;
    };
    const std::string sd2 = "load.checkpoint=" + folder + "/checkpoints/sd15_1";
    const std::string xl = "load.checkpoint=" + folder + "/checkpoints/sdxl_1";
    const std::vector<std::string> stages = {"encode", "denoise", "decode"};
    const std::vector<std::string> one =
        with({sd2, net("load_control", "sd15_1_1"), hint("load_hint", "odd_lines.png")});
    cases.push_back(
        {"ControlNet", "controlnet", one, {"encode", "denoise", "denoise.controlnet", "decode"}});
    for (const char* precision : {"quality,storage=f8", "quality,storage=bf16,compute=bf16"}) {
        cases.push_back(
            {std::string("ControlNet, ") + precision, "controlnet", one, stages, precision});
    }
    cases.push_back({"two ControlNets",
                     "two_controlnets",
                     with({xl,
                           "latent.batch=2",
                           "denoise.steps=3",
                           net("load_control", "sdxl_1_0"),
                           net("load_second", "sdxl_1_1"),
                           hint("load_hint", "lines.png"),
                           hint("second_hint", "large.png"),
                           "control.mode=guess",
                           "second.start=0.3"}),
                     {"encode", "denoise", "denoise.controlnet_2", "decode"}});
    cases.push_back(
        {"T2I-Adapter",
         "controlnet",
         with({xl, net("load_control", "sdxl_1_full_adapter_xl"), hint("load_hint", "lines.png")}),
         stages});
}

/// As they are on the device: one in every run, all of them where there is time.
inline const std::vector<std::string> kStorages =
    kIsFull ? std::vector<std::string>{"quality,storage=f8",
                                       "quality,storage=f16",
                                       "quality,storage=bf16,compute=bf16",
                                       ""}
            : std::vector<std::string>{"quality,storage=f8"};

inline QString edited(const lowtide::Json& graph) {
    return QString::fromStdString(graph.dump());
}

/// One LoRA, two sets of one checkpoint in one graph, and one with a ControlNet and an embedding.
inline void addLoras(std::vector<Case>& cases) {
    namespace testing = lowtide::testing;
    const auto graph = [](const char* name) {
        return lowtide::parseJson(testing::exampleText(name), "graph");
    };
    const std::string loras = testing::loraGoldenFolder().toStdString() + "/lora/sd15_0_0/";
    const std::string control = testing::controlGoldenFolder().toStdString();
    const std::string words = testing::embeddingGoldenFolder().toStdString();
    const std::string lora = "lora.file=" + loras + "kohya.safetensors";
    const std::string checkpoint = "load.checkpoint=" + words + "/checkpoints/sd15_0";
    const QString twoSets = edited(testing::withCopies(graph("lora"),
                                                       {{"lora", "lora_b"},
                                                        {"encode", "encode_b"},
                                                        {"denoise", "denoise_b"},
                                                        {"decode", "decode_b"},
                                                        {"save", "save_b"}}));
    for (const std::string& precision : kStorages) {
        cases.push_back({"LoRA " + precision,
                         "lora",
                         with({checkpoint, lora, "lora.strength=0.8"}),
                         {"encode", "denoise", "decode"},
                         precision});
        cases.push_back({"two sets of LoRAs " + precision,
                         twoSets,
                         with({checkpoint,
                               lora,
                               "lora_b.file=" + loras + "old_processor.safetensors",
                               "denoise_b.steps=2",
                               "denoise_b.sampler=euler_a"}),
                         {"encode", "denoise", "decode", "encode_b", "denoise_b", "decode_b"},
                         precision});
        cases.push_back({"LoRA, ControlNet and embedding " + precision,
                         edited(testing::withLora(graph("controlnet"))),
                         with({checkpoint,
                               lora,
                               "encode.prompt=a (embedding:batch/ink-style:1.2) cat",
                               "load_control.controlnet=" + control + "/controlnet/sd15_0_0",
                               "load_hint.image=" + control + "/images/lines.png"}),
                         {"encode", "denoise", "decode"},
                         precision});
    }
}

inline void addAdapters(std::vector<Case>& cases) {
    // Vectors in the place of token rows, under a text encoder with changed weights.
    cases.push_back(
        {"an embedding and a LoRA of the prompt",
         "text_to_image",
         with({"load.checkpoint=" + lowtide::testing::embeddingGoldenFolder().toStdString() +
                   "/checkpoints/sd15_0",
               "encode.loras=true",
               "encode.prompt=a (embedding:batch/ink-style:1.2) cat<lora:" +
                   lowtide::testing::loraGoldenFolder().toStdString() + "/lora/sd15_0_0/kohya:0.8>",
               "encode.negative=embedding:batch/bad-look"}),
         {"encode", "denoise", "decode"}});
    // A second network makes tokens of an image; its adapter's layers stream with the denoiser.
    const std::string ip = lowtide::testing::ipGoldenFolder().toStdString();
    for (const char* precision : {"", "quality,storage=f8"}) {
        cases.push_back(
            {std::string("IP-Adapter Plus ") + precision,
             "ip_adapter",
             with({"load.checkpoint=" + ip + "/checkpoints/sd15_0",
                   "load_ip.adapter=" + ip + "/ip/sd15_0_1/ip-adapter-plus_sd15.safetensors",
                   "load_reference.image=" + ip + "/images/odd.png"}),
             {"encode", "ip", "denoise", "decode"},
             precision});
    }
}

}  // namespace matrix_test
