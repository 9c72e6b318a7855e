#include "plugin/checkpoints/bf16_presets.hpp"

#include "plugin/nn/model.hpp"

namespace lowtide::models {

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
