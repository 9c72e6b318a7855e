#include "plugin/checkpoints/adapters/adapted_model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/adapter_key.hpp"
#include "plugin/checkpoints/adapters/bind_adapter.hpp"
#include "plugin/memory/adapted_tree.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace lowtide::models {

namespace {

/// Whether an adapter for `noiseModel` changes this denoiser. Error{InvalidInput} on "expert".
bool isForDenoiser(const Model& model, std::string_view role, const std::string& noiseModel) {
    const bool isHigh = noiseModel == "high_noise";
    requireThat(noiseModel == "both" || isHigh || noiseModel == "low_noise",
                message("there is no denoiser \"{}\"", noiseModel),
                message("choose both, high_noise or low_noise"),
                "expert");
    requireThat(
        noiseModel == "both" || model.info().boundaryRatio > 0,
        message("the chosen denoiser is {}, and {} has one denoiser", noiseModel, model.name()),
        message("choose both"),
        "expert");
    return noiseModel == "both" || (role == kDenoiser) == isHigh;
}

bool deltas(const AdapterFile& file, std::string_view component) {
    return std::any_of(file.layers.begin(), file.layers.end(), [&](const AdapterLayer& layer) {
        return layer.component == component;
    });
}

/// The roles of a model's components, in the words of adapters: the only text encoder of a model is
/// the first, whatever the model calls it.
std::vector<std::pair<std::string_view, std::string>> adaptedRoles(const Model& model,
                                                                   const AdapterFile& file,
                                                                   const std::string& noiseModel) {
    constexpr std::string_view kTexts[] = {
        kAdapterText, kAdapterText2, kAdapterText3, kAdapterText4};
    std::vector<std::string> texts;
    std::vector<std::pair<std::string_view, std::string>> roles;
    for (const ComponentDesc& component : model.components()) {
        if (memory::matchesRole(kDenoisers, component.role)) {
            const bool isSecond = component.role != kDenoiser && deltas(file, kAdapterDenoiser2);
            if (isForDenoiser(model, component.role, noiseModel)) {
                roles.emplace_back(isSecond ? kAdapterDenoiser2 : kAdapterDenoiser, component.role);
            }
        } else if (component.role.starts_with(kTextEncoder)) {
            texts.push_back(component.role);
        }
    }
    if (texts.size() == 1) {
        roles.emplace_back(kAdapterText, texts.front());
        return roles;
    }
    for (const std::string_view text : kTexts) {
        if (std::find(texts.begin(), texts.end(), text) != texts.end()) {
            roles.emplace_back(text, text);
        }
    }
    return roles;
}

/// With layers of T5 as those of the encoder that it is in this model.
AdapterFile withLocatedT5(const Model& model, AdapterFile file) {
    if (!deltas(file, kAdapterT5)) {
        return file;
    }
    for (const ComponentDesc& component : model.components()) {
        if (component.role.starts_with(kTextEncoder) &&
            model.tree(component.role)->network == "T5EncoderModel") {
            for (AdapterLayer& layer : file.layers) {
                layer.component = layer.component == kAdapterT5 ? component.role : layer.component;
            }
        }
    }
    return file;
}

memory::Adapted adaptedBy(const AdapterFile& file, const AdapterBinding& binding, double strength) {
    memory::Adapted adapter{.files = file.files, .deltas = {}};
    for (const BoundLayer& bound : binding.layers) {
        memory::AddedDelta& delta =
            adapter.deltas.emplace_back(memory::AddedDelta{.weight = bound.weight,
                                                           .kind = bound.layer.kind,
                                                           .factors = {},
                                                           .scale = bound.layer.scale(),
                                                           .strength = strength});
        for (const auto& [name, factor] : bound.layer.factors) {
            delta.factors.push_back({.name = name,
                                     .key = factor.key,
                                     .file = factor.location.file,
                                     .fileOffset = factor.location.offset,
                                     .type = factor.location.type,
                                     .shape = factor.location.shape,
                                     .encoded = factor.location.encoded});
        }
    }
    return adapter;
}

}  // namespace

AdaptedModel::AdaptedModel(std::shared_ptr<const Model> base, AdapterChoice adapter)
    : base_(std::move(base)), info_(base_->info()) {
    const AdapterFile file = withLocatedT5(*base_, *adapter.file);
    std::vector<std::string> roles;
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
    std::vector<AdapterTarget> targets;
    for (const auto& [component, role] : adaptedRoles(*base_, file, adapter.noiseModel)) {
        // All of them where nothing matches, to state what the model is.
        if (deltas(file, component) || component == kAdapterDenoiser) {
            roles.push_back(role);
            trees.push_back(base_->tree(role));
            targets.push_back({.component = component, .tree = trees.back().get()});
        }
    }
    const BoundAdapter bound = bindWholeAdapter(file, targets, base_->name());
    for (size_t i = 0; i < roles.size(); ++i) {
        const double strength =
            memory::matchesRole(kDenoisers, roles[i]) ? adapter.strength : adapter.textStrength;
        trees_[roles[i]] = std::make_shared<const memory::ComponentTree>(
            memory::patched(*trees[i], adaptedBy(file, bound.bindings[i], strength)));
    }
    info_.files.insert(info_.files.end(), file.files.begin(), file.files.end());
    info_.adapters.push_back(file.files.front());
    if (!bound.warning.empty()) {
        warnings_.push_back({.severity = Severity::Warning,
                             .code = "adapter_layers_unused",
                             .item = "file",
                             .message = bound.warning,
                             .hint = bound.hint});
    }
}

std::shared_ptr<const memory::ComponentTree> AdaptedModel::tree(std::string_view role) const {
    const auto own = trees_.find(role);
    return own == trees_.end() ? base_->tree(role) : own->second;
}

std::shared_ptr<const memory::ComponentTree> AdaptedModel::openedTree(std::string_view role) const {
    const auto own = trees_.find(role);
    return own == trees_.end() ? base_->openedTree(role) : own->second;
}

at::Tensor AdaptedModel::decode(StageContext& context, const at::Tensor& latents) const {
    return base_->decode(context, latents);
}

at::Tensor AdaptedModel::encode(StageContext& context, const at::Tensor& pixels) const {
    return base_->encode(context, pixels);
}

tensor::ImageConditioning AdaptedModel::encodeImageConditioning(StageContext& context,
                                                                const VideoImages& images) const {
    return base_->encodeImageConditioning(context, images);
}

std::shared_ptr<const AdaptedModel> AdaptedModels::open(std::shared_ptr<const Model> base,
                                                        const CheckpointPath& file,
                                                        const LoraRequest& request) {
    // What is kept has its base, so that no other model has that address.
    const std::string key = std::to_string(reinterpret_cast<uintptr_t>(base.get())) + "\n" +
                            file.path + "\n" + formatNumber(request.strength) + "\n" +
                            formatNumber(request.textStrength) + "\n" + request.noiseModel;
    return recent_.at(key, [&] {
        return std::make_shared<const AdaptedModel>(
            std::move(base),
            AdapterChoice{.file = std::make_shared<const AdapterFile>(openAdapterFile(file.path)),
                          .strength = request.strength,
                          .textStrength = request.textStrength,
                          .noiseModel = request.noiseModel});
    });
}

}  // namespace lowtide::models
