#include "plugin/nn/model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/text/prompt_syntax.hpp"

namespace lowtide::models {

std::string PromptRequest::spokenPrompt() const {
    return hasTags ? readTags(prompt).text : prompt;
}

tensor::VideoGuide Model::guideVideo(StageContext&, const VideoPictures&) const {
    refuseVideoStart(*this);
}

void refuseVideoStart(const Model& model) {
    throw Error(ErrorKind::Unsupported,
                model.info().checkpoint + " makes no videos that begin with a picture",
                "choose a checkpoint for image to video, or connect an empty latent",
                "model");
}

}  // namespace lowtide::models
