#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::nodes {

/// What was made of single pictures, [1, ...] each, as one tensor [count, ...]: made with the first
/// of several; a picture alone is itself.
class JoinedPictures {
public:
    explicit JoinedPictures(int64_t count) : count_(count) {}

    void put(int64_t index, at::Tensor picture);

    /// Once all are put.
    [[nodiscard]] at::Tensor take() { return std::move(all_); }

private:
    int64_t count_;
    at::Tensor all_;
};

}  // namespace lowtide::nodes
