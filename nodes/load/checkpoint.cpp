#include "nodes/engine/stages.hpp"
#include "nodes/load/load_nodes.hpp"
#include "nodes/stage_call.hpp"
#include "plugin/executor/node.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeLoadCheckpoint() {
    return {
        .id = "load.checkpoint",
        .label = "Load checkpoint",
        .category = "Load",
        .tooltip =
            "Opens a model: text encoder, denoiser and autoencoder. Only headers are read here; "
            "weights "
            "move when a stage uses them.",
        .outputs = {{.id = "model",
                     .label = "Model",
                     .tooltip = "The networks of the checkpoint.",
                     .type = "MODEL"}},
        .params = {
            {.id = "checkpoint",
             .label = "Checkpoint",
             .tooltip =
                 "One .safetensors, .gguf, .ckpt or .pth file, quantised or not, or a folder in "
                 "the diffusers layout, relative to the graph or to a model folder; builtin:mini "
                 "is the model that comes with Lowtide.",
             .kind = ParamKind::File,
             .defaultValue = std::string("builtin:mini")},
            {.id = "unet",
             .label = "Denoiser",
             .tooltip = "A file with another denoiser (UNet) of the checkpoint's family, quantised "
                        "or not: .gguf or .safetensors, as ComfyUI's diffusion models are; empty "
                        "takes the checkpoint's own.",
             .kind = ParamKind::File,
             .defaultValue = std::string()},
            {.id = "vae",
             .label = "Autoencoder",
             .tooltip = "A file with another autoencoder (VAE); empty takes the checkpoint's own.",
             .kind = ParamKind::File,
             .defaultValue = std::string()},
            {.id = "text_encoder_4",
             .label = "Fourth text encoder",
             .tooltip =
                 "A folder or file with the fourth text encoder (Llama 3.1 8B Instruct), for "
                 "checkpoints that lack it; empty takes the checkpoint's own.",
             .kind = ParamKind::File,
             .defaultValue = std::string(),
             .advanced = true},
            {.id = "prediction",
             .label = "Prediction",
             .tooltip =
                 "What the denoiser was trained to predict. Some single files do not say it: "
                 "a wrong choice gives noise.",
             .kind = ParamKind::Choice,
             .defaultValue = std::string("checkpoint"),
             .choices = {{"checkpoint", "As the checkpoint says"},
                         {"epsilon", "Noise (epsilon)"},
                         {"v_prediction", "Velocity (v-prediction)"}},
             .advanced = true}}};
}

}  // namespace

std::vector<executor::NodeType> load(Stages& stages) {
    const auto open = [&stages](const executor::Params& params, std::string_view graphFolder) {
        return stages.loadCheckpoint({.checkpoint = params.text("checkpoint"),
                                      .unet = params.text("unet"),
                                      .vae = params.text("vae"),
                                      .textEncoder4 = params.text("text_encoder_4"),
                                      .prediction = params.text("prediction")},
                                     graphFolder);
    };
    std::vector<executor::NodeType> types = {
        {.desc = describeLoadCheckpoint(),
         .outline =
             [&stages, open](const executor::OutlineContext& context) {
                 return loadedOutline(
                     stages, "model", "MODEL", open(context, context.graphFolder()));
             },
         .run =
             [open](executor::Context& context) {
                 context.output("model", open(context, context.graphFolder()));
             }}};
    for (executor::NodeType& type : loadDiffusionModelNodes(stages)) {
        types.push_back(std::move(type));
    }
    for (const executor::NodeType& type : {loadLoraNode(stages),
                                           loadLoraStackNode(stages),
                                           loadUpscalerNode(stages),
                                           loadControlNetNode(stages),
                                           loadIpAdapterNode(stages),
                                           loadImageNode(stages),
                                           loadVideoNode(stages)}) {
        types.push_back(type);
    }
    return types;
}

}  // namespace lowtide::nodes
