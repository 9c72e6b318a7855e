#pragma once
// The graphs of the matrix.

#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/matrix/adapter_cases.hpp"
#include "tests/matrix/matrix_case.hpp"
#include "tests/matrix/transformer_cases.hpp"
#include "tests/matrix/video_cases.hpp"

#include <QString>

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

inline const std::vector<const char*> kVariants =
    kIsFull ? std::vector{"sd15_0", "sd15_1", "sd15_2", "sd15_3", "sd15_4", "sd15_5"}
            : std::vector{"sd15_3"};

/// Weights that lie on the device in other types than the networks compute in.
inline void addStoredTypes(std::vector<Case>& cases) {
    for (const char* precision : {"quality,storage=file",
                                  "quality,storage=bf16",
                                  "quality,storage=f8",
                                  "quality,storage=f8,compute=bf16"}) {
        cases.push_back(
            {precision, "text_to_image", kSmall, {"encode", "denoise", "decode"}, precision});
    }
}

/// Steps that use a part of the denoiser: full, partial, partial, full, partial.
inline void addStepCaches(std::vector<Case>& cases) {
    cases.push_back({"DeepCache",
                     "text_to_image_deepcache",
                     with({"denoise.steps=5"}),
                     {"encode", "denoise", "decode"}});
    cases.push_back({"DeepCache, weights in f8",
                     "text_to_image_deepcache",
                     with({"denoise.steps=5", "deepcache.depth=4"}),
                     {"encode", "denoise", "decode"},
                     "quality,storage=f8"});
}

inline std::string image(const char* node, const char* name) {
    return std::string(node) +
           ".image=" + lowtide::testing::sourcePath("examples/pictures/").toStdString() + name;
}

/// Graphs that begin with an image file.
inline void addImages(std::vector<Case>& cases) {
    const std::vector<std::string> changed = {image("load_image", "dog.png"),
                                              "encode_image.tile=64",
                                              "denoise.steps=4",
                                              "denoise.strength=0.6",
                                              "denoise.sampler=euler_a"};
    cases.push_back({"image to image",
                     "image_to_image",
                     changed,
                     {"encode", "encode_image", "denoise", "decode"}});
    cases.push_back({"a photograph, fitted and repeated",
                     "photo_to_image",
                     {image("load_image", "dog_turned.jpg"), "fit.width=64", "denoise.steps=2"},
                     {"encode", "encode_image", "denoise", "decode"}});
    cases.push_back(
        {"inpainting and pasting back",
         "inpaint_paste_back",
         {image("load_image", "dog.png"), image("load_mask", "dog_mask.png"), "denoise.steps=2"},
         {"encode", "encode_image", "denoise", "decode"}});
    cases.push_back({"inpainting",
                     "inpaint",
                     {image("load_image", "dog.png"),
                      image("load_mask", "dog_mask.png"),
                      "denoise.steps=2",
                      "denoise.sampler=heun"},
                     {"encode", "encode_image", "denoise", "decode"}});
}

/// Graphs with files that the reference made.
inline void addGoldens(std::vector<Case>& cases) {
    cases.push_back({"inpainting with nine channels",
                     "inpaint_model",
                     {image("load_image", "dog_with_hole.png"),
                      "load.checkpoint=" + lowtide::testing::imageGoldenFolder().toStdString() +
                          "/checkpoints/inpaint_3",
                      "denoise.steps=2",
                      "denoise.sampler=ddim"},
                     {"encode", "encode_image", "encode_masked", "denoise", "decode"}});
    cases.push_back(
        {"text to image + ESRGAN tiled",
         "upscale_esrgan",
         with({"latent.batch=2",
               "upscale.tile=48",
               "upscale.overlap=16",
               "load_upscaler.upscaler=" + lowtide::testing::upscaleGoldenFolder().toStdString() +
                   "/upscalers/esrgan_1/esrgan_basicsr.safetensors"}),
         {"encode", "denoise", "decode", "upscale"}});
    // Two files; the cpu reads the denoiser in place and copies the others, which are converted.
    cases.push_back(
        {"mixed precisions and files",
         "upscale_esrgan",
         with({"load.checkpoint=" + lowtide::testing::goldenFolder().toStdString() +
                   "/checkpoints/sd15_3",
               "upscale.tile=48",
               "upscale.overlap=16",
               "load_upscaler.upscaler=" + lowtide::testing::upscaleGoldenFolder().toStdString() +
                   "/upscalers/esrgan_1/esrgan_basicsr.safetensors"}),
         {"encode", "denoise", "decode", "upscale"},
         {},
         {"encode=quality,storage=f8", "decode=quality,storage=bf16"}});
    // Two text encoders in one node, of which one node's policy moves both.
    for (const char* variant :
         kIsFull ? std::vector{"sdxl_0", "sdxl_1", "playground_1"} : std::vector{"sdxl_1"}) {
        cases.push_back(
            {variant,
             "text_to_image",
             with({"load.checkpoint=" + lowtide::testing::sdxlGoldenFolder().toStdString() +
                       "/checkpoints/" + variant,
                   "denoise.sampler=dpmpp_2m"}),
             {"encode", "denoise", "decode"}});
    }
    // Files in f32, which the cpu reads in place, and widths that are no multiples of a slot.
    for (const char* variant : kVariants) {
        const std::string folder = lowtide::testing::goldenFolder().toStdString() + "/checkpoints/";
        cases.push_back({variant,
                         "text_to_image",
                         with({"load.checkpoint=" + folder + variant}),
                         {"encode", "denoise", "decode"}});
    }
}

inline std::vector<Case> cases() {
    std::vector<Case> cases = {
        {"text to image", "text_to_image", kSmall, {"encode", "denoise", "decode"}},
        {"batch of 2", "text_to_image", with({"latent.batch=2"}), {"encode", "denoise", "decode"}},
        {"tiled decode",
         "text_to_image",
         with({"latent.width=128", "decode.tile=64"}),
         {"encode", "denoise", "decode"}},
        {"two passes over one denoiser",
         "two_passes",
         with({"denoise.steps=3", "denoise.end_step=2", "refine.steps=3", "refine.start_step=2"}),
         {"encode", "denoise", "refine", "decode"}},
        {"two passes of two sizes, own seeds",
         "hires",
         with({"latent.batch=2",
               "denoise.batch_seeds=each",
               "upscale.scale=1.5",
               "refine.batch_seeds=each",
               "refine.steps=3",
               "refine.sampler=euler_a"}),
         {"encode", "denoise", "refine", "decode"}},
        {"two passes over pixels",
         "hires_pixels",
         with({"latent.width=32",
               "latent.height=32",
               "enlarge.scale=1.5",
               "refine.steps=2",
               "refine.sampler=euler_a"}),
         {"encode", "denoise", "decode_first", "encode_image", "refine", "decode"}},
        {"speed, then finish",
         "speed_then_finish",
         with({"latent.width=32",
               "latent.height=32",
               "detail.tile=32",
               "detail.overlap=8",
               "detail.steps=4",
               "detail.sampler=euler_a"}),
         {"encode", "denoise", "decode", "detail"}},
        {"several prompts",
         "several_prompts",
         with({"area.width=32"}),
         {"encode", "encode_area", "denoise", "decode"}}};
    addImages(cases);
    addStoredTypes(cases);
    addStepCaches(cases);
    if (lowtide::testing::hasGoldens()) {
        addGoldens(cases);
        addLoras(cases);
        addQuantised(cases);
        addAdapters(cases);
        addControls(cases);
        addVideos(cases);
        addTransformers(cases);
    }
    return cases;
}

}  // namespace matrix_test
