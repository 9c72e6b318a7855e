#include "plugin/checkpoints/model_part.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/memory/resolve_precision.hpp"

namespace lowtide::models {

ModelPart::ModelPart(const SplitPart& part,
                     const std::vector<ParameterFile>& files,
                     const std::string& resourcesFolder)
    : part_(part) {
    for (const ParameterFile& file : files) {
        try {
            const std::unique_ptr<Checkpoint> opened =
                openPart(file.path, part.component, resourcesFolder);
            openNetwork(*opened, part.component);
            const std::vector<memory::WeightFile> own = opened->files();
            files_.insert(files_.end(), own.begin(), own.end());
        } catch (const Error& error) {
            throw Error(error.kind(), error.message(), error.hint(), file.parameter);
        }
        paths_.push_back(file.path);
    }
}

const memory::FamilyPrecision& ModelPart::precisions() const {
    static const memory::FamilyPrecision none;
    return none;
}

}  // namespace lowtide::models
