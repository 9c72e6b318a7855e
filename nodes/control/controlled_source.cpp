#include "nodes/control/controlled_source.hpp"

#include "nodes/engine/stage_inputs.hpp"
#include "plugin/base/error.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace lowtide::nodes {

namespace {

constexpr const char* kControlPort = "control";

/// What is stated about the denoiser holds for `role` too.
void stateAsDenoiser(memory::FamilyPrecision& precisions, const std::string& role) {
    const std::string denoiser(models::kDenoiser);
    for (auto& [preset, byRole] : precisions.presets) {
        if (const auto stated = byRole.find(denoiser); stated != byRole.end()) {
            byRole.emplace(role, memory::ComponentPreset(stated->second));
        }
    }
    for (auto* kept : {&precisions.keptF32, &precisions.keptFromF8}) {
        if (const auto stated = kept->find(denoiser); stated != kept->end()) {
            kept->emplace(role, std::vector<std::string>(stated->second));
        }
    }
}

/// Parts of names that a ControlNet has of its own, and those that it need not share: a UNet that
/// fills masks reads more channels.
bool isOfControlNetAlone(const std::string& name) {
    return name.starts_with("controlnet_") || name.starts_with("conv_in.");
}

Message widthsOf(const memory::ComponentTree& tree) {
    const Message text = models::baseOf(tree).text();
    return text.empty() ? message("another network") : text;
}

[[noreturn]] void refuseControlNet(const models::ControlNet& net,
                                   const models::Model& model,
                                   const Message& problem) {
    throw Error(
        ErrorKind::InvalidInput,
        message(
            "{} {} does not fit {}: {}", net.kind(), net.name(), model.info().checkpoint, problem),
        message("choose one that was made for this checkpoint's family"),
        kControlPort);
}

void checkControlFamily(const models::Model& model, const models::ControlNet& net) {
    const auto denoiser = treeIn(model, models::kDenoiser);
    const auto own = net.tree(models::kControlNet);
    std::map<std::string, const Shape*> shapes;
    for (const memory::Weight& weight : denoiser->weights) {
        shapes.emplace(weight.name, &weight.shape);
    }
    const Message needs =
        message("it is for {}, the checkpoint is {}", widthsOf(*own), widthsOf(*denoiser));
    for (const memory::Weight& weight : own->weights) {
        if (isOfControlNetAlone(weight.name)) {
            continue;
        }
        const auto found = shapes.find(weight.name);
        if (found == shapes.end()) {
            refuseControlNet(
                net, model, message("{} (whose denoiser has no {})", needs, weight.name));
        }
        if (*found->second != weight.shape) {
            refuseControlNet(net,
                             model,
                             message("{} ({} is {}, that of the denoiser {})",
                                     needs,
                                     weight.name,
                                     toText(weight.shape),
                                     toText(*found->second)));
        }
    }
}

/// A UNet that fills masks reads more channels than its ControlNet, none reads fewer.
void checkStepChannels(const models::Model& model,
                       const models::ControlNet& net,
                       const models::ControlConfig& config) {
    const auto denoiser = treeIn(model, models::kDenoiser);
    for (const memory::Weight& weight : denoiser->weights) {
        if (weight.name == "conv_in.weight" && weight.shape.at(1) < config.unet.inChannels) {
            refuseControlNet(net,
                             model,
                             message("it reads {} channels, the denoiser {}",
                                     config.unet.inChannels,
                                     weight.shape.at(1)));
        }
    }
}

/// Hints of a network for latents of another scale do not fit its steps.
void checkHintFactor(const models::Model& model,
                     const models::ControlNet& net,
                     const models::ControlConfig& config) {
    const int64_t factor = config.hintFactor();
    if (factor != model.info().latent.factor) {
        refuseControlNet(net,
                         model,
                         message("its hints are {} times as large as its latents, images of the "
                                 "checkpoint {} times",
                                 factor,
                                 model.info().latent.factor));
    }
}

/// Channels of the levels of the way down, by the names of their weights.
std::vector<int64_t> levelWidths(const memory::ComponentTree& denoiser) {
    std::vector<int64_t> widths;
    for (const memory::Weight& weight : denoiser.weights) {
        const std::string next =
            "down_blocks." + std::to_string(widths.size()) + ".resnets.0.conv1.weight";
        if (weight.name == next) {
            widths.push_back(weight.shape.front());
        }
    }
    return widths;
}

void checkAdapterFamily(const models::Model& model,
                        const models::ControlNet& net,
                        const models::HintAdapterConfig& config,
                        const Shape& latents) {
    std::vector<int64_t> own;
    for (const models::HintBlockSizes& block : config.blocks) {
        own.push_back(block.out);
    }
    const std::vector<int64_t> widths = levelWidths(*treeIn(model, models::kDenoiser));
    std::vector<int64_t> withMiddle = widths;
    withMiddle.insert(withMiddle.end(), widths.empty() ? 0 : 1, widths.empty() ? 0 : widths.back());
    if (own != widths && own != withMiddle) {
        refuseControlNet(net,
                         model,
                         message("its blocks have {} channels, the levels of the denoiser {}",
                                 toText(own),
                                 toText(widths)));
    }
    const int64_t factor = model.info().latent.factor;
    for (const size_t axis : {size_t{2}, size_t{3}}) {
        if (latents.at(axis) * factor % config.squarePixels != 0) {
            refuseControlNet(
                net,
                model,
                message("a side of the image is {} pixels, and it takes multiples of {}",
                        latents.at(axis) * factor,
                        config.squarePixels));
        }
    }
}

}  // namespace

