#include "plugin/families/wan/wan_precision.hpp"

#include "plugin/checkpoints/bf16_presets.hpp"
#include "plugin/families/wan/wan_components.hpp"

namespace lowtide::models {

namespace {

memory::FamilyPrecision makeWanPrecisions() {
    const std::string text(kTextEncoder);
    const std::string picture(kImageEncoder);
    const std::string denoiser(kDenoiser);
    const std::string second(kSecondDenoiser);
    const std::string autoencoder(kAutoencoder);
    const std::vector<std::string> keptOfDenoiser = {
        "time_embedder", "scale_shift_table", "norm1", "norm2", "norm3"};
    const std::vector<std::string> notF8OfDenoiser = {
        "norm", "patch_embedding", "condition_embedder", "scale_shift_table"};
    return {.presets = bf16Presets({text}, {denoiser, second}, {picture}),
            // Source: diffusers 0.42.1 WanTransformer3DModel and transformers 5.23
            // UMT5EncoderModel, _keep_in_fp32_modules.
            .keptF32 = {{text, {"wo"}}, {denoiser, keptOfDenoiser}, {second, keptOfDenoiser}},
            .keptFromF8 = {{text, {"norm", "relative_attention_bias", "shared", "embed_tokens"}},
                           {denoiser, notF8OfDenoiser},
                           {second, notF8OfDenoiser},
                           {autoencoder, {"norm", "conv_in", "conv_out", "quant_conv"}}}};
}

}  // namespace

const memory::FamilyPrecision& wanPrecisions() {
    static const memory::FamilyPrecision precisions = makeWanPrecisions();
    return precisions;
}

}  // namespace lowtide::models
