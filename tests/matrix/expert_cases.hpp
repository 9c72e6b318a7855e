#pragma once
// Graphs of the matrix with four text encoders and a transformer of experts.
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/matrix/matrix_case.hpp"

#include <string>
#include <vector>

namespace matrix_test {

/// HiDream-I1: with a LoRA on its experts in every run; all where there is time: a picture that is
/// filled up, a step cache, stored types.
inline void addExperts(std::vector<Case>& cases) {
    namespace testing = lowtide::testing;
    const std::string goldens = testing::hidreamGoldenFolder().toStdString();
    const auto graph = [](const char* name) {
        const auto json = lowtide::parseJson(testing::exampleText(name), name);
        return QString::fromStdString(testing::withLora(json).dump());
    };
    const auto ofHiDream = [&](const std::string& checkpoint, std::vector<std::string> more) {
        more.insert(
            more.begin(),
            {"load.checkpoint=" + goldens + "/checkpoints/" + checkpoint,
             "lora.file=" +
                 testing::hidreamLoraFolder({QString::fromStdString(checkpoint)}).toStdString() +
                 "/" + checkpoint + "/comfyui.safetensors",
             "latent.width=64",
             "latent.height=64",
             "denoise.steps=2",
             "denoise.cfg=4"});
        return more;
    };
    const std::vector<std::string> stages = {"encode", "denoise", "decode"};
    cases.push_back(
        {"LoRA on experts", graph("text_to_image"), ofHiDream("hidream_0", {}), stages});
    if (!kIsWhole) {
        return;
    }
    cases.push_back({"experts, no square",
                     graph("text_to_image"),
                     ofHiDream("hidream_1", {"latent.height=96", "denoise.sampler=unipc"}),
                     stages});
    cases.push_back({"experts, block cache",
                     graph("text_to_image_block_cache"),
                     ofHiDream("hidream_1",
                               {"denoise.steps=5",
                                "block_cache.gate=mask",
                                "block_cache.mask=11010",
                                "block_cache.warm_up=0",
                                "block_cache.keep_last=0"}),
                     stages});
    for (const char* precision :
         {"balanced", "quality,storage=f8", "quality,storage=f8,compute=bf16"}) {
        cases.push_back({std::string("experts, ") + precision,
                         graph("text_to_image"),
                         ofHiDream("hidream_1", {"latent.batch=2"}),
                         stages,
                         precision});
    }
}

}  // namespace matrix_test
