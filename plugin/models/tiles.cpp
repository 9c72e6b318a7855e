#include "plugin/models/tiles.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::models {

namespace {

/// Tiles overlap by this part of their side.
constexpr int64_t kOverlapParts = 4;

/// Fades the last `extent` lines of `before` along `axis` into the first lines of `tile`, in place.
void blend(const at::Tensor& before, at::Tensor& tile, int64_t axis, int64_t extent) {
    extent = std::min({extent, before.size(axis), tile.size(axis)});
    std::vector<int64_t> shape(4, 1);
    shape[static_cast<size_t>(axis)] = extent;
    const at::Tensor share = (at::arange(extent, tile.options()) / extent).view(shape);
    const at::Tensor tail = before.narrow(axis, before.size(axis) - extent, extent);
    at::Tensor head = tile.narrow(axis, 0, extent);
    head.copy_(tail * (1 - share) + head * share);
}

}  // namespace

at::Tensor decodeInTiles(const at::Tensor& latents,
                         int64_t tilePixels,
                         int64_t downsampling,
                         const std::function<at::Tensor(const at::Tensor&)>& decode) {
    constexpr int64_t kHeight = 2;
    constexpr int64_t kWidth = 3;
    const int64_t parts = std::max<int64_t>(tilePixels / (downsampling * kOverlapParts), 1);
    const int64_t side = parts * kOverlapParts;  // of a tile, in latent pixels
    const int64_t stride = side - parts;
    const int64_t height = latents.size(kHeight);
    const int64_t width = latents.size(kWidth);
    if (height <= side && width <= side) {
        return decode(latents);
    }
    const int64_t extent = parts * downsampling;
    const int64_t kept = stride * downsampling;
    std::vector<at::Tensor> rows;
    std::vector<at::Tensor> above;
    for (int64_t y = 0; y < height; y += stride) {
        std::vector<at::Tensor> row;
        std::vector<at::Tensor> cropped;
        for (int64_t x = 0; x < width; x += stride) {
            at::Tensor tile = decode(latents.narrow(kHeight, y, std::min(side, height - y))
                                         .narrow(kWidth, x, std::min(side, width - x))
                                         .contiguous());
            if (!above.empty()) {
                blend(above[row.size()], tile, kHeight, extent);
            }
            if (!row.empty()) {
                blend(row.back(), tile, kWidth, extent);
            }
            row.push_back(tile);
            cropped.push_back(tile.narrow(kHeight, 0, std::min(kept, tile.size(kHeight)))
                                  .narrow(kWidth, 0, std::min(kept, tile.size(kWidth))));
        }
        rows.push_back(at::cat(cropped, kWidth));
        above = std::move(row);
    }
    return at::cat(rows, kHeight);
}

}  // namespace lowtide::models
