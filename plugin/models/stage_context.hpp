#pragma once

#include "plugin/residency/residency.hpp"
#include "plugin/tensor/recorder.hpp"

namespace lowtide::models {

/// What a stage works with: the way to weights, and the recorder.
struct StageContext {
    residency::Residency& residency;
    tensor::Record record;
};

}  // namespace lowtide::models
