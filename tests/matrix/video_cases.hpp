#pragma once
// Graphs of the matrix that make videos.
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/matrix/matrix_case.hpp"

#include <string>
#include <vector>

namespace matrix_test {

inline std::vector<std::string> ofVideo(std::vector<std::string> more) {
    more.insert(more.begin(),
                {"video.width=64",
                 "video.height=48",
                 "video.frames=5",
                 "denoise.steps=2",
                 "save_video.format=png"});
    return more;
}

/// WAN's networks: text or an image to video, with a LoRA, from a folder or a file for each; one
/// of them in every run, all where there is time.
inline void addVideos(std::vector<Case>& cases) {
    namespace testing = lowtide::testing;
    const std::string goldens = testing::wanGoldenFolder().toStdString();
    const auto folder = [&](const char* name) {
        return "load.checkpoint=" + goldens + "/checkpoints/" + name;
    };
    const auto graph = [](const char* name) {
        const auto json = lowtide::parseJson(testing::exampleText(name), name);
        return QString::fromStdString(testing::withLora(json).dump());
    };
    const auto lora = [](const QString& name) {
        return "lora.file=" + testing::wanLoraFolder({name}).toStdString() + "/" +
               name.toStdString() + "/comfyui.safetensors";
    };
    const std::vector<std::string> stages = {"encode", "denoise", "decode"};
    const std::vector<std::string> withImage = {"encode", "video", "denoise", "decode"};
    const std::string image = "load_image.image=" + goldens + "/images/init.png";
    cases.push_back({"LoRA, image to video",
                     graph("image_to_video"),
                     ofVideo({folder("wan_i2v_0"), image, lora("wan_i2v_0")}),
                     withImage});
    if (!kIsFull) {
        return;
    }
    cases.push_back(
        {"first and last to video",
         "first_and_last_to_video",
         ofVideo(
             {folder("wan_flf_0"), image, "load_last.image=" + goldens + "/images/portrait.png"}),
         withImage});
    for (const std::string steps : {"block_cache.mask=1010", "block_cache.mask=1111"}) {
        cases.push_back({"two noise models, LoRA, " + steps,
                         graph("text_to_video_block_cache"),
                         ofVideo({folder("wan22_t2v_0"),
                                  lora("wan22_t2v_0"),
                                  "denoise.steps=4",
                                  "denoise.shift=3",
                                  "denoise.cfg=3.5",
                                  "denoise.cfg_2=1",
                                  "block_cache.gate=mask",
                                  "block_cache.warm_up=0",
                                  "block_cache.keep_last=0",
                                  steps}),
                         stages});
    }
    cases.push_back({"text to video in tiles",
                     "text_to_video",
                     ofVideo({folder("wan_t2v_1"), "decode.tile=64", "denoise.sampler=heun"}),
                     stages});
    cases.push_back({"block cache, text to video",
                     "text_to_video_block_cache",
                     ofVideo({folder("wan_t2v_0"),
                              "denoise.steps=5",
                              "block_cache.gate=mask",
                              "block_cache.mask=11010",
                              "block_cache.warm_up=0",
                              "block_cache.keep_last=0"}),
                     stages});
    cases.push_back({"image to video in tiles",
                     "image_to_video",
                     ofVideo({folder("wan_i2v_1"), image, "video.tile=32", "decode.tile=32"}),
                     withImage});
    const std::string files = testing::splitFileFolder({"wan_t2v_0"}).toStdString() + "/wan_t2v_0/";
    for (const char* file : {"diffusion_model_fp8.safetensors", "diffusion_model_q4_k.gguf"}) {
        for (const char* precision : {"", "quality,storage=file"}) {
            cases.push_back({std::string("LoRA, ") + file + " " + precision,
                             graph("text_to_video_files"),
                             ofVideo({"load.file=" + files + file,
                                      "text_encoder.file=" + files + "text_encoder.safetensors",
                                      "autoencoder.file=" + files + "autoencoder.safetensors",
                                      lora("wan_t2v_0")}),
                             stages,
                             precision});
        }
    }
}

}  // namespace matrix_test
