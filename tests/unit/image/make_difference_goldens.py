"""What scikit-image, SciPy and NumPy report of differing images and colours, for the tests of plugin/image."""

import sys

import numpy
from safetensors.numpy import save_file
from scipy import ndimage
from skimage.color import deltaE_ciede2000, rgb2lab
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

TILE = 32
# (width, height, channels): odd, as small as the window of SSIM, grey, one tile and many.
SIZES = [(96, 64, 3), (37, 53, 3), (11, 11, 3), (64, 48, 1), (130, 33, 3)]


def scene(width, height, channels):
    random = numpy.random.default_rng(width * 1000 + height)
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float64)
    waves = [numpy.sin(x / 5 + c) * numpy.cos(y / 4 - c) * 90 + 120 + 20 * c for c in range(channels)]
    return levels(numpy.stack(waves, axis=-1) + random.normal(0, 6, (height, width, channels)))


def levels(values):
    return values.round().clip(0, 255).astype(numpy.uint8)


def damaged(candidate):
    random = numpy.random.default_rng(7)
    values = candidate.astype(numpy.float64)
    yield "blur", levels(ndimage.gaussian_filter(values, (1.2, 1.2, 0)))
    yield "tint", levels(values * numpy.linspace(0.9, 1.1, candidate.shape[-1]))
    yield "noise", levels(values + random.normal(0, 12, values.shape))
    yield "other", random.integers(0, 256, candidate.shape).astype(numpy.uint8)


def in_colour(candidate):
    return candidate if candidate.shape[-1] == 3 else numpy.repeat(candidate, 3, axis=-1)


def edge_energy(candidate):
    luma = in_colour(candidate).astype(numpy.float64) @ [0.299, 0.587, 0.114]
    squares = sum(ndimage.sobel(luma, axis=axis) ** 2 for axis in (0, 1))
    return squares[1:-1, 1:-1].sum()


def tiles(height, width):
    for y in range(0, height, TILE):
        for x in range(0, width, TILE):
            yield y, x


def colour_shift(reference, candidate):
    total = 0
    for y, x in tiles(*reference.shape[:2]):
        parts = [in_colour(p)[y:y + TILE, x:x + TILE].reshape(-1, 3) for p in (reference, candidate)]
        labs = [rgb2lab(part.mean(axis=0) / 255) for part in parts]
        total += float(deltaE_ciede2000(*labs)) * len(parts[0])
    return total / (reference.shape[0] * reference.shape[1])


def worst_tile(reference, candidate):
    def error(point):
        y, x = point
        parts = [p[y:y + TILE, x:x + TILE].astype(numpy.float64) for p in (reference, candidate)]
        return ((parts[0] - parts[1]) ** 2).mean()

    y, x = max(tiles(*reference.shape[:2]), key=error)
    return [x, y, 10 * numpy.log10(255 ** 2 / error((y, x)))]


def figures(reference, candidate):
    return [peak_signal_noise_ratio(reference, candidate, data_range=255),
            structural_similarity(reference, candidate, channel_axis=-1, gaussian_weights=True, sigma=1.5,
                                  use_sample_covariance=False, data_range=255),
            edge_energy(candidate) / edge_energy(reference),
            colour_shift(reference, candidate),
            *worst_tile(reference, candidate)]


def main():
    random = numpy.random.default_rng(1)
    colours = random.uniform([0, -100, -100] * 2, [100, 100, 100] * 2, (2000, 6))
    colours[:200, 3:] = colours[:200, :3] + random.normal(0, 1, (200, 3))
    colours[200:300, 1:3] = 0
    colours[300:350, [1, 2, 4, 5]] = 0
    rgb = random.integers(0, 256, (500, 3)).astype(numpy.float64)
    rgb[:20] = numpy.arange(20)[:, None]
    tensors = {"colours": colours, "colours.differences": deltaE_ciede2000(colours[:, :3], colours[:, 3:]),
               "levels": rgb, "levels.lab": rgb2lab(rgb / 255)}
    for size in SIZES:
        reference = scene(*size)
        for kind, candidate in damaged(reference):
            name = f"{size[0]}x{size[1]}x{size[2]}.{kind}"
            tensors[name + ".reference"], tensors[name + ".picture"] = reference, candidate
            tensors[name + ".figures"] = numpy.array(figures(reference, candidate), dtype=numpy.float64)
            pair = [rgb2lab(in_colour(p) / 255) for p in (reference, candidate)]
            tensors[name + ".pixels"] = deltaE_ciede2000(*pair)
    save_file({key: numpy.ascontiguousarray(value) for key, value in tensors.items()}, sys.argv[1])


main()
