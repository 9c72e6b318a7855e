#include "plugin/sampling/history.hpp"

#include "plugin/base/error.hpp"

#include <ATen/ATen.h>

#include <string>

namespace lowtide::sampling {

void requireCarried(bool fits, const std::string& problem) {
    if (!fits) {
        throw Error(ErrorKind::Internal,
                    "a pass was given another sampler's state: " + problem,
                    "clear the result cache, or turn keep_noise off in the pass before",
                    "latent");
    }
}

void History::push(const at::Tensor& prediction) {
    entries_.push_back(prediction);
    if (entries_.size() > most_) {
        entries_.erase(entries_.begin());
    }
}

void History::restore(std::span<const at::Tensor> entries) {
    requireCarried(entries.size() <= most_,
                   std::to_string(entries.size()) + " predictions for a solver that keeps " +
                       std::to_string(most_));
    entries_.assign(entries.begin(), entries.end());
}

}  // namespace lowtide::sampling
