#include "nodes/load/lora_params.hpp"

#include "nodes/load/loader.hpp"
#include "plugin/base/error.hpp"

#include <utility>

namespace lowtide::nodes {

namespace {

constexpr double kMostStrength = 100;
constexpr double kUsualStrength = 2;

ParamDesc strengthParam(std::string id, std::string label, const char* tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = tooltip,
            .kind = ParamKind::Float,
            .defaultValue = 1.0,
            .min = -kMostStrength,
            .max = kMostStrength,
            .softMin = -kUsualStrength,
            .softMax = kUsualStrength,
            .step = 0.05};
}

/// "file_2" for the id "file", " 2" behind a label.
std::string numbered(const std::string& text, const char* between, const std::string& suffix) {
    return suffix.empty() ? text : text + between + suffix;
}

ParamDesc noiseModelParam(const std::string& suffix) {
    return {.id = numbered("expert", "_", suffix),
            .label = numbered("Denoiser", " ", suffix),
            .tooltip =
                "Which denoiser changes, where a model has two: a LoRA for one of them shows it "
                "in its name.",
            .kind = ParamKind::Choice,
            .defaultValue = std::string("both"),
            .choices = {{"both", "Both"}, {"high_noise", "High noise"}, {"low_noise", "Low noise"}},
            .advanced = true};
}

executor::NodeSpec adaptedModelSpec(Stages& stages, LoadedModel loaded) {
    executor::NodeSpec spec = loadedSpec(stages, "model", "MODEL", std::move(loaded.model));
    spec.issues = std::move(loaded.warnings);
    return spec;
}

}  // namespace

std::vector<ParamDesc> loraParams(const std::string& suffix) {
    return {{.id = numbered("file", "_", suffix),
             .label = numbered("LoRA", " ", suffix),
             .tooltip = "A .safetensors, .pt or .bin file, relative to the graph or to a model "
                        "folder.",
             .kind = ParamKind::File,
             .defaultValue = std::string()},
            strengthParam(numbered("strength", "_", suffix),
                          numbered("Strength", " ", suffix),
                          "How much the denoiser changes: 1 as trained, 0 not at all; below 0 it "
                          "changes the other way."),
            strengthParam(numbered("text_strength", "_", suffix),
                          numbered("Text strength", " ", suffix),
                          "The same for the text encoders."),
            noiseModelParam(suffix)};
}

LoadedModel withLora(Stages& stages,
                     const executor::Params& params,
                     const memory::WireRef& model,
                     std::string_view graphFolder,
                     const std::string& suffix) {
    const std::string file = numbered("file", "_", suffix);
    try {
        LoadedModel loaded = stages.loadAdapter(
            {.model = model,
             .file = params.text(file),
             .strength = params.number(numbered("strength", "_", suffix)),
             .textStrength = params.number(numbered("text_strength", "_", suffix)),
             .noiseModel = params.text(numbered("expert", "_", suffix))},
            graphFolder);
        for (Issue& warning : loaded.warnings) {
            warning.item = file;
        }
        return loaded;
    } catch (const Error& error) {
        if (error.item() != "file" && error.item() != "expert") {
            throw;
        }
        throw Error(
            error.kind(), error.message(), error.hint(), numbered(error.item(), "_", suffix));
    }
}

executor::NodeType adaptedModelNode(Stages& stages, NodeDesc desc, ModelAdaptation adapt) {
    desc.inputs = {{.id = "model",
                    .label = "Model",
                    .tooltip = "The model to change; it remains as it is for other nodes.",
                    .type = "MODEL"}};
    desc.outputs = {{.id = "model",
                     .label = "Model",
                     .tooltip = "The changed model: connect it to Encode prompt and Denoise.",
                     .type = "MODEL"}};
    return {
        .desc = std::move(desc),
        .spec =
            [&stages, adapt](const executor::SpecContext& context) {
                const executor::ValueSpec* model = context.input("model");
                return adaptedModelSpec(
                    stages,
                    adapt(stages, context, model ? model->value : nullptr, context.graphFolder()));
            },
        .run =
            [&stages, adapt](executor::Context& context) {
                LoadedModel changed =
                    adapt(stages, context, context.input("model"), context.graphFolder());
                context.output("model", std::move(changed.model));
            },
        .collectAfter = "adapter load",
        .collectAtRelease = "adapter unload"};
}

}  // namespace lowtide::nodes
