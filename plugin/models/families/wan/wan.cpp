#include "plugin/models/families/family.hpp"
#include "plugin/models/families/wan/wan_components.hpp"
#include "plugin/models/families/wan/wan_model.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

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
                               .texts = {{"text_encoder", "tokenizer", {"UMT5EncoderModel"}}}};
    return family;
}

}  // namespace lowtide::models
