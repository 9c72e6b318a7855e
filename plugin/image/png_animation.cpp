#include "plugin/base/error.hpp"
#include "plugin/image/animation_encode.hpp"
#include "plugin/image/png_chunks.hpp"

#include <cmath>
#include <utility>

namespace lowtide::image {

namespace {

constexpr size_t kSizeBytes = 8;  ///< width and height at the begin of IHDR

/// Numerator and denominator of seconds, 16 bits each.
std::string delayOf(double rate) {
    const bool isWhole = rate == std::floor(rate);
    const double numerator = isWhole ? 1 : 50;  // 50 * 1000 fits, and so does 29.97
    return pngNumber(static_cast<uint64_t>(numerator), 2) +
           pngNumber(static_cast<uint64_t>(std::llround(numerator * rate)), 2);
}

}  // namespace

PngAnimation::PngAnimation(int frames, double rate) : frames_(frames), rate_(rate) {
    checkRate(rate);
    LOWTIDE_ASSERT(frames > 0);
}

std::string PngAnimation::frameControl(std::string_view size) {
    constexpr size_t kOffsets = 8;
    constexpr std::string_view kReplaced("\0\0", 2);  // left as it is, and drawn over
    return pngChunk("fcTL",
                    pngNumber(sequence_++, 4) + std::string(size) + std::string(kOffsets, '\0') +
                        delayOf(rate_) + std::string(kReplaced));
}

std::string PngAnimation::partOf(std::string_view png) {
    LOWTIDE_ASSERT(added_ < frames_);
    std::string part;
    const bool isFirst = added_++ == 0;
    if (isFirst) {
        part = kPngSignature;
    }
    bool isBegun = false;
    size_t at = kPngSignature.size();
    for (PngChunk each = pngChunkAt(png, at); !each.type.empty(); each = pngChunkAt(png, at)) {
        at += each.whole.size();
        if (each.type == "IDAT") {
            part += std::exchange(isBegun, true) ? "" : frameControl(size_);
            part += isFirst ? std::string(each.whole)
                            : pngChunk("fdAT", pngNumber(sequence_++, 4) + std::string(each.data));
        } else if (isFirst && each.type != "IEND") {
            part += each.whole;
        }
        if (isFirst && each.type == "IHDR") {
            size_ = each.data.substr(0, kSizeBytes);
            part +=
                pngChunk("acTL", pngNumber(static_cast<uint64_t>(frames_), 4) + pngNumber(0, 4));
        }
    }
    return added_ == frames_ ? part + pngChunk("IEND", {}) : part;
}

}  // namespace lowtide::image
