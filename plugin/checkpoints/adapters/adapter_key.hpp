#pragma once
// What the names of an adapter's tensors state, whichever tool wrote them. Torch-free.

#include "plugin/base/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

/// The components that adapters change, by their roles.
inline constexpr std::string_view kAdapterDenoiser = "denoiser";
inline constexpr std::string_view kAdapterText = "text_encoder";
inline constexpr std::string_view kAdapterText2 = "text_encoder_2";
inline constexpr std::string_view kAdapterText3 = "text_encoder_3";
inline constexpr std::string_view kAdapterText4 = "text_encoder_4";
/// T5, whichever of the text encoders it is: kohya numbers them by their kind.
inline constexpr std::string_view kAdapterT5 = "t5";
/// The low-noise model of a model that has two; files that do not distinguish them change both.
inline constexpr std::string_view kAdapterDenoiser2 = "denoiser_2";

/// One name, taken apart.
struct AdapterKey {
    enum class Part : uint8_t { Factor, Alpha, OnInput };

    std::string component;
    std::string layer;   ///< as the file spells it: "lora_unet_mid_block_attentions_0_proj_in"
    std::string module;  ///< the layer without what names the component
    Part part = Part::Factor;
    std::string kind;     ///< "low_rank", ...; empty: of whichever kind its layer is
    std::string factor;   ///< "up", "w1_a", ...
    bool isBias = false;  ///< it changes the module's bias
};

/// Names of kohya (LoCon, LoHa, LoKr, (IA)3, full differences), peft, diffusers and ComfyUI.
/// Nothing for what is no part of an adapter. A bare ".weight" is a factor of kind "scale", which
/// only a layer with on_input has; DoRA's lengths are "dora_scale", and "magnitude" as peft has
/// them. Source: kohya sd-scripts, LyCORIS 4.1, peft 0.21, diffusers
/// 0.42.1 state_dict_utils, ComfyUI lora.py.
[[nodiscard]] std::optional<AdapterKey> parseAdapterKey(std::string_view key);

/// The component of "transformer.blocks.0...", "text_encoder_2.lora_alpha": of names that begin
/// with a component and a dot; empty where it is not known.
[[nodiscard]] std::string_view adapterComponentOf(std::string_view name);

/// Whether only an adapter has a tensor of such a name, whatever it changes.
[[nodiscard]] bool isOfAdapter(std::string_view key);

/// "OFT": what an adapter's tensor belongs to that is not built; nothing for all others.
[[nodiscard]] std::optional<Phrase> unbuiltAdapterKind(std::string_view key);

}  // namespace lowtide::models
