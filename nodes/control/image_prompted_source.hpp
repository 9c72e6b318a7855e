#pragma once

#include "nodes/engine/image_prompts.hpp"
#include "plugin/nn/model.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace lowtide::nodes {

/// A model whose denoiser has the layers of IP-Adapters: its tree is composed.
class ImagePromptedSource final : public models::ComponentSource {
public:
    ImagePromptedSource(std::shared_ptr<const models::Model> model, const ImagePrompts& prompts);

    [[nodiscard]] std::string_view type() const override { return model_->type(); }

    [[nodiscard]] const std::string& name() const override { return model_->name(); }

    [[nodiscard]] const std::vector<memory::WeightFile>& files() const override { return files_; }

    [[nodiscard]] std::vector<models::ComponentDesc> components() const override {
        return model_->components();
    }

    /// Error{InvalidInput} on port "image_prompt" where an IP-Adapter is for another denoiser.
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override;

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override {
        return model_->precisions();
    }

private:
    std::shared_ptr<const models::Model> model_;
    std::vector<std::shared_ptr<const models::IpAdapter>> adapters_;
    std::vector<memory::WeightFile> files_;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const memory::ComponentTree> denoiser_;  ///< made when first asked for
};

/// The model of a request that may have images to follow, with their layers.
[[nodiscard]] std::shared_ptr<const models::ComponentSource> withImagePrompts(
    const models::Model& model, const memory::WireRef& prompts);

/// Error{InvalidInput} on port "image_prompt" where an IP-Adapter is not for the model's denoiser,
/// or a mask is not one, or one for each of the `latents` [B, C, h, w].
void checkImagePrompts(const models::Model& model,
                       const ImagePrompts& prompts,
                       const Shape& latents);

}  // namespace lowtide::nodes
