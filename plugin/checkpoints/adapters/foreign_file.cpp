#include "plugin/checkpoints/adapters/foreign_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/adapter_key.hpp"
#include "plugin/checkpoints/known_names.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

namespace {

/// What people may take for an adapter: a part of a name that only such files have.
constexpr std::pair<std::string_view, const char*> kWholeNetworks[] = {
    {"lora_controlnet", "a Control-LoRA, which is a ControlNet"},
    {"control_model.", "a ControlNet"},
    {"controlnet_cond_embedding.", "a ControlNet"},
    {"model.diffusion_model.", "a whole checkpoint"},
    {"first_stage_model.", "an autoencoder (VAE)"},
    {"decoder.mid", "an autoencoder (VAE)"},
    {"down_blocks.", "a whole denoiser (UNet)"},
    {"input_blocks.", "a whole denoiser (UNet)"},
};

std::vector<std::string> namesIn(const WeightMap& file) {
    std::vector<std::string> names;
    for (const auto& [name, place] : file.tensors) {
        names.push_back(name);
    }
    return names;
}

[[noreturn]] void refuseAs(const WeightMap& file, const std::string& seen) {
    throw Error(ErrorKind::Unsupported,
                file.what + " is no adapter of weights (LoRA): " + seen,
                "choose a LoRA, LoCon, LoHa, LoKr or DoRA");
}

}  // namespace

void refuseForeignFile(const WeightMap& file) {
    const bool isControl = file.tensors.contains("lora_controlnet");
    const bool isAdapter = std::any_of(file.tensors.begin(),
                                       file.tensors.end(),
                                       [](const auto& each) { return isOfAdapter(each.first); });
    if (isAdapter && !isControl) {
        return;
    }
    if (file.tensors.empty()) {
        refuseAs(file,
                 "there are no tensors at its top; IP-Adapters that torch.save wrote "
                 "look like that");
    }
    for (const auto& [part, what] : kWholeNetworks) {
        for (const auto& [name, place] : file.tensors) {
            if (name.find(part) != name.npos) {
                refuseAs(file, std::string("it is ") + what);
            }
        }
    }
    const std::optional<KnownFile> known = knownByNames(file);
    refuseAs(file,
             known ? "it is of the kind " + known->family
                   : "its tensors are " + listSome(namesIn(file)));
}

void refuseWithoutLayers(const WeightMap& file) {
    refuseAs(file,
             "none of its tensors belongs to a layer that is known: " + listSome(namesIn(file)));
}

}  // namespace lowtide::models
