#include "plugin/image/image_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/image/exif.hpp"
#include "plugin/image/formats.hpp"
#include "plugin/image/image_header.hpp"
#include "plugin/image/png.hpp"

#include <algorithm>
#include <iterator>

namespace lowtide::image {

namespace {

DecodedImage decodeStored(std::span<const std::byte> bytes,
                          std::string_view name,
                          ImageFormat format,
                          const ImageSize& stored,
                          Depth depth) {
    switch (format) {
        case ImageFormat::Png:
            return decodePng(bytes, name, depth);
        case ImageFormat::Jpeg:
            return {.image = decodeJpeg(bytes, name, stored)};
        case ImageFormat::WebP:
            return {.image = decodeWebP(bytes, name, stored)};
    }
    LOWTIDE_ASSERT(false);
}

}  // namespace

DecodedImage decodeImage(std::span<const std::byte> bytes, std::string_view name, Depth depth) {
    ImageHeader header = readImageHeader(sourceOf(bytes), name);
    const ImageSize stored = oriented(header.size, header.orientation);
    DecodedImage decoded = decodeStored(bytes, name, header.format, stored, depth);
    if (decoded.deep) {
        decoded.deep = oriented(*decoded.deep, header.orientation);
    } else {
        decoded.image = oriented(decoded.image, header.orientation);
    }
    std::ranges::move(header.texts, std::back_inserter(decoded.texts));
    return decoded;
}

namespace {

constexpr int64_t kLargestJpegSide = 65500;
constexpr int64_t kLargestWebPSide = 16383;

void checkEncoded(const Image8& image, const ImageEncoding& encoding) {
    const int64_t most = largestSide(encoding.format);
    const bool isSized =
        image.widthPixels > 0 && image.heightPixels > 0 && image.widthPixels <= most &&
        image.heightPixels <= most &&
        static_cast<uint64_t>(image.widthPixels) * static_cast<uint64_t>(image.heightPixels) <=
            kMaxPixels;
    const bool isChannelled = image.channels == 1 || image.channels == 3 ||
                              (image.channels == 4 && encoding.format != ImageFormat::Jpeg);
    if (!isSized || !isChannelled || !image.pixels) {
        throw Error(
            ErrorKind::InvalidInput,
            message("an image of {} x {} pixels with {} channels cannot be written as {}",
                    image.widthPixels,
                    image.heightPixels,
                    image.channels,
                    nameOf(encoding.format)),
            message("at most {} pixels a side and 2^28 in all are possible; PNG takes the largest",
                    most));
    }
    requireThat(encoding.quality >= 1 && encoding.quality <= 100,
                message("the quality is {}", encoding.quality),
                message("choose a number from 1 to 100"),
                "quality");
}

}  // namespace

int64_t largestSide(ImageFormat format) {
    switch (format) {
        case ImageFormat::Png:
            return kMaxSidePixels;
        case ImageFormat::Jpeg:
            return kLargestJpegSide;
        case ImageFormat::WebP:
            return kLargestWebPSide;
    }
    LOWTIDE_ASSERT(false);
}

std::string encodeImage(const Image8& image,
                        const std::vector<ImageText>& texts,
                        const ImageEncoding& encoding,
                        const StopToken& stop) {
    if (encoding.format == ImageFormat::Png) {
        return encodePng(image, texts, stop);
    }
    checkEncoded(image, encoding);
    const std::string exif = texts.empty() ? std::string() : writeExif(texts);
    return encoding.format == ImageFormat::Jpeg ? encodeJpeg(image, exif, encoding.quality, stop)
                                                : encodeWebP(image, exif, encoding, stop);
}

}  // namespace lowtide::image
