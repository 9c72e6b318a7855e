#pragma once
// A model as adapters change it, and those that were opened lately.

#include "plugin/base/issue.hpp"
#include "plugin/checkpoints/adapters/adapter_file.hpp"
#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/checkpoints/recently_opened.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace lowtide::models {

/// An adapter and how a user applies it.
struct AdapterChoice {
    std::shared_ptr<const AdapterFile> file;
    double strength = 1;              ///< of the deltas of the denoiser
    double textStrength = 1;          ///< of those of the text encoders
    std::string noiseModel = "both";  ///< LoraRequest::noiseModel
};

/// `base` with the deltas of one adapter behind those that it has. Its networks are those of
/// `base`; the trees that its stages lease are not.
class AdaptedModel final : public Model {
public:
    /// Binds every component that the adapter has deltas for, which opens their files, for their
    /// headers. Error{InvalidInput} where nothing of the adapter fits the model, and on "expert"
    /// where the model has no such one; errors of binding.
    AdaptedModel(std::shared_ptr<const Model> base, AdapterChoice adapter);

    /// Reports the layers of the adapter that match nothing in the model.
    [[nodiscard]] const Issues& warnings() const { return warnings_; }

    [[nodiscard]] const ModelInfo& info() const override { return info_; }

    [[nodiscard]] std::vector<ComponentDesc> components() const override {
        return base_->components();
    }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override;

    [[nodiscard]] const memory::FamilyPrecision& precisions() const override {
        return base_->precisions();
    }

    [[nodiscard]] PromptsSpec promptsSpec(const PromptRequest& request) const override {
        return base_->promptsSpec(request);
    }

    [[nodiscard]] EncodedPrompts encodePrompts(StageContext& context,
                                               const PromptRequest& request) const override {
        return base_->encodePrompts(context, request);
    }

    [[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(
        StageContext& context, const DenoiserRequest& request) const override {
        return base_->makeDenoiser(context, request);
    }

    [[nodiscard]] at::Tensor decode(StageContext& context,
                                    const at::Tensor& latents) const override;
    [[nodiscard]] at::Tensor encode(StageContext& context, const at::Tensor& pixels) const override;
    [[nodiscard]] tensor::ImageConditioning encodeImageConditioning(
        StageContext& context, const VideoImages& images) const override;

private:
    std::shared_ptr<const Model> base_;
    ModelInfo info_;
    std::map<std::string, std::shared_ptr<const memory::ComponentTree>, std::less<>> trees_;
    Issues warnings_;
};

/// Models with adapters: the same model, file and settings give the same value, but for those that
/// were not asked for lately. Thread-safe.
class AdaptedModels {
public:
    /// Opens the adapter's file by its header, again where it changed; `request` has the settings.
    /// Errors: those of openAdapterFile() and AdaptedModel.
    [[nodiscard]] std::shared_ptr<const AdaptedModel> open(std::shared_ptr<const Model> base,
                                                           const CheckpointPath& file,
                                                           const LoraRequest& request);

private:
    /// Trees of headers, some megabytes each; a stack of adapters has one for each of them.
    RecentlyOpened<AdaptedModel> recent_{16};
};

}  // namespace lowtide::models
