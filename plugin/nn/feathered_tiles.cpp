#include "plugin/nn/feathered_tiles.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr int64_t kHeightAxis = -2;  ///< of images and of videos
constexpr int64_t kWidthAxis = -1;

int64_t roundedUp(int64_t value, int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// Tiles of `side`, as few as overlap by `overlap`; all are multiples of one number.
std::vector<int64_t> tileBeginnings(int64_t length,
                                    int64_t side,
                                    int64_t overlap,
                                    int64_t multiple) {
    const int64_t stride = side - overlap;
    const int64_t gaps = (length - overlap + stride - 1) / stride - 1;
    std::vector<int64_t> begins;
    for (int64_t i = 0; i <= gaps; ++i) {
        begins.push_back(i * (length - side) / gaps / multiple * multiple);
    }
    return begins;
}

enum class Fade : uint8_t { In, Out };

/// Multiplies the first pixels along `axis` by a rising ramp, or the last by a falling one.
void fade(const at::Tensor& tile, int64_t axis, int64_t extent, Fade which) {
    if (extent == 0) {
        return;
    }
    std::vector<int64_t> shape(static_cast<size_t>(tile.dim()), 1);
    shape[static_cast<size_t>(tile.dim() + axis)] = extent;
    at::Tensor weight = at::arange(extent, tile.options()).add_(0.5).div_(extent).view(shape);
    if (which == Fade::Out) {
        weight = 1 - weight;
    }
    tile.narrow(axis, which == Fade::In ? 0 : tile.size(axis) - extent, extent).mul_(weight);
}

/// The part of an enlarged tile that is shown, along one axis, with its fades.
at::Tensor shownPart(const at::Tensor& tile, int64_t axis, const TileSpan& span, int64_t scale) {
    const at::Tensor shown = tile.narrow(
        axis, (span.shownBegin - span.begin) * scale, (span.shownEnd - span.shownBegin) * scale);
    fade(shown, axis, span.fadeIn * scale, Fade::In);
    fade(shown, axis, span.fadeOut * scale, Fade::Out);
    return shown;
}

at::Tensor shownPositionOf(const at::Tensor& target,
                           int64_t axis,
                           const TileSpan& span,
                           int64_t scale) {
    return target.narrow(axis, span.shownBegin * scale, (span.shownEnd - span.shownBegin) * scale);
}

}  // namespace

std::vector<TileSpan> cutSide(int64_t length, const TileSizes& sizes) {
    LOWTIDE_ASSERT(length > 0 && sizes.multiple > 0 && 2 * sizes.overlap <= sizes.side);
    const int64_t multiple = sizes.multiple;
    const int64_t padded = roundedUp(length, multiple);
    const int64_t side = std::max(sizes.side / multiple * multiple, multiple);
    if (sizes.side == 0 || side >= padded) {
        return {{.begin = 0, .end = padded, .shownBegin = 0, .shownEnd = length}};
    }
    const int64_t overlap =
        std::min(roundedUp(sizes.overlap, multiple), side / 2 / multiple * multiple);
    const int64_t faded = sizes.fadesWhole ? overlap : overlap / 2;
    std::vector<TileSpan> spans;
    for (const int64_t begin : tileBeginnings(padded, side, overlap, multiple)) {
        TileSpan span{.begin = begin, .end = begin + side, .shownEnd = length};
        if (!spans.empty()) {
            TileSpan& before = spans.back();
            span.shownBegin = begin + (before.end - begin - faded) / 2;
            span.fadeIn = faded;
            before.shownEnd = span.shownBegin + faded;
            before.fadeOut = faded;
        }
        spans.push_back(span);
    }
    return spans;
}

int64_t tileCount(int64_t height, int64_t width, const TileSizes& sizes) {
    return static_cast<int64_t>(cutSide(height, sizes).size() * cutSide(width, sizes).size());
}

FeatheredTiles::FeatheredTiles(const at::Tensor& image, const TileSizes& sizes, int64_t shrink)
    : rows_(cutSide(image.size(kHeightAxis) / shrink, sizes)),
      columns_(cutSide(image.size(kWidthAxis) / shrink, sizes)),
      shrink_(shrink),
      padded_(tensor::kernels::padReflected(image,
                                            columns_.back().end * shrink - image.size(kWidthAxis),
                                            rows_.back().end * shrink - image.size(kHeightAxis))) {}

int64_t FeatheredTiles::count() const {
    return static_cast<int64_t>(rows_.size() * columns_.size());
}

const TileSpan& FeatheredTiles::rowOf(int64_t index) const {
    return rows_.at(static_cast<size_t>(index) / columns_.size());
}

const TileSpan& FeatheredTiles::columnOf(int64_t index) const {
    return columns_[static_cast<size_t>(index) % columns_.size()];
}

at::Tensor FeatheredTiles::tile(int64_t index) const {
    const TileSpan& row = rowOf(index);
    const TileSpan& column = columnOf(index);
    return padded_.narrow(kHeightAxis, row.begin * shrink_, (row.end - row.begin) * shrink_)
        .narrow(kWidthAxis, column.begin * shrink_, (column.end - column.begin) * shrink_)
        .contiguous();
}

void FeatheredTiles::show(int64_t index,
                          const at::Tensor& result,
                          int64_t scale,
                          const at::Tensor& target) const {
    const TileSpan& row = rowOf(index);
    const TileSpan& column = columnOf(index);
    const at::Tensor shown =
        shownPart(shownPart(result, kHeightAxis, row, scale), kWidthAxis, column, scale);
    shownPositionOf(shownPositionOf(target, kHeightAxis, row, scale), kWidthAxis, column, scale)
        .add_(shown);
}

void enlargeInTiles(const at::Tensor& image,
                    const TileSizes& sizes,
                    int64_t scale,
                    const std::function<at::Tensor(const at::Tensor&)>& enlarge,
                    const at::Tensor& target) {
    const FeatheredTiles tiles(image, sizes);
    for (int64_t i = 0; i < tiles.count(); ++i) {
        tiles.show(i, enlarge(tiles.tile(i)), scale, target);
    }
}

namespace {

/// In latent pixels: neighbours overlap by a quarter at least, and all of that fades.
TileSizes tilesOf(int64_t tilePixels, int64_t downsampling) {
    constexpr int64_t kOverlapParts = 4;
    const int64_t overlap = std::max<int64_t>(tilePixels / (downsampling * kOverlapParts), 1);
    return {.side = overlap * kOverlapParts, .overlap = overlap, .fadesWhole = true};
}

/// Whether an image is no larger than the tile that was asked for, which is rounded down.
bool fitsTile(const at::Tensor& image, int64_t side) {
    return image.size(-2) <= side && image.size(-1) <= side;
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
