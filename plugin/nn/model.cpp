#include "plugin/nn/model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/text/prompt_syntax.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

std::string PromptRequest::spokenPrompt() const {
    return hasTags ? readTags(prompt).text : prompt;
}

tensor::ImageConditioning Model::encodeImageConditioning(StageContext&, const VideoImages&) const {
    refuseVideoStart(*this);
}

const TreeSource* FamilyModel::sourceOf(std::string_view role) const {
    const auto found = std::find_if(sources_.begin(), sources_.end(), [&](const TreeSource& each) {
        return each.role == role;
    });
    return found == sources_.end() ? nullptr : &*found;
}

std::shared_ptr<const memory::ComponentTree> FamilyModel::tree(std::string_view role) const {
    const TreeSource* source = sourceOf(role);
    return source ? source->tree() : nullptr;
}

std::shared_ptr<const memory::ComponentTree> FamilyModel::openedTree(std::string_view role) const {
    const TreeSource* source = sourceOf(role);
    return source ? source->openedTree() : nullptr;
}

void FamilyModel::setComponents(std::vector<ComponentDesc> all, std::vector<TreeSource> sources) {
    sources_ = std::move(sources);
    std::erase_if(all, [&](const ComponentDesc& each) { return !sourceOf(each.role); });
    components_ = std::move(all);
}

void refuseVideoStart(const Model& model) {
    throw Error(ErrorKind::Unsupported,
                message("{} makes no videos that begin with an image", model.info().checkpoint),
                message("choose a checkpoint for image to video, or connect an empty latent"),
                "model");
}

}  // namespace lowtide::models
