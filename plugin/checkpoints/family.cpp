#include "plugin/checkpoints/family.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lowtide::models {

const Family* familyOf(const Checkpoint& checkpoint, Families known) {
    const auto family = std::find_if(
        known.begin(), known.end(), [&](const Family* each) { return each->detect(checkpoint); });
    return family == known.end() ? nullptr : *family;
}

std::shared_ptr<const Model> openCheckpoint(Checkpoint& checkpoint, Families known) {
    if (const Family* family = familyOf(checkpoint, known)) {
        return family->open(checkpoint);
    }
    std::vector<std::string> names;
    for (const Family* each : known) {
        names.push_back(each->name);
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
