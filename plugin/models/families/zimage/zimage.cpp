#include "plugin/models/families/family.hpp"
#include "plugin/models/families/zimage/zimage_model.hpp"

namespace lowtide::models {

namespace {

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
        .texts = {{"text_encoder", "tokenizer", {"Qwen3Model", "Qwen3ForCausalLM"}}}};
    return family;
}

}  // namespace lowtide::models
