#pragma once
// A loaded IP-Adapter with its image encoder, as it travels on a wire. Torch-free.

#include "plugin/checkpoints/image_prompts/ip_adapter_file.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/image_prompts/clip_vision_model.hpp"
#include "plugin/nn/image_prompts/image_projection.hpp"
#include "plugin/nn/model.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

inline constexpr std::string_view kImageProjection = "image_projection";

[[nodiscard]] ComponentDesc imageEncoderComponent();
[[nodiscard]] ComponentDesc imageProjectionComponent();

/// A tower that reads pictures, by its header.
struct ImageEncoderFile {
    std::string name;  ///< of its file or folder, for people
    ClipVisionConfig config;
    WeightMap weights;
};

/// One IP-Adapter: two networks that make tokens of pictures, and pairs of weights for the cross
/// attentions of a denoiser, which are composed into its tree. Immutable.
class IpAdapter final : public ComponentSource {
public:
    /// Errors: those of the networks, for weights that do not fit the settings.
    IpAdapter(std::string name, IpAdapterFile file, const ImageEncoderFile& encoder);

    [[nodiscard]] std::string_view type() const override { return "IP_ADAPTER"; }

    [[nodiscard]] const std::string& name() const override { return name_; }

    [[nodiscard]] const std::vector<memory::WeightFile>& files() const override { return files_; }

    [[nodiscard]] std::vector<ComponentDesc> components() const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const override;
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override;
    [[nodiscard]] const memory::FamilyPrecision& precisions() const override;

    [[nodiscard]] const IpAdapterFile& file() const { return file_; }

    [[nodiscard]] const ClipVisionModel& encoder() const { return encoder_; }

    [[nodiscard]] const ImageProjection& projection() const { return projection_; }

private:
    const std::string name_;
    const IpAdapterFile file_;
    const ClipVisionModel encoder_;
    const ImageProjection projection_;
    std::vector<memory::WeightFile> files_;
};

}  // namespace lowtide::models
