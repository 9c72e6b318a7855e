#pragma once
// Our nodes as far as tests of imports use them.

#include "plugin/graph/catalog.hpp"

#include <string>
#include <utility>
#include <vector>

namespace lowtide::interop {

inline PortDesc importPort(const char* id, const char* type, bool isOptional = false) {
    return {.id = id, .type = type, .optional = isOptional};
}

inline ParamDesc importParam(const char* id, ParamKind kind, Scalar defaultValue) {
    return {.id = id, .label = id, .kind = kind, .defaultValue = std::move(defaultValue)};
}

/// A row of LoRAs.
inline void addLoraRow(const std::string& number, std::vector<ParamDesc>& params) {
    params.push_back(importParam(("use_" + number).c_str(), ParamKind::Bool, true));
    params.push_back(importParam(("file_" + number).c_str(), ParamKind::File, std::string()));
    params.push_back(importParam(("strength_" + number).c_str(), ParamKind::Float, 1.0));
    params.push_back(importParam(("text_strength_" + number).c_str(), ParamKind::Float, 1.0));
    params.push_back(
        importParam(("expert_" + number).c_str(), ParamKind::Text, std::string("both")));
}

/// As far as the tests use them, with the ids that the product's have.
inline std::vector<NodeDesc> importedNodes() {
    ParamDesc sampler = importParam("sampler", ParamKind::Choice, std::string("euler"));
    sampler.choices = {{"checkpoint", "Checkpoint"},
                       {"euler", "Euler"},
                       {"euler_a", "Euler a"},
                       {"dpmpp_2m", "DPM++ 2M"},
                       {"dpmpp_2m_sde", "DPM++ 2M SDE"},
                       {"dpm_adaptive", "DPM adaptive"},
                       {"unipc", "UniPC"}};
    ParamDesc schedule = importParam("schedule", ParamKind::Choice, std::string("automatic"));
    schedule.choices = {{"automatic", "Automatic"},
                        {"normal", "Normal"},
                        {"karras", "Karras"},
                        {"simple", "Simple"}};
    ParamDesc noise = importParam("noise", ParamKind::Choice, std::string("diffusers"));
    noise.choices = {{"diffusers", "diffusers"}, {"comfyui", "ComfyUI"}};
    ParamDesc weights = importParam("weights", ParamKind::Choice, std::string("a1111"));
    weights.choices = {{"a1111", "A1111"}, {"compel", "Compel"}};
    ParamDesc rotation = importParam("rotation", ParamKind::Choice, std::string("none"));
    rotation.choices = {{"none", "None"}, {"right", "Right"}, {"half", "Half"}, {"left", "Left"}};
    ParamDesc flip = importParam("flip", ParamKind::Choice, std::string("none"));
    flip.choices = {{"none", "None"}, {"horizontal", "Horizontal"}, {"vertical", "Vertical"}};
    ParamDesc clipSkip = importParam("clip_skip", ParamKind::Int, int64_t{-1});
    clipSkip.min = -1;
    ParamDesc by = importParam("by", ParamKind::Choice, std::string("scale"));
    by.choices = {{"scale", "Scale"}, {"size", "Width and height"}};
    ParamDesc steps = importParam("steps", ParamKind::Int, int64_t{20});
    steps.min = 1;
    steps.max = 1000;
    std::vector<ParamDesc> loras;
    for (const char* number : {"1", "2", "3"}) {
        addLoraRow(number, loras);
    }
    return {
        {.id = "load.checkpoint",
         .outputs = {importPort("model", "MODEL")},
         .params = {importParam("checkpoint", ParamKind::File, std::string()),
                    importParam("unet", ParamKind::File, std::string()),
                    importParam("vae", ParamKind::File, std::string())}},
        {.id = "load.diffusion_model",
         .inputs = {importPort("text_encoder", "TEXT_ENCODER", true),
                    importPort("autoencoder", "AUTOENCODER", true),
                    importPort("image_encoder", "IMAGE_ENCODER", true)},
         .outputs = {importPort("model", "MODEL")},
         .params = {importParam("file", ParamKind::File, std::string()),
                    importParam("low_noise", ParamKind::File, std::string())}},
        {.id = "load.text_encoder",
         .outputs = {importPort("text_encoder", "TEXT_ENCODER")},
         .params = {importParam("file", ParamKind::File, std::string())}},
        {.id = "load.autoencoder",
         .outputs = {importPort("autoencoder", "AUTOENCODER")},
         .params = {importParam("file", ParamKind::File, std::string())}},
        {.id = "load.image_encoder",
         .outputs = {importPort("image_encoder", "IMAGE_ENCODER")},
         .params = {importParam("file", ParamKind::File, std::string())}},
        {.id = "encode.video_start",
         .inputs = {importPort("model", "MODEL"),
                    importPort("image", "IMAGE"),
                    importPort("last", "IMAGE", true)},
         .outputs = {importPort("latent", "LATENT")},
         .params = {importParam("width", ParamKind::Int, int64_t{832}),
                    importParam("height", ParamKind::Int, int64_t{480}),
                    importParam("frames", ParamKind::Int, int64_t{81}),
                    importParam("fit", ParamKind::Text, std::string("crop"))}},
        {.id = "load.lora",
         .inputs = {importPort("model", "MODEL")},
         .outputs = {importPort("model", "MODEL")},
         .params = {importParam("file", ParamKind::File, std::string()),
                    importParam("strength", ParamKind::Float, 1.0),
                    importParam("text_strength", ParamKind::Float, 1.0),
                    importParam("expert", ParamKind::Text, std::string("both"))}},
        {.id = "load.lora_stack",
         .inputs = {importPort("model", "MODEL")},
         .outputs = {importPort("model", "MODEL")},
         .params = loras},
        {.id = "load.image",
         .outputs = {importPort("image", "IMAGE"), importPort("mask", "MASK")},
         .params = {importParam("image", ParamKind::File, std::string())}},
        {.id = "image.rotate",
         .inputs = {importPort("image", "IMAGE")},
         .outputs = {importPort("image", "IMAGE")},
         .params = {rotation, flip}},
        {.id = "prompt.encode",
         .inputs = {importPort("model", "MODEL")},
         .outputs = {importPort("positive", "CONDITIONING"),
                     importPort("negative", "CONDITIONING")},
         .params = {importParam("prompt", ParamKind::Text, std::string()),
                    importParam("negative", ParamKind::Text, std::string()),
                    clipSkip,
                    importParam("negative_2", ParamKind::Text, std::string()),
                    importParam("encode_empty", ParamKind::Bool, false),
                    importParam("loras", ParamKind::Bool, false),
                    importParam("guidance", ParamKind::Float, 3.5),
                    weights}},
        {.id = "conditioning.combine",
         .inputs = {importPort("first", "CONDITIONING"), importPort("second", "CONDITIONING")},
         .outputs = {importPort("conditioning", "CONDITIONING")}},
        {.id = "conditioning.concat",
         .inputs = {importPort("first", "CONDITIONING"), importPort("second", "CONDITIONING")},
         .outputs = {importPort("conditioning", "CONDITIONING")}},
        {.id = "conditioning.time_range",
         .inputs = {importPort("conditioning", "CONDITIONING")},
         .outputs = {importPort("conditioning", "CONDITIONING")},
         .params = {importParam("start", ParamKind::Float, 0.0),
                    importParam("end", ParamKind::Float, 1.0)}},
        {.id = "encode.image",
         .inputs = {importPort("model", "MODEL"),
                    importPort("image", "IMAGE"),
                    importPort("mask", "MASK", true)},
         .outputs = {importPort("latent", "LATENT")},
         .params = {importParam("tile", ParamKind::Int, int64_t{0}),
                    importParam("sampling", ParamKind::Text, std::string("sample"))}},
        {.id = "image.fit",
         .inputs = {importPort("image", "IMAGE"), importPort("model", "MODEL", true)},
         .outputs = {importPort("image", "IMAGE"), importPort("mask", "MASK")},
         .params = {importParam("width", ParamKind::Int, int64_t{0}),
                    importParam("height", ParamKind::Int, int64_t{0}),
                    importParam("multiple", ParamKind::Int, int64_t{1}),
                    importParam("mode", ParamKind::Text, std::string("crop")),
                    importParam("method", ParamKind::Text, std::string("lanczos"))}},
        {.id = "latent.empty",
         .outputs = {importPort("latent", "LATENT")},
         .params = {importParam("width", ParamKind::Int, int64_t{512}),
                    importParam("height", ParamKind::Int, int64_t{512}),
                    importParam("batch", ParamKind::Int, int64_t{1})}},
        {.id = "latent.upscale",
         .inputs = {importPort("latent", "LATENT"), importPort("model", "MODEL", true)},
         .outputs = {importPort("latent", "LATENT")},
         .params = {importParam("method", ParamKind::Text, std::string("bislerp")),
                    by,
                    importParam("scale", ParamKind::Float, 2.0),
                    importParam("width", ParamKind::Int, int64_t{0}),
                    importParam("height", ParamKind::Int, int64_t{0})}},
        {.id = "control.apply",
         .inputs = {importPort("image", "IMAGE"),
                    importPort("controlnet", "CONTROLNET"),
                    importPort("control", "CONTROL", true)},
         .outputs = {importPort("control", "CONTROL")},
         .params = {importParam("strength", ParamKind::Float, 1.0),
                    importParam("start", ParamKind::Float, 0.0),
                    importParam("end", ParamKind::Float, 1.0)}},
        {.id = "load.controlnet",
         .outputs = {importPort("controlnet", "CONTROLNET")},
         .params = {importParam("controlnet", ParamKind::File, std::string())}},
        {.id = "denoise.sample",
         .inputs = {importPort("model", "MODEL"),
                    importPort("positive", "CONDITIONING"),
                    importPort("negative", "CONDITIONING", true),
                    importPort("latent", "LATENT"),
                    importPort("mask", "MASK", true),
                    importPort("masked", "LATENT", true),
                    importPort("control", "CONTROL", true)},
         .outputs = {importPort("latent", "LATENT")},
         .params = {steps,
                    importParam("cfg", ParamKind::Float, 7.5),
                    importParam("seed", ParamKind::Seed, int64_t{0}),
                    importParam("strength", ParamKind::Float, 1.0),
                    importParam("start_step", ParamKind::Int, int64_t{0}),
                    importParam("end_step", ParamKind::Int, int64_t{-1}),
                    importParam("start_at", ParamKind::Float, 0.0),
                    importParam("end_at", ParamKind::Float, 1.0),
                    importParam("add_noise", ParamKind::Bool, true),
                    importParam("keep_noise", ParamKind::Bool, false),
                    importParam("shift", ParamKind::Float, 0.0),
                    importParam("cfg_2", ParamKind::Float, 0.0),
                    importParam("boundary", ParamKind::Float, 0.0),
                    sampler,
                    schedule,
                    noise}},
        {.id = "decode.image",
         .inputs = {importPort("model", "MODEL"), importPort("latent", "LATENT")},
         .outputs = {importPort("image", "IMAGE")}},
        {.id = "image.sharpen",
         .label = "Sharpen",
         .inputs = {importPort("image", "IMAGE")},
         .outputs = {importPort("image", "IMAGE")}},
        {.id = "save.video",
         .output = true,
         .inputs = {importPort("image", "IMAGE")},
         .params = {importParam("prefix", ParamKind::Text, std::string("lowtide")),
                    importParam("format", ParamKind::Text, std::string("mp4")),
                    importParam("rate", ParamKind::Float, 0.0)}},
        {.id = "save.image",
         .output = true,
         .inputs = {importPort("image", "IMAGE")},
         .params = {importParam("prefix", ParamKind::Text, std::string("lowtide"))}},
    };
}

inline const graph::Catalog& importCatalog() {
    static const graph::Catalog catalog(importedNodes());
    return catalog;
}

}  // namespace lowtide::interop
