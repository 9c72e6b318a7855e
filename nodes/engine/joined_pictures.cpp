#include "nodes/engine/joined_pictures.hpp"

#include <ATen/ATen.h>

#include <utility>
#include <vector>

namespace lowtide::nodes {

void JoinedPictures::put(int64_t index, at::Tensor picture) {
    if (count_ == 1) {
        all_ = std::move(picture);
        return;
    }
    if (!all_.defined()) {
        std::vector<int64_t> sizes = picture.sizes().vec();
        sizes[0] = count_;
        all_ = at::empty(sizes, picture.options());
    }
    all_.narrow(0, index, 1).copy_(picture);
}

}  // namespace lowtide::nodes
