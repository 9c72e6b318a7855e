#include "plugin/families/wan/wan.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/diffusers_parts.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/families/wan/wan_autoencoder.hpp"
#include "plugin/families/wan/wan_file.hpp"
#include "plugin/families/wan/wan_model.hpp"
#include "plugin/families/wan/wan_transformer.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

/// Figures of Wan21 in ComfyUI's latent_formats.py, for latents with mean and deviation taken out.
const LatentToRgb& wanColours() {
    static const LatentToRgb kColours = {.ofChannels = {{-0.1299, -0.1692, 0.2932},
                                                        {0.0671, 0.0406, 0.0442},
                                                        {0.3568, 0.2548, 0.1747},
                                                        {0.0372, 0.2344, 0.1420},
                                                        {0.0313, 0.0189, -0.0328},
                                                        {0.0296, -0.0956, -0.0665},
                                                        {-0.3477, -0.4059, -0.2925},
                                                        {0.0166, 0.1902, 0.1975},
                                                        {-0.0412, 0.0267, -0.1364},
                                                        {-0.1293, 0.0740, 0.1636},
                                                        {0.0680, 0.3019, 0.1128},
                                                        {0.0032, 0.0581, 0.0639},
                                                        {-0.1251, 0.0927, 0.1699},
                                                        {0.0060, -0.0633, 0.0005},
                                                        {0.3477, 0.2275, 0.2950},
                                                        {0.1984, 0.0913, 0.1861}},
                                         .ofZero = {-0.1835, -0.0868, -0.3360}};
    return kColours;
}

}  // namespace

std::optional<LatentToRgb> wanLatentToRgb(Checkpoint& checkpoint, int64_t latentChannels) {
    return latentToRgbOr(checkpoint,
                         latentChannels,
                         static_cast<int64_t>(wanColours().ofChannels.size()),
                         wanColours);
}

namespace {

memory::FamilyPrecision makeWanPrecisions() {
    const std::string text(kTextEncoder);
    const std::string image(kImageEncoder);
    const std::string denoiser(kDenoiser);
    const std::string second(kSecondDenoiser);
    const std::string autoencoder(kAutoencoder);
    const std::vector<std::string> keptOfDenoiser = {
        "time_embedder", "scale_shift_table", "norm1", "norm2", "norm3"};
    const std::vector<std::string> notF8OfDenoiser = {
        "norm", "patch_embedding", "condition_embedder", "scale_shift_table"};
    return {.presets = bf16Presets({text}, {denoiser, second}, {image}),
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

namespace {

/// WAN's latents have 16 channels, but 48 in 2.2 5B.
void openWanTransformer(const OpenedNetwork& opened) {
    constexpr int64_t kChannels = 16;
    const WanConfig config = readWanConfig(opened.settings, opened.what);
    if (config.outChannels != kChannels) {
        throw Error(ErrorKind::Unsupported,
                    message("{} makes latents with {} channels; WAN models that are built have {}, "
                            "WAN 2.2 5B is not built",
                            opened.weights.what,
                            config.outChannels,
                            kChannels),
                    message("choose WAN 2.1, or WAN 2.2 A14B"));
    }
    (void)WanTransformer(config, opened.weights, kDenoiser);
}

const Network kWanNetwork = withOpen(wanNetwork(), openWanTransformer);

const Network kWanAutoencoderNetwork{
    .classes = {"AutoencoderKLWan"}, .open = [](const OpenedNetwork& opened) {
        (void)WanAutoencoder(
            readWanAutoencoderConfig(opened.settings, opened.what), opened.weights, kAutoencoder);
    }};

bool detectWan(const Checkpoint& checkpoint) {
    static constexpr std::string_view kPipelines[] = {"WanPipeline", "WanImageToVideoPipeline"};
    const std::string seen = checkpoint.pipelineClass();
    return std::find(std::begin(kPipelines), std::end(kPipelines), seen) != std::end(kPipelines);
}

std::shared_ptr<const Model> openWan(Checkpoint& checkpoint) {
    return std::make_shared<const WanModel>(checkpoint);
}

}  // namespace

const Family& wan() {
    static const Family family{.name = "wan",
                               .components = wanComponents(),
                               .detect = detectWan,
                               .open = openWan,
                               .label = [](Checkpoint&) { return std::string("WAN"); },
                               .texts = {{"text_encoder", "tokenizer", {"UMT5EncoderModel"}}},
                               .networks = {&kWanNetwork, &kWanAutoencoderNetwork},
                               .layouts = {&wanAutoencoderFile()},
                               .adapters = {.ownContexts = {{1536, phrase("WAN 1.3B")},
                                                            {5120, phrase("WAN 14B")},
                                                            {3072, phrase("WAN 2.2 5B"), false}}}};
    return family;
}

}  // namespace lowtide::models
