#include "nodes/engine/joined_images.hpp"

#include <ATen/ATen.h>

#include <utility>
#include <vector>

namespace lowtide::nodes {

void JoinedImages::put(int64_t index, at::Tensor image) {
    if (count_ == 1) {
        all_ = std::move(image);
        return;
    }
    if (!all_.defined()) {
        std::vector<int64_t> sizes = image.sizes().vec();
        sizes[0] = count_;
        all_ = at::empty(sizes, image.options());
    }
    all_.narrow(0, index, 1).copy_(image);
}

}  // namespace lowtide::nodes
