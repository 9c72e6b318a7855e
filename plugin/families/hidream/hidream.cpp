#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/families/hidream/hidream_components.hpp"
#include "plugin/families/hidream/hidream_model.hpp"
#include "plugin/families/hidream/hidream_settings.hpp"
#include "plugin/families/hidream/hidream_transformer.hpp"

namespace lowtide::models {

const Layout& hidreamFile();

namespace {

const Network kHiDreamNetwork{
    .classes = {"HiDreamImageTransformer2DModel"},
    .open =
        [](const OpenedNetwork& opened) {
            (void)HiDreamTransformer(
                readHiDreamConfig(opened.settings, opened.what), opened.weights, kDenoiser);
        },
    .models = "HiDream-I1",
    .find = hidreamNaming,
    .evidence = "caption_projection.0.linear.weight",
    .precise = {"x_embedder.", "final_layer.", ".ff_i.gate."}};

constexpr const char* kClipClass = "CLIPTextModelWithProjection";

bool detectHiDream(const Checkpoint& checkpoint) {
    return checkpoint.pipelineClass() == "HiDreamImagePipeline";
}

std::shared_ptr<const Model> openHiDream(Checkpoint& checkpoint) {
    return std::make_shared<const HiDreamModel>(checkpoint);
}

}  // namespace

const Family& hidream() {
    static const Family family{
        .name = "hidream",
        .components = hidreamComponents(),
        .detect = detectHiDream,
        .open = openHiDream,
        .texts = {{"text_encoder", "tokenizer", {kClipClass}},
                  {"text_encoder_2", "tokenizer_2", {kClipClass}},
                  {"text_encoder_3", "tokenizer_3", {"T5EncoderModel"}},
                  {"text_encoder_4", "tokenizer_4", {"LlamaForCausalLM", "LlamaModel"}}},
        .networks = {&kHiDreamNetwork},
        .layouts = {&hidreamFile()},
        .adapters = {.name = "HiDream-I1",
                     .parts = {"double.stream.blocks.", "single.stream.blocks."}}};
    return family;
}

}  // namespace lowtide::models
