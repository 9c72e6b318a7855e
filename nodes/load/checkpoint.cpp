#include "plugin/executor/node.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describe() {
    return {
        .id = "load.checkpoint",
        .label = "Load checkpoint",
        .category = "Load",
        .tooltip =
            "Opens a model: text encoder, denoiser and autoencoder. Only headers are read here; "
            "weights "
            "move when a stage uses them.",
        .aliases = {"CheckpointLoaderSimple"},
        .outputs = {{.id = "model",
                     .label = "Model",
                     .tooltip = "The networks of the checkpoint.",
                     .type = "MODEL"}},
        .params = {
            {.id = "checkpoint",
             .label = "Checkpoint",
             .tooltip =
                 "A folder in the diffusers layout, relative to the graph or to a model folder, or "
                 "builtin:mini for the model that comes with Lowtide.",
             .kind = ParamKind::File,
             .defaultValue = std::string("builtin:mini")}}};
}

}  // namespace

std::vector<executor::NodeType> load(models::Stages& stages) {
    const auto open = [&stages](const executor::Params& params, std::string_view graphFolder) {
        return stages.loadCheckpoint(params.text("checkpoint"), graphFolder);
    };
    return {{.desc = describe(),
             .outline =
                 [&stages, open](const executor::OutlineContext& context) {
                     memory::WireRef model = open(context, context.graphFolder());
                     executor::WorkOutline outline;
                     outline.fingerprints = {stages.fingerprint(model)};
                     outline.outputs = {{"model", {.type = "MODEL", .value = std::move(model)}}};
                     return outline;
                 },
             .run =
                 [open](executor::Context& context) {
                     context.output("model", open(context, context.graphFolder()));
                 }}};
}

}  // namespace lowtide::nodes
