#include "nodes/load/loader.hpp"

namespace lowtide::nodes {

namespace {

std::vector<Field<models::LoadRequest>> loadCheckpointFields() {
    using Asked = models::LoadRequest;
    return {
        param(&Asked::checkpoint,
              {.id = "checkpoint",
               .label = "Checkpoint",
               .tooltip =
                   "One .safetensors, .gguf, .ckpt or .pth file, quantised or not, or a folder in "
                   "the diffusers layout, relative to the graph or to a model folder; builtin:mini "
                   "is the model that comes with Lowtide.",
               .kind = ParamKind::File}),
        param(
            &Asked::unet,
            {.id = "unet",
             .label = "Denoiser",
             .tooltip = "A file with another denoiser (UNet) of the checkpoint's family, quantised "
                        "or not: .gguf or .safetensors, as ComfyUI's diffusion models are; empty "
                        "takes the checkpoint's own.",
             .kind = ParamKind::File}),
        param(
            &Asked::vae,
            {.id = "vae",
             .label = "Autoencoder",
             .tooltip = "A file with another autoencoder (VAE); empty takes the checkpoint's own.",
             .kind = ParamKind::File}),
        param(&Asked::textEncoder4,
              {.id = "text_encoder_4",
               .label = "Fourth text encoder",
               .tooltip =
                   "A folder or file with the fourth text encoder (Llama 3.1 8B Instruct), for "
                   "checkpoints that lack it; empty takes the checkpoint's own.",
               .kind = ParamKind::File,
               .advanced = true}),
        choice(&Asked::prediction,
               {.id = "prediction",
                .label = "Prediction",
                .tooltip =
                    "What the denoiser was trained to predict. Some single files do not state it: "
                    "a wrong choice gives noise.",
                .advanced = true},
               {{"checkpoint", "As the checkpoint states", "checkpoint"},
                {"epsilon", "Noise (epsilon)", "epsilon"},
                {"v_prediction", "Velocity (v-prediction)", "v_prediction"}})};
}

}  // namespace

executor::NodeType loadCheckpointNode(Stages& stages) {
    using Asked = models::LoadRequest;
    return nodeOf<Asked>(
        stages,
        Loader<Asked>{
            .desc = {.id = "load.checkpoint",
                     .label = "Load checkpoint",
                     .category = "Load",
                     .tooltip = "Opens a model: text encoder, denoiser and autoencoder. Only "
                                "headers are read here; weights move when a stage uses them.",
                     .outputs = {{.id = "model",
                                  .label = "Model",
                                  .tooltip = "The networks of the checkpoint.",
                                  .type = "MODEL"}}},
            .fields = loadCheckpointFields(),
            .open = [](Stages& own, const Asked& asked, std::string_view graphFolder) {
                return LoadedModel{.model = own.loadCheckpoint(asked, graphFolder), .warnings = {}};
            }});
}

}  // namespace lowtide::nodes
