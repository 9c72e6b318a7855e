#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::nodes {

/// What was made of single images, [1, ...] each, as one tensor [count, ...]: made with the first
/// of several; an image alone is itself.
class JoinedImages {
public:
    explicit JoinedImages(int64_t count) : count_(count) {}

    void put(int64_t index, at::Tensor image);

    /// Once all are put.
    [[nodiscard]] at::Tensor take() { return std::move(all_); }

private:
    int64_t count_;
    at::Tensor all_;
};

}  // namespace lowtide::nodes
