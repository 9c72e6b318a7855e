#include "plugin/models/model.hpp"

#include "plugin/models/text/lora_tags.hpp"

namespace lowtide::models {

std::string PromptRequest::spokenPrompt() const {
    return hasTags ? readTags(prompt).text : prompt;
}

}  // namespace lowtide::models
