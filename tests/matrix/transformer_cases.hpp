#pragma once
// Graphs of the matrix with transformers for images: HiDream-I1's of experts behind four text
// encoders, Z-Image's of one stream, FLUX.1's of two.
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/matrix/matrix_case.hpp"

#include <string>
#include <vector>

namespace matrix_test {

/// The settings of a small run with a LoRA, and `more`; folders are those of the goldens and LoRA
/// files.
inline std::vector<std::string> loraSettings(const QString& goldens,
                                             const QString& loras,
                                             const std::string& checkpoint,
                                             const std::vector<std::string>& more) {
    std::vector<std::string> settings = {
        "load.checkpoint=" + goldens.toStdString() + "/checkpoints/" + checkpoint,
        "lora.file=" + loras.toStdString() + "/" + checkpoint + "/comfyui.safetensors",
        "latent.width=64",
        "latent.height=64",
        "denoise.steps=2",
        "denoise.cfg=4"};
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

/// With a LoRA in every run; all where there is time: an image that is no square, a step cache,
/// stored types.
inline void addTransformers(std::vector<Case>& cases) {
    namespace testing = lowtide::testing;
    const auto graph = [](const char* name) {
        const auto json = lowtide::parseJson(testing::exampleText(name), name);
        return QString::fromStdString(testing::withLora(json).dump());
    };
    const std::vector<std::string> stages = {"encode", "denoise", "decode"};
    const auto addFamily = [&](const std::string& what, const auto& settings) {
        cases.push_back({"LoRA on " + what, graph("text_to_image"), settings(0, {}), stages});
        if (!kIsFull) {
            return;
        }
        cases.push_back({what + ", no square",
                         graph("text_to_image"),
                         settings(1, {"latent.height=96", "denoise.sampler=unipc"}),
                         stages});
        cases.push_back({what + ", block cache",
                         graph("text_to_image_block_cache"),
                         settings(1,
                                  {"denoise.steps=5",
                                   "block_cache.gate=mask",
                                   "block_cache.mask=11010",
                                   "block_cache.warm_up=0",
                                   "block_cache.keep_last=0"}),
                         stages});
        for (const char* precision :
             {"balanced", "quality,storage=f8", "quality,storage=f8,compute=bf16"}) {
            cases.push_back({what + ", " + precision,
                             graph("text_to_image"),
                             settings(1, {"latent.batch=2"}),
                             stages,
                             precision});
        }
    };
    using More = std::vector<std::string>;
    addFamily("experts", [](int number, const More& more) {
        const std::string name = "hidream_" + std::to_string(number);
        return loraSettings(testing::hidreamGoldenFolder(),
                            testing::hidreamLoraFolder({QString::fromStdString(name)}),
                            name,
                            more);
    });
    addFamily("one stream", [](int number, const More& more) {
        const std::string name = "zimage_" + std::to_string(number);
        return loraSettings(testing::zimageGoldenFolder(),
                            testing::zimageLoraFolder({QString::fromStdString(name)}),
                            name,
                            more);
    });
    addFamily("two streams", [](int number, const More& more) {
        const std::string name = "flux_" + std::to_string(number);
        return loraSettings(testing::fluxGoldenFolder(),
                            testing::fluxLoraFolder({QString::fromStdString(name)}),
                            name,
                            more);
    });
}

}  // namespace matrix_test
