#pragma once
// Images in files of any format, PNG, JPEG, WebP: decoded and encoded with the texts that travel
// in them.

#include "plugin/base/stop_token.hpp"
#include "plugin/host_api/host.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::image {

enum class ImageFormat : uint8_t { Png, Jpeg, WebP };

/// A text that travels in an image file, both in UTF-8: the graph, A1111's `parameters`.
struct ImageText {
    std::string key;
    std::string text;
};

/// As Image8, with 16 bits a channel in the order of the machine.
struct Image16 {
    int widthPixels = 0;
    int heightPixels = 0;
    int channels = 3;
    std::shared_ptr<const uint16_t[]> pixels;
};

enum class Depth : uint8_t {
    Eight,  ///< 16 bits are rounded to 8
    Stored  ///< 16 bits are kept
};

struct DecodedImage {
    Image8 image;  ///< no pixels where `deep` has them
    std::optional<Image16>
        deep;  ///< of a file with 16 bits a channel, where Depth::Stored is asked
    std::vector<ImageText> texts;
};

/// Decodes an image whose format its first bytes state, whatever its name. 1, 3 or 4 channels; the
/// orientation that EXIF states is applied, a colour profile is not (image_header.hpp names it).
/// `name` is for messages. Limits: 2^28 pixels, and no more than the file can hold; texts as
/// decodePng. Errors: Error{Unsupported} names another format, CMYK, an animation; Error{Corrupt}
/// states what is wrong; Error{OutOfMemory}.
[[nodiscard]] DecodedImage decodeImage(std::span<const std::byte> bytes,
                                       std::string_view name,
                                       Depth depth = Depth::Eight);

/// Bytes at the start of a file that beginsAsImage() looks at.
inline constexpr size_t kImageBeginBytes = 16;
/// Whether a file begins as an image: of a format that is read, or of one that decodeImage
/// refuses by its name.
[[nodiscard]] bool beginsAsImage(std::span<const std::byte> begin) noexcept;
/// Whether a file has the name of an image that is read (.png, .jpg, .jpeg, .webp).
[[nodiscard]] bool hasImageName(std::string_view path);

/// How an image is written. The same input gives the same bytes with the same libraries.
struct ImageEncoding {
    ImageFormat format = ImageFormat::Png;
    int quality = 90;         ///< 1 to 100; of JPEG and of WebP that is not lossless
    bool isLossless = false;  ///< of WebP
};

/// Most pixels of a side that the format takes.
[[nodiscard]] int64_t largestSide(ImageFormat format);

/// Encodes an 8-bit image with its texts: PNG as encodePng; JPEG (1 or 3 channels) and WebP with
/// EXIF (exif.hpp), which is left out without texts. JPEG halves the colours' resolution below
/// quality 90. Errors: Error{InvalidInput} for an image or a text that the format does not take,
/// and a quality beyond its range; Error{Cancelled}, asked while it encodes.
[[nodiscard]] std::string encodeImage(const Image8& image,
                                      const std::vector<ImageText>& texts,
                                      const ImageEncoding& encoding,
                                      const StopToken& stop = {});

}  // namespace lowtide::image
