// The families as far as their files: layouts, names and marks, without the networks, which take
// LibTorch.

#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/upscaler_type.hpp"
#include "plugin/families/flux/flux_file.hpp"
#include "plugin/families/hidream/hidream_file.hpp"
#include "plugin/families/wan/wan_file.hpp"
#include "plugin/families/zimage/zimage_file.hpp"

namespace lowtide::models {

const Layout& sd_ldm();
const Layout& sdxl_ldm();

Families families() {
    static const Network kNetworks[] = {
        wanNetwork(), hidreamNetwork(), zimageNetwork(), fluxNetwork()};
    static const Family light{
        .name = "light",
        .networks = {&kNetworks[0], &kNetworks[1], &kNetworks[2], &kNetworks[3]},
        .layouts = {&sd_ldm(), &sdxl_ldm(), &wanAutoencoderFile()},
        .adapters = {
            .name = "Z-Image",
            .parts = {"noise.refiner.", ".attention.qkv", "double.stream.blocks."},
            .beginnings = {"double_blocks.", "single_transformer_blocks."},
            .wholeModules = {"attention.qkv", "feed.forward.w1"},
            .widths = {3840},
            .latentModules = {"img.in"},
            .latentWidth = 64,
            .contexts = {{768, phrase("SD 1.x")}},
            .ownContexts = {{5120, phrase("WAN 14B")}, {3072, phrase("WAN 2.2 5B"), false}},
            .texts = {{768, phrase("the text encoder of SD 1.x and XL")}}}};
    static const Family* const all[] = {&light};
    return all;
}

const std::vector<const Network*>& networks() {
    return families().front()->networks;
}

std::span<const UpscalerType* const> upscalerTypes() {
    return {};
}

}  // namespace lowtide::models
