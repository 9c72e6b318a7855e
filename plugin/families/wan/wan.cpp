#include "plugin/base/error.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/families/wan/wan_autoencoder.hpp"
#include "plugin/families/wan/wan_components.hpp"
#include "plugin/families/wan/wan_model.hpp"
#include "plugin/families/wan/wan_names.hpp"
#include "plugin/families/wan/wan_transformer.hpp"

#include <algorithm>

namespace lowtide::models {

const Layout& wanFile();
const Layout& wanAutoencoderFile();

namespace {

/// WAN's latents have 16 channels, but 48 in 2.2 5B.
void openWanTransformer(const OpenedNetwork& opened) {
    constexpr int64_t kChannels = 16;
    const WanConfig config = readWanConfig(opened.settings, opened.what);
    if (config.outChannels != kChannels) {
        throw Error(ErrorKind::Unsupported,
                    opened.weights.what + " makes latents with " +
                        std::to_string(config.outChannels) +
                        " channels; WAN models that are built have " + std::to_string(kChannels) +
                        ", WAN 2.2 5B is not built",
                    "choose WAN 2.1, or WAN 2.2 A14B");
    }
    (void)WanTransformer(config, opened.weights, kDenoiser);
}

const Network kWanNetwork{.classes = {"WanTransformer3DModel"},
                          .open = openWanTransformer,
                          .models = "WAN",
                          .find = wanNaming,
                          .evidence = "head.modulation",
                          .ownName = wanDenoiserName,
                          .precise = {"head.", ".modulation", "scale_shift_table"}};

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
    static const Family family{
        .name = "wan",
        .components = wanComponents(),
        .detect = detectWan,
        .open = openWan,
        .texts = {{"text_encoder", "tokenizer", {"UMT5EncoderModel"}}},
        .networks = {&kWanNetwork, &kWanAutoencoderNetwork},
        .layouts = {&wanFile(), &wanAutoencoderFile()},
        .adapters = {
            .contexts = {{1536, "WAN 1.3B"}, {5120, "WAN 14B"}, {3072, "WAN 2.2 5B", false}}}};
    return family;
}

}  // namespace lowtide::models
