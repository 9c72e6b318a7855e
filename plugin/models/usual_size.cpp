#include "plugin/models/usual_size.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <cmath>
#include <utility>

namespace lowtide::models {

namespace {

// Of the usual pixels; a second pass over a picture may be larger.
constexpr int64_t kFewPixels = 256 * 256;  ///< models of demonstrations have no sizes of their own
constexpr double kFarBelow = 0.5;
constexpr double kFarAbove = 2.5;
constexpr double kMuchGuidance = 2;  ///< times the usual one

std::string pictureSizeText(const PictureSize& size) {
    return std::to_string(size.width) + " x " + std::to_string(size.height);
}

Issue usualSizeNote(std::string message, std::string hint) {
    return {.severity = Severity::Info,
            .code = "usual_size",
            .item = "latent",
            .message = std::move(message),
            .hint = std::move(hint)};
}

}  // namespace

PictureSize usualSizeFor(const ModelInfo& info, const PictureSize& size) {
    const double scale = std::sqrt(static_cast<double>(info.usual.pixels) /
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
        info.usual.pixels > 0 ? "choose " + pictureSizeText(usualSizeFor(info, size)) +
                                    ", which its own pipeline would make, and enlarge the picture"
                              : "choose a smaller size",
        "latent");
}

Issues sizeNotes(const ModelInfo& info, const Shape& latent, bool isEmpty) {
    if (info.usual.pixels == 0 || !info.latent.holds(latent)) {
        return {};
    }
    const PictureSize size = info.latent.sizeOf(latent);
    const PictureSize usual = usualSizeFor(info, size);
    if (usual.width == size.width && usual.height == size.height) {
        return {};
    }
    if (info.usual.scalesToPixels) {
        return {usualSizeNote("the picture is " + pictureSizeText(size) + ", as asked for; " +
                                  info.checkpoint +
                                  " was trained at other sizes, and its own pipeline would make " +
                                  pictureSizeText(usual),
                              "choose that size for pictures like those that it learnt from")};
    }
    if (info.usual.pixels < kFewPixels) {
        return {};
    }
    const double times =
        static_cast<double>(size.width * size.height) / static_cast<double>(info.usual.pixels);
    const bool isLarge = isEmpty && times > kFarAbove;
    if (times >= kFarBelow && !isLarge) {
        return {};
    }
    return {usualSizeNote("the picture is " + pictureSizeText(size) + ", and " + info.checkpoint +
                              " was trained at about " + pictureSizeText(usual),
                          isLarge ? "choose that size, and enlarge the picture in a second pass: "
                                    "larger ones repeat their subjects"
                                  : "choose that size: smaller ones lack detail")};
}

Issues guidanceNotes(const ModelInfo& info, double cfg) {
    if (info.usual.cfg == 0 || cfg <= kMuchGuidance * info.usual.cfg) {
        return {};
    }
    return {{.severity = Severity::Info,
             .code = "usual_guidance",
             .item = "cfg",
             .message = "the guidance is " + formatNumber(cfg) + ", and " + info.checkpoint +
                        " is usually run with " + formatNumber(info.usual.cfg),
             .hint = "set the guidance to " + formatNumber(info.usual.cfg)}};
}

}  // namespace lowtide::models
