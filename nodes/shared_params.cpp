#include "nodes/shared_params.hpp"

#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/sampler.hpp"

#include <filesystem>
#include <utility>

namespace lowtide::nodes {

ParamDesc choiceParam(std::string id,
                      std::string label,
                      std::string tooltip,
                      std::vector<ChoiceDesc> choices) {
    Scalar first = choices.front().id;
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .kind = ParamKind::Choice,
            .defaultValue = std::move(first),
            .choices = std::move(choices)};
}

ParamDesc stepsParam() {
    return {.id = "steps",
            .label = "Steps",
            .tooltip =
                "Steps of the sampler over the whole schedule. More steps take longer and "
                "refine the picture.",
            .unit = "steps",
            .kind = ParamKind::Int,
            .defaultValue = int64_t{20},
            .min = 1,
            .max = kMostSteps,
            .softMin = 1,
            .softMax = 50,
            .step = 1};
}

ParamDesc guidanceParam() {
    return {.id = "cfg",
            .label = "Guidance",
            .tooltip =
                "How strongly the picture follows the prompt (classifier-free guidance). Off "
                "at 1 and below.",
            .kind = ParamKind::Float,
            .defaultValue = 7.5,
            .min = 0,
            .max = 100,
            .softMin = 1,
            .softMax = 15,
            .step = 0.5};
}

ParamDesc seedParam(std::string tooltip) {
    return {.id = "seed",
            .label = "Seed",
            .tooltip = std::move(tooltip),
            .kind = ParamKind::Seed,
            .defaultValue = uint64_t{0}};
}

ParamDesc samplerParam() {
    std::vector<ChoiceDesc> choices = {{"checkpoint", "The checkpoint's own"}};
    for (const sampling::SamplerType& type : sampling::samplers()) {
        choices.push_back({type.name, type.label});
    }
    return choiceParam(
        "sampler", "Sampler", "How the noise is taken away step by step.", std::move(choices));
}

ParamDesc sigmasParam() {
    return choiceParam(
        "sigmas",
        "Sigmas",
        "How the noise levels are spread; sampler leaves it to the sampler and the checkpoint.",
        {{"sampler", "As the sampler does"},
         {"normal", "Normal"},
         {"karras", "Karras"},
         {"exponential", "Exponential"},
         {"beta", "Beta"},
         {"lu", "Lu"}});
}

ParamDesc spacingParam() {
    return choiceParam(
        "spacing",
        "Spacing",
        "Which timesteps of the training are visited; sampler leaves it to the sampler and "
        "the checkpoint.",
        {{"sampler", "As the sampler does"},
         {"leading", "Leading"},
         {"trailing", "Trailing"},
         {"linspace", "Linspace"}});
}

files::InputFile chosenFile(const FileParam& param,
                            const std::string& typed,
                            std::string_view graphFolder) {
    const std::string path = trim(typed);
    if (path.empty()) {
        throw Error(ErrorKind::NotFound,
                    std::string("no ") + param.what + " is chosen",
                    param.hint,
                    param.id);
    }
    return blaming(param, [&] {
        // An absolute path takes the place of the folder.
        return files::InputFile((std::filesystem::path(graphFolder) / path).string());
    });
}

std::string fingerprintOf(const files::InputFile& file) {
    const files::FileIdentity& identity = file.identity();
    Hasher hasher;
    hasher.add(file.path()).add(identity.size).add(identity.modifiedNanoseconds);
    hasher.add(static_cast<int64_t>(identity.inode));
    return hasher.hexDigest();
}

}  // namespace lowtide::nodes
