#pragma once
// Graphs of the matrix whose checkpoints are quantised files.
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/matrix/matrix_case.hpp"

#include <string>
#include <vector>

namespace matrix_test {

/// Decoded when they arrive, and held as they are: with a LoRA, and with steps that use a part of
/// the denoiser. One of them in every run, all where there is time.
inline void addQuantised(std::vector<Case>& cases) {
    namespace testing = lowtide::testing;
    const std::string folder = testing::quantisedFileFolder().toStdString() + "/";
    const std::string lora = "lora.file=" + testing::loraGoldenFolder().toStdString() +
                             "/lora/sd15_0_0/kohya.safetensors";
    const std::vector<std::string> stages = {"encode", "denoise", "decode"};
    const std::string asInFile = "quality,storage=file";
    const auto files = kIsWhole ? std::vector{"q5_1.gguf", "fp8.safetensors", "nvfp4.safetensors"}
                                : std::vector{"q5_1.gguf"};
    for (const std::string file : files) {
        const std::string checkpoint = "load.checkpoint=" + folder + file;
        cases.push_back(
            {"LoRA, " + file + " held", "lora", with({checkpoint, lora}), stages, asInFile});
        if (!kIsWhole) {
            continue;
        }
        cases.push_back({"LoRA, " + file, "lora", with({checkpoint, lora}), stages});
        cases.push_back({"DeepCache, " + file + " held",
                         "text_to_image_deepcache",
                         with({checkpoint, "denoise.steps=5"}),
                         stages,
                         asInFile});
    }
}

}  // namespace matrix_test
