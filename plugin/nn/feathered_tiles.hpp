#pragma once
// Images that a network works on piece by piece: tiles overlap and fade into each other.

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace lowtide::models {

/// How an image is cut, in its own pixels.
struct TileSizes {
    int64_t side = 0;         ///< of a tile; 0: the image is not cut
    int64_t overlap = 0;      ///< of neighbours, at least; at most half of a side
    int64_t multiple = 1;     ///< tiles begin at multiples of it and have sides that are
    bool fadesWhole = false;  ///< over as much as the least overlap, not over half of it
};

/// One tile along one axis. The network sees [begin, end), of which [shownBegin, shownEnd) reaches
/// the result: what lies near a cut is left out.
struct TileSpan {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t shownBegin = 0;
    int64_t shownEnd = 0;
    int64_t fadeIn = 0;  ///< first pixels of the shown part, which the tile before shows too
    int64_t fadeOut = 0;
};

/// Covers `length` pixels with tiles of one size, evenly spread. The last one may end behind the
/// image, at the next multiple. In the middle of an overlap one tile fades to the next, over half
/// of the least overlap or all of it; what is nearer to the cuts is not shown.
[[nodiscard]] std::vector<TileSpan> cutSide(int64_t length, const TileSizes& sizes);

/// How many tiles an image of that size takes.
[[nodiscard]] int64_t tileCount(int64_t height, int64_t width, const TileSizes& sizes);

/// An image cut into tiles, and its result put together from theirs.
class FeatheredTiles {
public:
    /// `image` [1, C, H, W]. With `shrink` above 1 sizes and spans count squares of so many
    /// pixels to a side, of which H and W are multiples: those of a result that is so much smaller.
    FeatheredTiles(const at::Tensor& image, const TileSizes& sizes, int64_t shrink = 1);

    [[nodiscard]] int64_t count() const;

    /// Of the image, as sizes count.
    [[nodiscard]] int64_t height() const { return rows_.back().shownEnd; }

    [[nodiscard]] int64_t width() const { return columns_.back().shownEnd; }

    /// Tile `index` in reading order [1, C, h, w], contiguous, padded by a mirror image where a
    /// side of the image is no multiple.
    [[nodiscard]] at::Tensor tile(int64_t index) const;
    /// Adds what became of it, [1, C', scale h, scale w], which is written over, to `target`
    /// [1, C', scale H, scale W], which held zeros at first. Weights of neighbours sum to 1.
    void show(int64_t index,
              const at::Tensor& result,
              int64_t scale,
              const at::Tensor& target) const;

private:
    [[nodiscard]] const TileSpan& rowOf(int64_t index) const;
    [[nodiscard]] const TileSpan& columnOf(int64_t index) const;

    std::vector<TileSpan> rows_;
    std::vector<TileSpan> columns_;
    int64_t shrink_;
    at::Tensor padded_;
};

/// Enlarges `image` [1, C, H, W] into `target` tile by tile, as FeatheredTiles cuts and shows
/// them: `enlarge` gets [1, C, h, w] and gives [1, C', scale h, scale w].
void enlargeInTiles(const at::Tensor& image,
                    const TileSizes& sizes,
                    int64_t scale,
                    const std::function<at::Tensor(const at::Tensor&)>& enlarge,
                    const at::Tensor& target);

/// Decodes `latents` [1, C, h, w] in overlapping tiles with blended seams. `tilePixels` is rounded
/// down to a multiple of four times `downsampling`; an image that fits one tile is decoded in one
/// piece, and with 0 every image. The pixels differ from those of the whole image. Sizes and seams
/// are those of diffusers 0.42.1 AutoencoderKL._tiled_decode (overlap a quarter); unlike there all
/// tiles have one size and are spread evenly, where it ends with what is left, down to one latent
/// column.
[[nodiscard]] at::Tensor decodeInTiles(const at::Tensor& latents,
                                       int64_t tilePixels,
                                       int64_t downsampling,
                                       const std::function<at::Tensor(const at::Tensor&)>& decode);

/// Encodes `pixels` [1, 3, H, W] likewise, in tiles of `tilePixels`, to what `encode` gives for the
/// whole image: [1, C, H / downsampling, W / downsampling]. The sides must be multiples of
/// `downsampling`.
[[nodiscard]] at::Tensor encodeInTiles(const at::Tensor& pixels,
                                       int64_t tilePixels,
                                       int64_t downsampling,
                                       const std::function<at::Tensor(const at::Tensor&)>& encode);

}  // namespace lowtide::models
