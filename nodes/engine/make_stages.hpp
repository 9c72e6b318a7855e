#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/nn/latent_space.hpp"
#include "plugin/tensor/recorder.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lowtide::files {
class FileDigests;
}

namespace lowtide::residency {
class Residency;
}

namespace lowtide::tensor {
class Recorder;
}

namespace lowtide::models {
struct Family;
}

namespace lowtide::nodes {

/// What the stages stand on; given by the composition root.
struct StagesSettings {
    residency::Residency& residency;  ///< must outlive the stages
    std::string resourcesFolder;      ///< holds mini/model for "builtin:mini"
    std::vector<std::string> modelFolders;
    std::function<tensor::Recorder*()>
        recorder;  ///< asked at every stage; nullptr: nothing is recorded
    std::function<const tensor::RecordedTensors*()>
        teacher{};  ///< asked at every stage; nullptr, or none: denoisers go their own way
    models::PreviewPace previewPace{};
    std::span<const models::Family* const>
        families{};                                 ///< of checkpoints; empty: all that are built
    std::shared_ptr<files::FileDigests> digests{};  ///< null: the stages keep their own in memory
};

[[nodiscard]] std::unique_ptr<Stages> makeStages(StagesSettings settings);

}  // namespace lowtide::nodes
