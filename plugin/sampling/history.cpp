#include "plugin/sampling/history.hpp"

#include "plugin/base/error.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

void History::push(const at::Tensor& prediction) {
    entries_.push_back(prediction);
    if (entries_.size() > most_) {
        entries_.erase(entries_.begin());
    }
}

void History::restore(std::span<const at::Tensor> entries) {
    LOWTIDE_ASSERT(entries.size() <= most_);
    entries_.assign(entries.begin(), entries.end());
}

}  // namespace lowtide::sampling
