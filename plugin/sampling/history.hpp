#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <string>
#include <vector>

namespace lowtide::sampling {

/// Throws Error{Internal} with `problem` unless a carry fits the sampler that shall take it over.
void requireCarried(bool fits, const std::string& problem);

/// The predictions of the calls before, at most a given number of them, newest last.
class History {
public:
    explicit History(size_t most) : most_(most) {}

    [[nodiscard]] size_t size() const { return entries_.size(); }

    [[nodiscard]] size_t most() const { return most_; }

    /// The prediction of `calls` calls ago, 1 being the newest.
    [[nodiscard]] const at::Tensor& ago(size_t calls) const {
        return entries_[entries_.size() - calls];
    }

    /// Appends and forgets the oldest.
    void push(const at::Tensor& prediction);

    [[nodiscard]] const std::vector<at::Tensor>& entries() const { return entries_; }

    /// Takes over what entries() gave. Error{Internal} if there are more than `most`.
    void restore(std::span<const at::Tensor> entries);

private:
    size_t most_;
    std::vector<at::Tensor> entries_;
};

}  // namespace lowtide::sampling
