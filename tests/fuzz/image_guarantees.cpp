#include "tests/fuzz/image_guarantees.hpp"

#include "plugin/base/text.hpp"
#include "plugin/image/image_header.hpp"
#include "tests/fuzz/guarantees.hpp"

#include <cmath>

namespace lowtide::fuzz {

namespace {

using namespace image;

constexpr int64_t kMostPixels = 1 << 22;
constexpr double kHalfALevel = 0.5;

template <class Image>
size_t levelsIn(const Image& image) {
    require(image.widthPixels > 0 && image.heightPixels > 0 && image.pixels &&
                (image.channels == 1 || image.channels == 3 || image.channels == 4),
            "an image has pixels");
    return static_cast<size_t>(image.widthPixels) * static_cast<size_t>(image.heightPixels) *
           static_cast<size_t>(image.channels);
}

/// Touches every pixel.
template <class Image>
void checkImage(const Image& image, const ImageHeader& header) {
    const size_t count = levelsIn(image);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += image.pixels[i];
    }
    require(sum <= 65535 * count, "levels have 16 bits at most");
    require(image.widthPixels == header.size.widthPixels &&
                image.heightPixels == header.size.heightPixels,
            "an image has the size that its header states");
}

void checkRounding(const Image16& deep, const Image8& image) {
    const size_t count = levelsIn(deep);
    require(count == levelsIn(image), "both depths have the same pixels");
    for (size_t i = 0; i < count; ++i) {
        require(std::abs(image.pixels[i] - deep.pixels[i] / 257.0) <= kHalfALevel,
                "8 bits are the rounded 16");
    }
}

}  // namespace

void requireTexts(const std::vector<ImageText>& texts) {
    for (const ImageText& text : texts) {
        require(isValidUtf8(text.key) && isValidUtf8(text.text), "texts are UTF-8");
    }
}

void requireSameTexts(const std::vector<ImageText>& before, const std::vector<ImageText>& after) {
    require(before.size() == after.size(), "texts come back");
    for (size_t i = 0; i < before.size(); ++i) {
        require(before[i].key == after[i].key && before[i].text == after[i].text,
                "a text comes back as it was");
    }
}

bool readImageFile(std::string_view file) {
    const auto bytes = std::as_bytes(std::span(file));
    ImageHeader header;
    const bool hasHeader = takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                                 [&] { header = readImageHeader(sourceOf(bytes), "x"); });
    if (hasHeader && header.size.widthPixels * header.size.heightPixels > kMostPixels) {
        return false;
    }
    DecodedImage decoded;
    const bool isTaken = takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                               [&] { decoded = decodeImage(bytes, "x", Depth::Stored); });
    require(hasHeader || !isTaken, "what is decoded has a header");
    if (!isTaken) {
        return false;
    }
    if (decoded.deep) {
        checkImage(*decoded.deep, header);
        checkRounding(*decoded.deep, decodeImage(bytes, "x").image);
    } else {
        checkImage(decoded.image, header);
    }
    requireTexts(decoded.texts);
    requireSameTexts(decoded.texts, readImageTexts(sourceOf(bytes), "x"));
    return true;
}

}  // namespace lowtide::fuzz