ControlledSource::ControlledSource(std::shared_ptr<const models::ComponentSource> model,
                                   const Controls& controls)
    : model_(std::move(model)),
      nets_(controls.nets()),
      files_(model_->files()),
      precisions_(model_->precisions()) {
    for (size_t i = 0; i < nets_.size(); ++i) {
        files_.insert(files_.end(), nets_[i]->files().begin(), nets_[i]->files().end());
        stateAsDenoiser(precisions_, models::controlRole(i));
    }
}

std::vector<models::ComponentDesc> ControlledSource::components() const {
    std::vector<models::ComponentDesc> all = model_->components();
    for (size_t i = 0; i < nets_.size(); ++i) {
        all.push_back(models::controlComponent(i));
    }
    return all;
}

const models::ControlNet* ControlledSource::netOf(std::string_view role) const {
    for (size_t i = 0; i < nets_.size(); ++i) {
        if (models::controlRole(i) == role) {
            return nets_[i].get();
        }
    }
    return nullptr;
}

std::shared_ptr<const memory::ComponentTree> ControlledSource::tree(std::string_view role) const {
    const models::ControlNet* net = netOf(role);
    return net ? net->tree(role) : model_->tree(role);
}

std::shared_ptr<const memory::ComponentTree> ControlledSource::openedTree(
    std::string_view role) const {
    const models::ControlNet* net = netOf(role);
    return net ? net->openedTree(role) : model_->openedTree(role);
}

std::shared_ptr<const models::ComponentSource> withControls(
    std::shared_ptr<const models::ComponentSource> model, const memory::WireRef& control) {
    const Controls* controls = controlsIn(control);
    return controls ? std::make_shared<const ControlledSource>(std::move(model), *controls)
                    : std::move(model);
}

void checkControls(const models::Model& model, const Controls& controls, const Shape& latents) {
    requireImages(model, message("a ControlNet"));
    for (const std::shared_ptr<const models::ControlNet>& net : controls.nets()) {
        if (const auto* control = std::get_if<models::ControlConfig>(&net->config())) {
            checkControlFamily(model, *net);
            checkStepChannels(model, *net, *control);
            checkHintFactor(model, *net, *control);
        } else {
            checkAdapterFamily(
                model, *net, std::get<models::HintAdapterConfig>(net->config()), latents);
        }
    }
    for (const ControlEntry& entry : controls.entries()) {
        const int64_t count = entry.hintShape.at(0);
        if (count != 1 && count != latents.at(0)) {
            throw Error(ErrorKind::InvalidInput,
                        message("there are {} hints of {} {} for {} images",
                                count,
                                entry.net->kind(),
                                entry.net->name(),
                                latents.at(0)),
                        message("connect one hint for all images, or one for each"),
                        kControlPort);
        }
    }
}

}  // namespace lowtide::nodes
