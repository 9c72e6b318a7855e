#include "plugin/nn/tiles.hpp"

#include "plugin/nn/feathered_tiles.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

namespace {

/// In latent pixels: neighbours overlap by a quarter at least, and all of that fades.
TileSizes tilesOf(int64_t tilePixels, int64_t downsampling) {
    constexpr int64_t kOverlapParts = 4;
    const int64_t overlap = std::max<int64_t>(tilePixels / (downsampling * kOverlapParts), 1);
    return {.side = overlap * kOverlapParts, .overlap = overlap, .fadesWhole = true};
}

/// Whether a picture is no larger than the tile that was asked for, which is rounded down.
bool fitsTile(const at::Tensor& picture, int64_t side) {
    return picture.size(-2) <= side && picture.size(-1) <= side;
}

/// `scale`: pixels of a tile's result for one latent pixel.
at::Tensor applyInTiles(const at::Tensor& input,
                        const FeatheredTiles& tiles,
                        int64_t scale,
                        const std::function<at::Tensor(const at::Tensor&)>& apply) {
    if (tiles.count() == 1) {
        return apply(input);
    }
    at::Tensor whole;
    for (int64_t i = 0; i < tiles.count(); ++i) {
        const at::Tensor result = apply(tiles.tile(i));
        if (!whole.defined()) {
            std::vector<int64_t> sizes = result.sizes().vec();
            sizes[sizes.size() - 2] = tiles.height() * scale;
            sizes.back() = tiles.width() * scale;
            whole = at::zeros(sizes, result.options());
        }
        tiles.show(i, result, scale, whole);
    }
    return whole;
}

}  // namespace

at::Tensor decodeInTiles(const at::Tensor& latents,
                         int64_t tilePixels,
                         int64_t downsampling,
                         const std::function<at::Tensor(const at::Tensor&)>& decode) {
    if (tilePixels <= 0) {
        return decode(latents);
    }
    if (fitsTile(latents, tilePixels / downsampling)) {
        return decode(latents);
    }
    const FeatheredTiles tiles(latents, tilesOf(tilePixels, downsampling));
    return applyInTiles(latents, tiles, downsampling, decode);
}

at::Tensor encodeInTiles(const at::Tensor& pixels,
                         int64_t tilePixels,
                         int64_t downsampling,
                         const std::function<at::Tensor(const at::Tensor&)>& encode) {
    if (tilePixels <= 0) {
        return encode(pixels);
    }
    if (fitsTile(pixels, tilePixels)) {
        return encode(pixels);
    }
    const FeatheredTiles tiles(pixels, tilesOf(tilePixels, downsampling), downsampling);
    return applyInTiles(pixels, tiles, 1, encode);
}

}  // namespace lowtide::models
