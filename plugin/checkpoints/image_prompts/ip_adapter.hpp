#pragma once
// IP-Adapters with their image encoders, as they travel on wires, opened by their headers.

#include "plugin/checkpoints/checkpoint_paths.hpp"
#include "plugin/checkpoints/image_prompts/ip_adapter_file.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/image_prompts/clip_vision_model.hpp"
#include "plugin/nn/image_prompts/image_projection.hpp"
#include "plugin/nn/model.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

inline constexpr std::string_view kImageProjection = "image_projection";

[[nodiscard]] ComponentDesc imageEncoderComponent();
[[nodiscard]] ComponentDesc imageProjectionComponent();

/// A tower that reads images, by its header.
struct ImageEncoderFile {
    std::string name;  ///< of its file or folder, for users
    ClipVisionConfig config;
    WeightMap weights;
};

/// One IP-Adapter: two networks that make tokens of images, and pairs of weights for the cross
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

/// Which IP-Adapter a user means, with which image encoder.
struct IpAdapterChoice {
    CheckpointPath file;
    std::optional<CheckpointPath> encoder;  ///< nothing: the one that lies where they usually do
};

/// A folder with config.json and weights as transformers writes them, or one file in the same
/// names. No weight is read. Error{Unsupported}, Error{Corrupt}, Error{NotFound} name file, setting
/// or tensor.
[[nodiscard]] ImageEncoderFile openImageEncoder(const CheckpointPath& path);

/// A file as diffusers, ComfyUI and the author of IP-Adapter have it (.safetensors, .bin). Where no
/// encoder is chosen: image_encoder/ next to the file and next to its folder, there too in the
/// folders of the author's repository (AdapterMarks::imageEncoders), and clip_vision/ next to its
/// folder or in `modelFolders`; the first one of the width that the adapter reads. No weight is
/// read. Error{NotFound} on "image_encoder" states what is needed; else errors of both files.
[[nodiscard]] std::shared_ptr<const IpAdapter> openIpAdapter(
    const IpAdapterChoice& choice, std::span<const std::string> modelFolders);

}  // namespace lowtide::models
