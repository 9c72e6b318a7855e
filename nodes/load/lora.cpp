#include "nodes/load/load_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

constexpr double kMostStrength = 100;
constexpr double kUsualStrength = 2;

ParamDesc strengthParam(const char* id, const char* label, const char* tooltip) {
    return {.id = id,
            .label = label,
            .tooltip = tooltip,
            .kind = ParamKind::Float,
            .defaultValue = 1.0,
            .min = -kMostStrength,
            .max = kMostStrength,
            .softMin = -kUsualStrength,
            .softMax = kUsualStrength,
            .step = 0.05};
}

NodeDesc describeLoadLora() {
    return {.id = "load.lora",
            .label = "Load LoRA",
            .category = "Load",
            .tooltip =
                "Changes a model by a LoRA or one of its kin (LoCon, LoHa, LoKr, DoRA, IA3, "
                "full differences). Only the header is read here.",
            .aliases = {"LoraLoader", "LoraLoaderModelOnly"},
            .inputs = {{.id = "model",
                        .label = "Model",
                        .tooltip = "The model to change; it stays as it is for other nodes.",
                        .type = "MODEL"}},
            .outputs = {{.id = "model",
                         .label = "Model",
                         .tooltip = "The changed model: connect it to Encode prompt and Denoise.",
                         .type = "MODEL"}},
            .params = {{.id = "file",
                        .label = "LoRA",
                        .tooltip = "A .safetensors, .pt or .bin file, relative to the graph or to "
                                   "a model folder.",
                        .kind = ParamKind::File,
                        .defaultValue = std::string()},
                       strengthParam("strength",
                                     "Strength",
                                     "How much the denoiser changes: 1 as trained, 0 not at all; "
                                     "below 0 it changes the other way."),
                       strengthParam(
                           "text_strength", "Text strength", "The same for the text encoders.")}};
}

models::LoadedAdapter loadedLora(models::Stages& stages,
                                 const executor::Params& params,
                                 const memory::WireRef& model,
                                 std::string_view graphFolder) {
    return stages.loadAdapter({.model = model,
                               .file = params.text("file"),
                               .strength = params.number("strength"),
                               .textStrength = params.number("text_strength")},
                              graphFolder);
}

executor::WorkOutline outlineLoadLora(models::Stages& stages,
                                      const executor::OutlineContext& context) {
    const executor::ValueOutline* model = context.input("model");
    models::LoadedAdapter loaded =
        loadedLora(stages, context, model ? model->value : nullptr, context.graphFolder());
    executor::WorkOutline outline{.issues = std::move(loaded.warnings)};
    outline.fingerprints = {stages.fingerprint(loaded.model)};
    outline.outputs = {{"model", {.type = "MODEL", .value = std::move(loaded.model)}}};
    return outline;
}

void runLoadLora(models::Stages& stages, executor::Context& context) {
    context.output(
        "model", loadedLora(stages, context, context.input("model"), context.graphFolder()).model);
}

}  // namespace

executor::NodeType loadLoraNode(models::Stages& stages) {
    executor::NodeType type =
        stageNode(stages, describeLoadLora(), outlineLoadLora, runLoadLora, "adapter load");
    type.collectAtRelease = "adapter unload";
    return type;
}

}  // namespace lowtide::nodes
