#pragma once
// Pictures in files of any format, PNG, JPEG, WebP: decoded and encoded with the texts that travel
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

enum class PictureFormat : uint8_t { Png, Jpeg, WebP };

/// A text that travels in a picture file, both in UTF-8: the graph, A1111's `parameters`.
struct PictureText {
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
    Stored  ///< 16 bits stay
};

struct DecodedPicture {
    Image8 picture;  ///< no pixels where `deep` has them
    std::optional<Image16>
        deep;  ///< of a file with 16 bits a channel, where Depth::Stored is asked
    std::vector<PictureText> texts;
};

/// Decodes a picture whose format its first bytes tell, whatever its name. 1, 3 or 4 channels; the
/// orientation that EXIF states is applied, a colour profile is not (picture_header.hpp names it).
/// `name` is for messages. Limits: 2^28 pixels, and no more than the file can hold; texts as
/// decodePng. Errors: Error{Unsupported} names another format, CMYK, an animation; Error{Corrupt}
/// says what is wrong; Error{OutOfMemory}.
[[nodiscard]] DecodedPicture decodePicture(std::span<const std::byte> bytes,
                                           std::string_view name,
                                           Depth depth = Depth::Eight);

/// Bytes at the start of a file that beginsAsPicture() looks at.
inline constexpr size_t kPictureBeginBytes = 16;
/// Whether a file begins as a picture: of a format that is read, or of one that decodePicture
/// refuses by its name.
[[nodiscard]] bool beginsAsPicture(std::span<const std::byte> begin) noexcept;
/// Whether a file has the name of a picture that is read (.png, .jpg, .jpeg, .webp).
[[nodiscard]] bool hasPictureName(std::string_view path);

/// How a picture is written. The same input gives the same bytes with the same libraries.
struct PictureEncoding {
    PictureFormat format = PictureFormat::Png;
    int quality = 90;         ///< 1 to 100; of JPEG and of WebP that is not lossless
    bool isLossless = false;  ///< of WebP
};

/// Most pixels of a side that the format takes.
[[nodiscard]] int64_t largestSide(PictureFormat format);

/// Encodes an 8-bit picture with its texts: PNG as encodePng; JPEG (1 or 3 channels) and WebP with
/// EXIF (exif.hpp), which is left out without texts. JPEG halves the colours' resolution below
/// quality 90. Errors: Error{InvalidInput} for a picture or a text that the format does not take,
/// and a quality beyond its range; Error{Cancelled}, asked while it encodes.
[[nodiscard]] std::string encodePicture(const Image8& picture,
                                        const std::vector<PictureText>& texts,
                                        const PictureEncoding& encoding,
                                        const StopToken& stop = {});

}  // namespace lowtide::image
