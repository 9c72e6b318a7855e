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
    const Message hint = message("connect a prompt that the denoiser's own checkpoint has encoded");
    requireThat(field.defined(),
                message("the conditioning has no field {}, which {} reads", wanted.name, reader),
                hint,
                item);
    requireThat(field.size(0) == 1 && field.size(-1) == wanted.width,
                message("the conditioning's field {} is {} wide, {} reads {}",
                        wanted.name,
                        field.size(-1),
                        reader,
                        wanted.width),
                hint,
                item);
    return field;
}

}  // namespace lowtide::models
