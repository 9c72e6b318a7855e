#include "plugin/models/families/family.hpp"
#include "plugin/models/families/hidream/hidream_components.hpp"
#include "plugin/models/families/hidream/hidream_model.hpp"

namespace lowtide::models {

namespace {

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
                  {"text_encoder_4", "tokenizer_4", {"LlamaForCausalLM", "LlamaModel"}}}};
    return family;
}

}  // namespace lowtide::models
