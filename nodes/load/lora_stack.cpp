#include "nodes/load/lora_params.hpp"

#include <iterator>

namespace lowtide::nodes {

namespace {

constexpr int kRows = 8;
/// Those below are for the few who need them.
constexpr int kShownRows = 3;

std::vector<ParamDesc> stackParams() {
    std::vector<ParamDesc> params;
    for (int row = 1; row <= kRows; ++row) {
        const std::string number = std::to_string(row);
        std::vector<ParamDesc> own = loraParams(number);
        own.insert(own.begin(),
                   {.id = "use_" + number,
                    .label = "Use " + number,
                    .tooltip = "Off leaves this LoRA out, without losing its file and strengths.",
                    .kind = ParamKind::Bool,
                    .defaultValue = true});
        for (ParamDesc& param : own) {
            param.advanced = param.advanced || row > kShownRows;
        }
        std::move(own.begin(), own.end(), std::back_inserter(params));
    }
    return params;
}

NodeDesc describeLoraStack() {
    return {.id = "load.lora_stack",
            .label = "Load LoRAs",
            .category = "Load",
            .tooltip =
                "Changes a model by several LoRAs, one after the other in the order of the "
                "rows. Only headers are read here.",
            .params = stackParams()};
}

LoadedModel stacked(Stages& stages,
                    const executor::Params& params,
                    const memory::WireRef& model,
                    std::string_view graphFolder) {
    LoadedModel all{.model = model, .warnings = {}};
    for (int row = 1; row <= kRows; ++row) {
        const std::string number = std::to_string(row);
        if (params.flag("use_" + number)) {
            LoadedModel loaded = withLora(stages, params, all.model, graphFolder, number);
            all.model = std::move(loaded.model);
            std::move(
                loaded.warnings.begin(), loaded.warnings.end(), std::back_inserter(all.warnings));
        }
    }
    return all;
}

}  // namespace

executor::NodeType loadLoraStackNode(Stages& stages) {
    return adaptedModelNode(stages, describeLoraStack(), stacked);
}

}  // namespace lowtide::nodes
