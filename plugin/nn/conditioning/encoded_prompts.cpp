#include "plugin/nn/conditioning/encoded_prompts.hpp"

#include "plugin/base/error.hpp"

namespace lowtide::models {

std::shared_ptr<const tensor::Conditioning> encodedSide(const tensor::Record& record,
                                                        const ConditioningStatement& stated,
                                                        const at::Tensor& embeds,
                                                        const std::string& text,
                                                        const char* key) {
    record.put(key, embeds);
    return std::make_shared<const tensor::Conditioning>(
        stated.fields,
        std::vector<tensor::ConditioningEntry>{{.tensors = {{tensor::kEmbeds, embeds}}}},
        text,
        /*clipSkip=*/-1);
}

at::Tensor fieldIn(const tensor::Conditioning& conditioning,
                   const tensor::ConditioningField& wanted,
                   const char* item,
                   std::string_view checkpoint) {
    at::Tensor field = conditioning.tensor(wanted.name);
    const std::string reader(checkpoint);
    const char* hint = "connect a prompt that the denoiser's own checkpoint has encoded";
    requireThat(field.defined(),
                "the conditioning has no field " + wanted.name + ", which " + reader + " reads",
                hint,
                item);
    requireThat(field.size(0) == 1 && field.size(-1) == wanted.width,
                "the conditioning's field " + wanted.name + " is " +
                    std::to_string(field.size(-1)) + " wide, " + reader + " reads " +
                    std::to_string(wanted.width),
                hint,
                item);
    return field;
}

}  // namespace lowtide::models
