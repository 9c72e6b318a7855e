#include "plugin/text/prompt_weights.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

namespace lowtide::models {

PromptWeights promptWeightsNamed(const std::string& name) {
    if (name == "none") {
        return PromptWeights::None;
    }
    if (name == "a1111") {
        return PromptWeights::A1111;
    }
    if (name == "compel") {
        return PromptWeights::Compel;
    }
    throw Error(ErrorKind::InvalidInput,
                "there is no way of weights " + quotedName(name),
                "choose none, a1111 or compel",
                "weights");
}

}  // namespace lowtide::models
