#include "nodes/engine/node_def.hpp"

namespace lowtide::nodes {

std::string idsOf(const std::vector<ChoiceDesc>& choices) {
    std::string text;
    for (const ChoiceDesc& choice : choices) {
        text += (text.empty() ? "" : ", ") + choice.id;
    }
    return text;
}

}  // namespace lowtide::nodes
