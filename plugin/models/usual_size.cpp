#include "plugin/models/usual_size.hpp"

#include "plugin/base/error.hpp"

#include <cmath>

namespace lowtide::models {

namespace {

std::string pictureSizeText(const PictureSize& size) {
    return std::to_string(size.width) + " x " + std::to_string(size.height);
}

}  // namespace

PictureSize usualSizeFor(const ModelInfo& info, const PictureSize& size) {
    const double scale = std::sqrt(static_cast<double>(info.usualPixels) /
                                   static_cast<double>(size.width * size.height));
    const auto rounded = [&](int64_t side) {
        const auto scaled = static_cast<int64_t>(static_cast<double>(side) * scale);
        return scaled / info.latent.multiple * info.latent.multiple;
    };
    return {.width = rounded(size.width), .height = rounded(size.height), .frames = size.frames};
}

void requireRoomFor(const ModelInfo& info, const PictureSize& size) {
    const int64_t most = info.latent.mostPixels;
    if (most == 0 || size.width == size.height || size.width * size.height <= most) {
        return;
    }
    throw Error(
        ErrorKind::InvalidInput,
        "the size is " + pictureSizeText(size) + ", and " + info.checkpoint + " has room for " +
            std::to_string(most) + " pixels of a picture that is no square",
        info.usualPixels > 0 ? "choose " + pictureSizeText(usualSizeFor(info, size)) +
                                   ", which its own pipeline would make, and enlarge the picture"
                             : "choose a smaller size",
        "latent");
}

Issues sizeNotes(const ModelInfo& info, const Shape& latent) {
    if (info.usualPixels == 0 || !info.latent.holds(latent)) {
        return {};
    }
    const PictureSize size = info.latent.sizeOf(latent);
    const PictureSize usual = usualSizeFor(info, size);
    if (usual.width == size.width && usual.height == size.height) {
        return {};
    }
    return {{.severity = Severity::Info,
             .code = "usual_size",
             .item = "latent",
             .message = "the picture is " + pictureSizeText(size) + ", as asked for; " +
                        info.checkpoint +
                        " was trained at other sizes, and its own pipeline would make " +
                        pictureSizeText(usual),
             .hint = "choose that size for pictures like those that it learnt from"}};
}

}  // namespace lowtide::models
