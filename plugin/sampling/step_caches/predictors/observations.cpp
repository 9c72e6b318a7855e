#include "plugin/sampling/step_caches/predictors/observations.hpp"

#include "plugin/base/error.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

void Observations::push(double time, const at::Tensor& value) {
    LOWTIDE_ASSERT(entries_.empty() || value.sizes() == newest().value.sizes());
    if (!entries_.empty() && newest().time == time) {
        entries_.back().value = value;
        return;
    }
    makeRoom();
    entries_.push_back({.time = time, .value = value});
}

void Observations::makeRoom() {
    if (entries_.size() == most_) {
        entries_.erase(entries_.begin());
    }
}

std::vector<double> Observations::times() const {
    std::vector<double> result;
    for (const Observation& entry : entries_) {
        result.push_back(entry.time);
    }
    return result;
}

std::vector<at::Tensor> Observations::values() const {
    std::vector<at::Tensor> result;
    for (const Observation& entry : entries_) {
        result.push_back(entry.value);
    }
    return result;
}

}  // namespace lowtide::sampling
