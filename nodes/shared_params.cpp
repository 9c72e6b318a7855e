#include "nodes/shared_params.hpp"

#include "plugin/base/hash.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/named_schedule.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/solvers/solver.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace lowtide::nodes {

namespace {

constexpr const char* kVideoSize = "Size of the video. Must be a multiple of 16 for most models.";
constexpr double kVideoMultiple = 16;

ParamDesc videoSizeParam(std::string id, std::string label) {
    ParamDesc param = emptySideParam(std::move(id), std::move(label), kVideoSize);
    param.step = kVideoMultiple;
    return param;
}

}  // namespace

ParamDesc videoWidthParam() {
    return videoSizeParam("width", "Width");
}

ParamDesc videoHeightParam() {
    return videoSizeParam("height", "Height");
}

ParamDesc videoFramesParam() {
    return {.id = "frames",
            .label = "Frames",
            .tooltip = "Frames of the video: one more than a multiple of 4 for most models.",
            .unit = "frames",
            .min = 1,
            .max = 4096,
            .softMin = 1,
            .softMax = 161,
            .step = 4};
}

ParamDesc videoRateParam() {
    return {.id = "rate",
            .label = "Rate",
            .tooltip = "Frames a second at which the video is shown; changes no frame.",
            .unit = "fps",
            .min = 0.1,
            .max = 1000,
            .softMin = 1,
            .softMax = 60,
            .step = 1};
}

ParamDesc stepsParam() {
    return {.id = "steps",
            .label = "Steps",
            .tooltip =
                "Steps of the sampler over the whole schedule. More steps take longer and "
                "refine the image.",
            .unit = "steps",
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
                "How strongly the image follows the prompt (classifier-free guidance). Off "
                "from 0 to 1. -1 is automatic: the model's usual guidance, or 7.5 where none is "
                "known.",
            .min = -1,
            .max = 100,
            .softMin = 1,
            .softMax = 15,
            .step = 0.5};
}

ParamDesc seedParam(std::string tooltip) {
    return {.id = "seed", .label = "Seed", .tooltip = std::move(tooltip)};
}

ParamDesc samplerParam() {
    std::vector<ChoiceDesc> choices = {{"checkpoint", "The checkpoint's own"}};
    for (const sampling::SamplerType& type : sampling::samplers()) {
        choices.push_back({type.name, type.label});
    }
    for (const sampling::SolverType& type : sampling::solvers()) {
        const bool isNew = std::none_of(choices.begin(), choices.end(), [&](const auto& known) {
            return known.id == type.name;
        });
        if (isNew) {
            choices.push_back({type.name, type.label});
        }
    }
    return {.id = "sampler",
            .label = "Sampler",
            .tooltip = "How the noise is taken away step by step.",
            .kind = ParamKind::Choice,
            .choices = std::move(choices)};
}

ParamDesc scheduleParam() {
    std::vector<ChoiceDesc> choices = {{"automatic", "Automatic"}};
    for (const sampling::NamedSchedule& schedule : sampling::namedSchedules()) {
        choices.push_back({schedule.name, schedule.label});
    }
    return {.id = "schedule",
            .label = "Schedule",
            .tooltip =
                "Which noise levels the steps visit, by the names of ComfyUI and A1111. "
                "Automatic leaves it to the sampler, the checkpoint, Sigmas and Spacing.",
            .kind = ParamKind::Choice,
            .choices = std::move(choices)};
}

ParamDesc sigmasParam() {
    return {.id = "sigmas",
            .label = "Sigmas",
            .tooltip =
                "How the noise levels are spread; sampler leaves it to the sampler and the "
                "checkpoint.",
            .kind = ParamKind::Choice,
            .choices = {{"sampler", "As the sampler does"},
                        {"normal", "Normal"},
                        {"karras", "Karras"},
                        {"exponential", "Exponential"},
                        {"beta", "Beta"},
                        {"lu", "Lu"}}};
}

ParamDesc spacingParam() {
    return {.id = "spacing",
            .label = "Spacing",
            .tooltip =
                "Which timesteps of the training are visited; sampler leaves it to the sampler "
                "and the checkpoint.",
            .kind = ParamKind::Choice,
            .choices = {{"sampler", "As the sampler does"},
                        {"leading", "Leading"},
                        {"trailing", "Trailing"},
                        {"linspace", "Linspace"}}};
}

files::InputFile chosenFile(const FileParam& param,
                            const std::string& typed,
                            std::string_view graphFolder) {
    const std::string path = trim(typed);
    if (path.empty()) {
        throw Error(
            ErrorKind::NotFound, message("no {} is chosen", param.what), param.hint, param.id);
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
