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

/// Sizes of one way through an autoencoder: of what goes in, then of what comes out.
struct Grid {
    int64_t side = 0;
    int64_t stride = 0;
    int64_t kept = 0;    ///< of a tile, from its upper left corner
    int64_t extent = 0;  ///< of a seam
};

at::Tensor applyInTiles(const at::Tensor& input,
                        const Grid& grid,
                        const std::function<at::Tensor(const at::Tensor&)>& apply) {
    constexpr int64_t kHeight = 2;
    constexpr int64_t kWidth = 3;
    const int64_t height = input.size(kHeight);
    const int64_t width = input.size(kWidth);
    if (height <= grid.side && width <= grid.side) {
        return apply(input);
    }
    std::vector<at::Tensor> rows;
    std::vector<at::Tensor> above;
    for (int64_t y = 0; y < height; y += grid.stride) {
        std::vector<at::Tensor> row;
        std::vector<at::Tensor> cropped;
        for (int64_t x = 0; x < width; x += grid.stride) {
            at::Tensor tile = apply(input.narrow(kHeight, y, std::min(grid.side, height - y))
                                        .narrow(kWidth, x, std::min(grid.side, width - x))
                                        .contiguous());
            if (!above.empty()) {
                blend(above[row.size()], tile, kHeight, grid.extent);
            }
            if (!row.empty()) {
                blend(row.back(), tile, kWidth, grid.extent);
            }
            row.push_back(tile);
            cropped.push_back(tile.narrow(kHeight, 0, std::min(grid.kept, tile.size(kHeight)))
                                  .narrow(kWidth, 0, std::min(grid.kept, tile.size(kWidth))));
        }
        rows.push_back(at::cat(cropped, kWidth));
        above = std::move(row);
    }
    return at::cat(rows, kHeight);
}

/// The part of a tile that overlaps, in latent pixels.
int64_t overlapOf(int64_t tilePixels, int64_t downsampling) {
    return std::max<int64_t>(tilePixels / (downsampling * kOverlapParts), 1);
}

}  // namespace

at::Tensor decodeInTiles(const at::Tensor& latents,
                         int64_t tilePixels,
                         int64_t downsampling,
                         const std::function<at::Tensor(const at::Tensor&)>& decode) {
    const int64_t overlap = overlapOf(tilePixels, downsampling);
    const int64_t stride = overlap * (kOverlapParts - 1);
    return applyInTiles(latents,
                        {.side = overlap * kOverlapParts,
                         .stride = stride,
                         .kept = stride * downsampling,
                         .extent = overlap * downsampling},
                        decode);
}

at::Tensor encodeInTiles(const at::Tensor& pixels,
                         int64_t tilePixels,
                         int64_t downsampling,
                         const std::function<at::Tensor(const at::Tensor&)>& encode) {
    const int64_t overlap = overlapOf(tilePixels, downsampling);
    const int64_t stride = overlap * (kOverlapParts - 1);
    return applyInTiles(pixels,
                        {.side = overlap * kOverlapParts * downsampling,
                         .stride = stride * downsampling,
                         .kept = stride,
                         .extent = overlap},
                        encode);
}

}  // namespace lowtide::models
