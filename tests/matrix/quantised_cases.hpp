#pragma once
// Graphs of the matrix whose checkpoints are quantised files.
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/matrix/matrix_case.hpp"

#include <string>
#include <vector>

namespace matrix_test {

/// Decoded when they arrive, and held as they are: with a LoRA, and with steps that use a part of
/// the denoiser. One of them in every run, all where there is time.
inline void addQuantised(std::vector<Case>& cases) {
    namespace testing = lowtide::testing;
    const std::string lora = "lora.file=" + testing::loraGoldenFolder().toStdString() +
                             "/lora/sd15_1_1/kohya.safetensors";
    const std::vector<std::string> stages = {"encode", "denoise", "decode"};
    const std::string asInFile = "quality,storage=file";
    QStringList files = {"q5_1.gguf"};
    if (kIsFull) {
        files = {std::begin(testing::kQuantisedFiles), std::end(testing::kQuantisedFiles)};
    }
    const std::string folder = testing::quantisedFolder("sd15_1", files).toStdString() + "/";
    for (const QString& name : files) {
        const std::string file = name.toStdString();
        const std::string checkpoint = "load.checkpoint=" + folder + file;
        cases.push_back(
            {"LoRA, " + file + " held", "lora", with({checkpoint, lora}), stages, asInFile});
        if (!kIsFull) {
            continue;
        }
        cases.push_back({"LoRA, " + file + " decoded once",
                         "lora",
                         with({checkpoint, lora}),
                         stages,
                         "quality,storage=f32"});
        cases.push_back({"DeepCache, " + file + " held",
                         "text_to_image_deepcache",
                         with({checkpoint, "denoise.steps=5"}),
                         stages,
                         asInFile});
    }
}

}  // namespace matrix_test
