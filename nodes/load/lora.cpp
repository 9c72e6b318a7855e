#include "nodes/load/lora_params.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeLoadLora() {
    return {.id = "load.lora",
            .label = "Load LoRA",
            .category = "Load",
            .tooltip =
                "Changes a model by a LoRA or one of its kin (LoCon, LoHa, LoKr, DoRA, IA3, "
                "full differences). Only the header is read here.",
            .params = loraParams()};
}

LoadedModel withOneLora(Stages& stages,
                        const executor::Params& params,
                        const memory::WireRef& model,
                        std::string_view graphFolder) {
    return withLora(stages, params, model, graphFolder);
}

}  // namespace

executor::NodeType loadLoraNode(Stages& stages) {
    return adaptedModelNode(stages, describeLoadLora(), withOneLora);
}

}  // namespace lowtide::nodes
