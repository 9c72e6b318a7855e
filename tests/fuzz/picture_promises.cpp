#include "tests/fuzz/picture_promises.hpp"

#include "plugin/base/text.hpp"
#include "plugin/image/picture_header.hpp"
#include "tests/fuzz/promises.hpp"

#include <cmath>

namespace lowtide::fuzz {

namespace {

using namespace image;

constexpr int64_t kMostPixels = 1 << 22;
constexpr double kHalfALevel = 0.5;

template <class Picture>
size_t levelsIn(const Picture& picture) {
    require(picture.widthPixels > 0 && picture.heightPixels > 0 && picture.pixels &&
                (picture.channels == 1 || picture.channels == 3 || picture.channels == 4),
            "a picture has pixels");
    return static_cast<size_t>(picture.widthPixels) * static_cast<size_t>(picture.heightPixels) *
           static_cast<size_t>(picture.channels);
}

/// Touches every pixel.
template <class Picture>
void checkPicture(const Picture& picture, const PictureHeader& header) {
    const size_t count = levelsIn(picture);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum += picture.pixels[i];
    }
    require(sum <= 65535 * count, "levels have 16 bits at most");
    require(picture.widthPixels == header.size.widthPixels &&
                picture.heightPixels == header.size.heightPixels,
            "a picture has the size that its header says");
}

void checkRounding(const Image16& deep, const Image8& picture) {
    const size_t count = levelsIn(deep);
    require(count == levelsIn(picture), "both depths have the same pixels");
    for (size_t i = 0; i < count; ++i) {
        require(std::abs(picture.pixels[i] - deep.pixels[i] / 257.0) <= kHalfALevel,
                "8 bits are the rounded 16");
    }
}

}  // namespace

void requireTexts(const std::vector<PictureText>& texts) {
    for (const PictureText& text : texts) {
        require(isValidUtf8(text.key) && isValidUtf8(text.text), "texts are UTF-8");
    }
}

void requireSameTexts(const std::vector<PictureText>& before,
                      const std::vector<PictureText>& after) {
    require(before.size() == after.size(), "texts come back");
    for (size_t i = 0; i < before.size(); ++i) {
        require(before[i].key == after[i].key && before[i].text == after[i].text,
                "a text comes back as it was");
    }
}

bool readPictureFile(std::string_view file) {
    const auto bytes = std::as_bytes(std::span(file));
    PictureHeader header;
    const bool hasHeader = takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                                 [&] { header = readPictureHeader(sourceOf(bytes), "x"); });
    if (hasHeader && header.size.widthPixels * header.size.heightPixels > kMostPixels) {
        return false;
    }
    DecodedPicture decoded;
    const bool isTaken = takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                               [&] { decoded = decodePicture(bytes, "x", Depth::Stored); });
    require(hasHeader || !isTaken, "what is decoded has a header");
    if (!isTaken) {
        return false;
    }
    if (decoded.deep) {
        checkPicture(*decoded.deep, header);
        checkRounding(*decoded.deep, decodePicture(bytes, "x").picture);
    } else {
        checkPicture(decoded.picture, header);
    }
    requireTexts(decoded.texts);
    requireSameTexts(decoded.texts, readPictureTexts(sourceOf(bytes), "x"));
    return true;
}

}  // namespace lowtide::fuzz
