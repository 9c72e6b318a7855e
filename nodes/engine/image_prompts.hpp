#pragma once
// Images that a denoiser shall follow as it follows a text: the IMAGE_PROMPT wire.

#include "nodes/engine/influence.hpp"
#include "plugin/base/units.hpp"
#include "plugin/checkpoints/image_prompts/ip_adapter.hpp"
#include "plugin/memory/wire_value.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::nodes {

/// How images are followed.
struct ImagePromptSettings {
    Influence influence{};  ///< outside of its range they are not seen
    /// Of each image, which then speaks for itself; empty: all speak together.
    std::vector<double> weights{};
};

/// The images that one IP-Adapter reads.
struct ImagePromptEntry {
    std::shared_ptr<const models::IpAdapter> adapter;
    ImagePromptSettings settings;
    Shape tokensShape;    ///< [1 + images, tokens, width]
    at::Tensor tokens{};  ///< of no image, then of each one, f32; undefined before the run
    Shape maskShape{};    ///< [1 or B, 1, H, W] of any size; empty: all over
    at::Tensor mask{};    ///< where they speak, 0..1

    [[nodiscard]] int64_t images() const { return tokensShape.at(0) - 1; }
};

/// Images in the order in which they were connected. Immutable.
class ImagePrompts final : public memory::WireValue {
public:
    explicit ImagePrompts(std::vector<ImagePromptEntry> entries) : entries_(std::move(entries)) {}

    [[nodiscard]] std::string_view type() const override { return "IMAGE_PROMPT"; }

    [[nodiscard]] Bytes bytesOn(std::string_view deviceId) const override;
    [[nodiscard]] memory::WireRef onHost() const override;
    [[nodiscard]] std::optional<std::string> specKey() const override;

    [[nodiscard]] const std::vector<ImagePromptEntry>& entries() const { return entries_; }

    /// The IP-Adapters, each once, in the order in which they come first.
    [[nodiscard]] std::vector<std::shared_ptr<const models::IpAdapter>> adapters() const;
    /// The index of an entry's IP-Adapter among them: that of its pair in a cross attention.
    [[nodiscard]] size_t indexOf(const ImagePromptEntry& entry) const;

private:
    std::vector<ImagePromptEntry> entries_;
};

/// For an image's metadata, in the manner of describedControl().
[[nodiscard]] std::string describedImagePrompt(const ImagePromptEntry& entry);

/// What is on a wire or known of it; nullptr: nothing is connected. Error{InvalidInput} on port
/// "image_prompt" for a value of another kind.
[[nodiscard]] const ImagePrompts* imagePromptsIn(const memory::WireRef& value);

}  // namespace lowtide::nodes
