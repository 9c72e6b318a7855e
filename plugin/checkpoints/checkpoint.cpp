#include "plugin/checkpoints/checkpoint.hpp"

namespace lowtide::models {

std::string Checkpoint::pipelineClass() const {
    return JsonReader(index(), "model_index.json").text("_class_name").value_or("");
}

std::string Checkpoint::componentClass(std::string_view component) const {
    const auto entry = index().find(component);
    const bool isPair = entry != index().end() && entry->is_array() && entry->size() == 2;
    return isPair && (*entry)[1].is_string() ? (*entry)[1].get<std::string>() : std::string();
}

}  // namespace lowtide::models
