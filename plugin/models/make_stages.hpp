#pragma once

#include "plugin/models/stages.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::residency {
class Residency;
}

namespace lowtide::tensor {
class Recorder;
}

namespace lowtide::models {

/// What the stages stand on; given by the composition root.
struct StagesSettings {
    residency::Residency& residency;  ///< must outlive the stages
    std::string resourcesFolder;      ///< holds mini/model for "builtin:mini"
    std::vector<std::string> modelFolders;
    std::function<tensor::Recorder*()>
        recorder;  ///< asked at every stage; nullptr: nothing is recorded
};

[[nodiscard]] std::unique_ptr<Stages> makeStages(StagesSettings settings);

}  // namespace lowtide::models
