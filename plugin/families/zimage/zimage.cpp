#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/families/zimage/zimage_model.hpp"
#include "plugin/families/zimage/zimage_settings.hpp"
#include "plugin/families/zimage/zimage_transformer.hpp"

namespace lowtide::models {

const Layout& zimageFile();

namespace {

const Network kZImageNetwork{
    .classes = {"ZImageTransformer2DModel"},
    .open =
        [](const OpenedNetwork& opened) {
            (void)ZImageTransformer(
                readZImageConfig(opened.settings, opened.what), opened.weights, kDenoiser);
        },
    .models = "Z-Image",
    .find = zimageNaming,
    .evidence = "x_pad_token",
    .ownName = zimageName,
    .fusedQuery = ".qkv",
    .precise = {"x_embedder.", "final_layer.", "pad_token"}};

bool detectZImage(const Checkpoint& checkpoint) {
    return checkpoint.pipelineClass() == "ZImagePipeline";
}

std::shared_ptr<const Model> openZImage(Checkpoint& checkpoint) {
    return std::make_shared<const ZImageModel>(checkpoint);
}

}  // namespace

const Family& zimage() {
    static const Family family{
        .name = "zimage",
        .components = zimageComponents(),
        .detect = detectZImage,
        .open = openZImage,
        .texts = {{"text_encoder", "tokenizer", {"Qwen3Model", "Qwen3ForCausalLM"}}},
        .networks = {&kZImageNetwork},
        .layouts = {&zimageFile()},
        // Lumina 2 has the same names and is 2304 wide.
        .adapters = {.name = "Z-Image",
                     .parts = {"noise.refiner.",
                               "context.refiner.",
                               ".attention.qkv",
                               ".attention.to.",
                               ".feed.forward.w"},
                     .wholeModules = {"attention.qkv",
                                      "attention.to.q",
                                      "attention.to.k",
                                      "attention.to.v",
                                      "attn.to.q",
                                      "attn.to.k",
                                      "attn.to.v",
                                      "feed.forward.w1",
                                      "feed.forward.w3"},
                     .widths = {3840}}};
    return family;
}

}  // namespace lowtide::models
