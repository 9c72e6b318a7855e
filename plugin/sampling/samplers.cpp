#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <algorithm>

namespace lowtide::sampling {

#define LOWTIDE_ENTRY(name) SamplerType name();
#include "sampler_list.inc"
#undef LOWTIDE_ENTRY

namespace {

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const SamplerType& type : samplers()) {
        all.push_back(type.name);
    }
    return all;
}

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorKind::InvalidInput,
                message,
                "choose " + join(names(), ", ") + ", or checkpoint where its own is built",
                "sampler");
}

template <class Matches>
const SamplerType* findSampler(Matches matches) {
    const auto all = samplers();
    const auto found = std::find_if(all.begin(), all.end(), matches);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::span<const SamplerType> samplers() {
    static const std::vector<SamplerType> kTypes = {
#define LOWTIDE_ENTRY(name) name(),
#include "sampler_list.inc"
#undef LOWTIDE_ENTRY
    };
    return kTypes;
}

const SamplerType& samplerNamed(const std::string& name, const Json& checkpointConfig) {
    if (name != "checkpoint") {
        const auto* type =
            findSampler([&](const SamplerType& known) { return known.name == name; });
        if (!type) {
            refuse("there is no sampler \"" + name + "\"");
        }
        return *type;
    }
    const auto wanted = schedulerReader(checkpointConfig).text("_class_name");
    if (!wanted) {
        refuse("the checkpoint does not name its sampler (_class_name is missing)");
    }
    const auto* type =
        findSampler([&](const SamplerType& known) { return known.schedulerClass == *wanted; });
    if (!type) {
        refuse("the checkpoint's own sampler, " + *wanted + ", is not built");
    }
    return *type;
}

}  // namespace lowtide::sampling
