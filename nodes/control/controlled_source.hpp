#pragma once

#include "nodes/engine/controls.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/model.hpp"

#include <memory>
#include <vector>

namespace lowtide::nodes {

/// A model and the ControlNets that a stage runs alongside its denoiser, as one source of
/// components: theirs are called controlRole(0), controlRole(1), ..., and are stored and computed
/// as the denoiser is, unless the node asks otherwise.
class ControlledSource final : public models::ComponentSource {
public:
    ControlledSource(std::shared_ptr<const models::ComponentSource> model,
                     const Controls& controls);

    [[nodiscard]] std::string_view type() const override { return model_->type(); }

    [[nodiscard]] const std::string& name() const override { return model_->name(); }

    [[nodiscard]] const std::vector<memory::WeightFile>& files() const override { return files_; }

    [[nodiscard]] std::vector<models::ComponentDesc> components() const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override;

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override { return precisions_; }

private:
    [[nodiscard]] const models::ControlNet* netOf(std::string_view role) const;

    std::shared_ptr<const models::ComponentSource> model_;
    std::vector<std::shared_ptr<const models::ControlNet>> nets_;
    std::vector<memory::WeightFile> files_;
    memory::FamilyPrecision precisions_;
};

/// The model of a request that may have controls, with them.
[[nodiscard]] std::shared_ptr<const models::ComponentSource> withControls(
    std::shared_ptr<const models::ComponentSource> model, const memory::WireRef& control);

/// Error{InvalidInput} on port "control" where a ControlNet is not for the model's denoiser, or
/// a hint is not one image or one for each of the `latents` [B, C, h, w].
void checkControls(const models::Model& model, const Controls& controls, const Shape& latents);

}  // namespace lowtide::nodes
