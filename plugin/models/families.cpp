#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/families/family.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::models {

#define LOWTIDE_ENTRY(name) const Family& name();
#include "family_list.inc"
#undef LOWTIDE_ENTRY

std::span<const Family* const> families() {
    static const std::vector<const Family*> kFamilies = {
#define LOWTIDE_ENTRY(name) &name(),
#include "family_list.inc"
#undef LOWTIDE_ENTRY
    };
    return kFamilies;
}

const Family* familyOf(const Checkpoint& checkpoint) {
    const auto all = families();
    const auto family = std::find_if(
        all.begin(), all.end(), [&](const Family* known) { return known->detect(checkpoint); });
    return family == all.end() ? nullptr : *family;
}

std::shared_ptr<const Model> openCheckpoint(Checkpoint& checkpoint) {
    if (const Family* family = familyOf(checkpoint)) {
        return family->open(checkpoint);
    }
    std::vector<std::string> names;
    for (const Family* known : families()) {
        names.push_back(known->name);
    }
    const std::string seen = checkpoint.pipelineClass();
    throw Error(ErrorKind::Unsupported,
                "checkpoint " + checkpoint.name() + " is of the class " +
                    (seen.empty() ? "that model_index.json does not name" : "\"" + seen + "\"") +
                    ", the families that are built are " + join(names, ", "),
                "choose a checkpoint of one of these families",
                "checkpoint");
}

}  // namespace lowtide::models
