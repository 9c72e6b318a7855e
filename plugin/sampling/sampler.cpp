#include "plugin/sampling/sampler.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>

namespace lowtide::sampling {

// The build defines which list: a test program has one of its own (tests/unit/nodes).
#define LOWTIDE_SAMPLER(name) SamplerType name();
#include LOWTIDE_SAMPLER_LIST
#undef LOWTIDE_SAMPLER

namespace {

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const SamplerType& type : samplers()) {
        all.push_back(type.name);
    }
    return all;
}

[[noreturn]] void refuseSampler(const Message& problem) {
    throw Error(ErrorKind::InvalidInput,
                problem,
                message("choose {}, or checkpoint where its own is built", join(names(), ", ")),
                "sampler");
}

const SamplerType* samplerOf(const std::string& name) {
    const auto all = samplers();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& type) { return type.name == name; });
    return found == all.end() ? nullptr : &*found;
}

bool replaces(const SamplerType& type, const std::string& name) {
    const auto& others = type.otherClasses;
    return type.schedulerClass == name ||
           std::find(others.begin(), others.end(), name) != others.end();
}

bool isMeant(const SamplerType& type, const Json& config) {
    for (const auto& [key, value] : type.settings.items()) {
        const auto found = config.find(key);
        if (found == config.end() || *found != value) {
            return false;
        }
    }
    return true;
}

/// Of the types of one class, the one with the most settings that stand in the file.
const SamplerType* samplerOfClass(const std::string& name, const Json& config) {
    const SamplerType* best = nullptr;
    for (const SamplerType& type : samplers()) {
        const bool fits = replaces(type, name) && isMeant(type, config);
        if (fits && (!best || type.settings.size() > best->settings.size())) {
            best = &type;
        }
    }
    return best;
}

}  // namespace

double Sampler::noiseRatio(int call) const {
    const at::Tensor& sigmas = schedule().sigmas;
    LOWTIDE_ASSERT(sigmas.defined() && call < sigmas.size(0));
    return sigmas.const_data_ptr<float>()[call];
}

double timestepIn(const at::Tensor& timestep) {
    LOWTIDE_ASSERT(timestep.is_cpu() && timestep.numel() == 1);
    return timestep.scalar_type() == at::kLong
               ? static_cast<double>(*timestep.const_data_ptr<int64_t>())
               : static_cast<double>(*timestep.const_data_ptr<float>());
}

int64_t trainStepsOf(const Json& checkpointConfig) {
    constexpr int64_t kPublished = 1000;
    return schedulerReader(checkpointConfig).integer("num_train_timesteps").value_or(kPublished);
}

std::span<const SamplerType> samplers() {
    static const std::vector<SamplerType> kTypes = {
#define LOWTIDE_SAMPLER(name) name(),
#include LOWTIDE_SAMPLER_LIST
#undef LOWTIDE_SAMPLER
    };
    return kTypes;
}

const SamplerType& samplerNamed(const std::string& name, const Json& checkpointConfig) {
    if (name != "checkpoint") {
        const SamplerType* type = samplerOf(name);
        if (!type) {
            refuseSampler(message("there is no sampler \"{}\"", name));
        }
        return *type;
    }
    const auto wanted = schedulerReader(checkpointConfig).text("_class_name");
    if (!wanted) {
        refuseSampler(message("the checkpoint does not name its sampler (_class_name is missing)"));
    }
    const SamplerType* type = samplerOfClass(*wanted, checkpointConfig);
    if (!type) {
        refuseSampler(message("the checkpoint's own sampler, {}, is not built", *wanted));
    }
    return *type;
}

ChosenSampler chosenSampler(const std::string& name, const Json& checkpointConfig) {
    const SamplerType& type = samplerNamed(name, checkpointConfig);
    Json config =
        name == "checkpoint" ? checkpointConfig : withSettings(checkpointConfig, type.named);
    SamplerFacts facts = type.facts
                             ? type.facts(config)
                             : SamplerFacts{.label = type.label, .drawsNoise = type.drawsNoise};
    return {.type = type, .config = std::move(config), .facts = std::move(facts)};
}

void requireCarried(bool fits, const Message& problem) {
    if (!fits) {
        throw Error(ErrorKind::Internal,
                    message("a pass was given another sampler's state: {}", problem),
                    message("clear the result cache, or switch keep_noise off in the pass before"),
                    "latent");
    }
}

void History::push(const at::Tensor& prediction) {
    entries_.push_back(prediction);
    if (entries_.size() > most_) {
        entries_.erase(entries_.begin());
    }
}

void History::restore(std::span<const at::Tensor> entries) {
    requireCarried(entries.size() <= most_,
                   message("{} predictions for a solver that keeps {}", entries.size(), most_));
    entries_.assign(entries.begin(), entries.end());
}

}  // namespace lowtide::sampling
