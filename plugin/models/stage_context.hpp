#pragma once

#include "plugin/residency/weight_source.hpp"
#include "plugin/tensor/recorder.hpp"

namespace lowtide::models {

/// What a stage works with: the way to weights, and the recorder.
struct StageContext {
    residency::WeightSource& weights;
    tensor::Record record;
};

}  // namespace lowtide::models
