#include "plugin/checkpoints/family.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/model.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lowtide::models {

const Family* familyOf(const Checkpoint& checkpoint, Families known) {
    const auto family = std::find_if(
        known.begin(), known.end(), [&](const Family* each) { return each->detect(checkpoint); });
    return family == known.end() ? nullptr : *family;
}

std::shared_ptr<const Model> openCheckpoint(Checkpoint& checkpoint, Families known) {
    if (const Family* family = familyOf(checkpoint, known)) {
        return family->open(checkpoint);
    }
    std::vector<std::string> names;
    for (const Family* each : known) {
        names.push_back(each->name);
    }
    const std::string seen = checkpoint.pipelineClass();
    throw Error(ErrorKind::Unsupported,
                seen.empty()
                    ? message("checkpoint {} is of the class that model_index.json does not name, "
                              "the families that are built are {}",
                              checkpoint.name(),
                              join(names, ", "))
                    : message("checkpoint {} is of the class \"{}\", the families that are built "
                              "are {}",
                              checkpoint.name(),
                              seen,
                              join(names, ", ")),
                message("choose a checkpoint of one of these families"),
                "checkpoint");
}

decltype(memory::FamilyPrecision::presets) bf16Presets(const std::vector<std::string>& textEncoders,
                                                       const std::vector<std::string>& denoisers,
                                                       const std::vector<std::string>& others) {
    const memory::ComponentPreset exact{.storesAsInFile = true, .compute = DType::F32};
    const memory::ComponentPreset half{.storage = DType::BF16, .compute = DType::BF16};
    const auto presetOf = [&](const memory::ComponentPreset& ofNetworks,
                              const memory::ComponentPreset& ofAutoencoder) {
        std::map<std::string, memory::ComponentPreset> preset = {
            {std::string(kAutoencoder), ofAutoencoder}};
        for (const auto* roles : {&textEncoders, &denoisers}) {
            for (const std::string& role : *roles) {
                preset.emplace(role, ofNetworks);
            }
        }
        for (const std::string& role : others) {
            preset.emplace(role, exact);
        }
        return preset;
    };
    return {{"quality", presetOf(exact, exact)},
            {"balanced", presetOf(half, exact)},
            {"speed", presetOf(half, half)}};
}

}  // namespace lowtide::models
