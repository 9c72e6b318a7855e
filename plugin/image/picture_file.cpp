#include "plugin/image/picture_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/image/format_reading.hpp"
#include "plugin/image/orientation.hpp"
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

}  // namespace lowtide::image
