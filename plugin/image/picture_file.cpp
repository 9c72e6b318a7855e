#include "plugin/image/picture_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/image/exif.hpp"
#include "plugin/image/formats.hpp"
#include "plugin/image/picture_header.hpp"
#include "plugin/image/png.hpp"

#include <algorithm>
#include <iterator>

namespace lowtide::image {

namespace {

DecodedPicture decodeStored(std::span<const std::byte> bytes,
                            std::string_view name,
                            PictureFormat format,
                            const PictureSize& stored,
                            Depth depth) {
    switch (format) {
        case PictureFormat::Png:
            return decodePng(bytes, name, depth);
        case PictureFormat::Jpeg:
            return {.picture = decodeJpeg(bytes, name, stored)};
        case PictureFormat::WebP:
            return {.picture = decodeWebP(bytes, name, stored)};
    }
    LOWTIDE_ASSERT(false);
}

}  // namespace

DecodedPicture decodePicture(std::span<const std::byte> bytes, std::string_view name, Depth depth) {
    PictureHeader header = readPictureHeader(sourceOf(bytes), name);
    const PictureSize stored = oriented(header.size, header.orientation);
    DecodedPicture decoded = decodeStored(bytes, name, header.format, stored, depth);
    if (decoded.deep) {
        decoded.deep = oriented(*decoded.deep, header.orientation);
    } else {
        decoded.picture = oriented(decoded.picture, header.orientation);
    }
    std::ranges::move(header.texts, std::back_inserter(decoded.texts));
    return decoded;
}

namespace {

constexpr int64_t kLargestJpegSide = 65500;
constexpr int64_t kLargestWebPSide = 16383;

void checkEncoded(const Image8& picture, const PictureEncoding& encoding) {
    const int64_t most = largestSide(encoding.format);
    const bool isSized =
        picture.widthPixels > 0 && picture.heightPixels > 0 && picture.widthPixels <= most &&
        picture.heightPixels <= most &&
        static_cast<uint64_t>(picture.widthPixels) * static_cast<uint64_t>(picture.heightPixels) <=
            kMaxPixels;
    const bool isChannelled = picture.channels == 1 || picture.channels == 3 ||
                              (picture.channels == 4 && encoding.format != PictureFormat::Jpeg);
    if (!isSized || !isChannelled || !picture.pixels) {
        throw Error(
            ErrorKind::InvalidInput,
            message("a picture of {} x {} pixels with {} channels cannot be written as {}",
                    picture.widthPixels,
                    picture.heightPixels,
                    picture.channels,
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

int64_t largestSide(PictureFormat format) {
    switch (format) {
        case PictureFormat::Png:
            return kMaxSidePixels;
        case PictureFormat::Jpeg:
            return kLargestJpegSide;
        case PictureFormat::WebP:
            return kLargestWebPSide;
    }
    LOWTIDE_ASSERT(false);
}

std::string encodePicture(const Image8& picture,
                          const std::vector<PictureText>& texts,
                          const PictureEncoding& encoding,
                          const StopToken& stop) {
    if (encoding.format == PictureFormat::Png) {
        return encodePng(picture, texts, stop);
    }
    checkEncoded(picture, encoding);
    const std::string exif = texts.empty() ? std::string() : writeExif(texts);
    return encoding.format == PictureFormat::Jpeg
               ? encodeJpeg(picture, exif, encoding.quality, stop)
               : encodeWebP(picture, exif, encoding, stop);
}

}  // namespace lowtide::image
