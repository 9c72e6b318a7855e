// Animated PNG: its chunks, written and read.

#include "plugin/base/error.hpp"
#include "plugin/image/animation.hpp"
#include "plugin/image/formats.hpp"
#include "plugin/image/png.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <zlib.h>

namespace lowtide::image {

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

/// A chunk with its length and checksum.
[[nodiscard]] std::string pngChunk(std::string_view type, std::string_view data);
/// A number as PNG has it, most significant byte first.
[[nodiscard]] std::string pngNumber(uint64_t number, int bytes);
[[nodiscard]] uint32_t pngNumberAt(std::string_view bytes, size_t at, int count = 4);

struct PngChunk {
    std::string_view type;  ///< empty: no further one is whole
    std::string_view data{};
    std::string_view whole{};
};

/// The chunk at a position of a file; `whole` states how far it reaches.
[[nodiscard]] PngChunk pngChunkAt(std::string_view png, size_t at);

namespace {

constexpr size_t kFrameBytes = 12;  // length, type, checksum

}  // namespace

std::string pngNumber(uint64_t number, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
        text += static_cast<char>(number >> shift & 0xFF);
    }
    return text;
}

uint32_t pngNumberAt(std::string_view bytes, size_t at, int count) {
    uint32_t number = 0;
    for (const char byte : bytes.substr(at, static_cast<size_t>(count))) {
        number = number << 8 | static_cast<unsigned char>(byte);
    }
    return number;
}

std::string pngChunk(std::string_view type, std::string_view data) {
    const std::string body = std::string(type) + std::string(data);
    const uLong sum =
        crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    return pngNumber(data.size(), 4) + body + pngNumber(sum, 4);
}

PngChunk pngChunkAt(std::string_view png, size_t at) {
    if (at > png.size() || png.size() - at < kFrameBytes) {
        return {};
    }
    const size_t length = pngNumberAt(png, at);
    if (png.size() - at - kFrameBytes < length) {
        return {};
    }
    return {.type = png.substr(at + 4, 4),
            .data = png.substr(at + 8, length),
            .whole = png.substr(at, length + kFrameBytes)};
}

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

namespace {

constexpr size_t kBytesOfIhdr = 13;   ///< of IHDR
constexpr size_t kControlBytes = 26;  ///< of fcTL
constexpr int kAlpha = 3;
/// Parts of an animation may be small and its whole large. Up to this many pixels it is believed,
/// beyond that a byte of the file stands for so many.
constexpr uint64_t kTrustedPixels = 1u << 25;
constexpr uint64_t kMostPixelsForByte = 1024;

struct Part {
    int64_t x = 0;
    int64_t y = 0;
    int64_t width = 0;
    int64_t height = 0;
};

/// An image of the animation. Source: PNG specification, third edition, 11.3.6.2.
struct PngFrame {
    enum class Disposal : uint8_t { None, Background, Previous };

    Part part;
    double seconds = 0;
    Disposal disposal = Disposal::None;
    bool isBlended = false;  ///< drawn over what is there, else instead of it
    std::vector<std::string_view> data{};
};

class PngAnimationReader final : public AnimationReader {
public:
    PngAnimationReader(std::span<const std::byte> bytes, std::string_view name)
        : name_(name), bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {
        readChunks();
        std::vector<double> seconds;
        for (const PngFrame& frame : frames_) {
            seconds.push_back(frame.seconds);
        }
        constexpr double kPrecision = 1e-4;
        times_ = frameTimes(seconds, kPrecision);
        require(times_.frames <= kMostAnimationFrames, message("it has too many frames"));
        header_.frames = times_.frames;
        header_.rate = frames_.size() > 1 ? times_.rate : 0;
    }

    [[nodiscard]] const AnimationHeader& header() const override { return header_; }

    [[nodiscard]] std::optional<Image8> next(const StopToken& stop) override {
        stop.throwIfStopped();
        if (left_ == 0 && frame_ < frames_.size()) {
            draw(frames_[frame_]);
            left_ = times_.shown[frame_++];
        }
        if (left_ == 0) {
            return std::nullopt;
        }
        --left_;
        return shown_;
    }

private:
    void require(bool holds, const Message& problem) const {
        if (!holds) {
            refuseImage(ImageFormat::Png, name_, problem);
        }
    }

    void readChunks() {
        bool isBegun = false;  // by the pixels of an image that every reader shows
        size_t at = kPngSignature.size();
        for (PngChunk each = pngChunkAt(bytes_, at); !each.type.empty();
             each = pngChunkAt(bytes_, at)) {
            at += each.whole.size();
            if (each.type == "IHDR") {
                readSize(each.data);
            } else if (each.type == "acTL") {
                isAnimated_ = true;
            } else if (each.type == "fcTL" && isAnimated_) {
                addFrame(each.data);
            } else if (each.type == "IDAT") {
                isBegun = true;
                if (!isAnimated_) {
                    single().data.push_back(each.data);
                } else if (!frames_.empty()) {
                    frames_.back().data.push_back(each.data);
                }
            } else if (each.type == "fdAT" && isAnimated_) {
                require(!frames_.empty() && each.data.size() > 4,
                        message("a frame has no control chunk"));
                frames_.back().data.push_back(each.data.substr(4));
            } else if (!isBegun && each.type != "tEXt" && each.type != "iTXt" &&
                       each.type != "zTXt" && each.type != "eXIf") {
                before_ += each.whole;  // a palette, and what it means
            }
        }
        require(!frames_.empty(), message("it ends before its pixels"));
        for (const PngFrame& frame : frames_) {
            require(!frame.data.empty(), message("a frame has no pixels"));
        }
    }

    /// A file that is no animation.
    PngFrame& single() {
        if (frames_.empty()) {
            frames_.push_back(
                {.part = {.width = header_.size.widthPixels, .height = header_.size.heightPixels}});
        }
        return frames_.front();
    }

    void readSize(std::string_view data) {
        require(data.size() == kBytesOfIhdr, message("its header is damaged"));
        header_.size = {.widthPixels = pngNumberAt(data, 0), .heightPixels = pngNumberAt(data, 4)};
        checkImageSize(header_.size, ImageFormat::Png, name_);
        format_ = data.substr(8);
    }

    void addFrame(std::string_view data) {
        require(data.size() == kControlBytes && frames_.size() < kMostAnimationFrames,
                message("its control chunks are damaged"));
        constexpr double kUsualPart = 100;
        const auto part = [&](size_t at) { return static_cast<int64_t>(pngNumberAt(data, at)); };
        const uint32_t parts = pngNumberAt(data, 22, 2);
        PngFrame frame{.part = {.x = part(12), .y = part(16), .width = part(4), .height = part(8)},
                       .seconds = pngNumberAt(data, 20, 2) / (parts > 0 ? parts : kUsualPart),
                       .disposal = static_cast<PngFrame::Disposal>(std::clamp<int>(data[24], 0, 2)),
                       .isBlended = data[25] == 1};
        require(frame.part.width > 0 && frame.part.height > 0 &&
                    frame.part.x + frame.part.width <= header_.size.widthPixels &&
                    frame.part.y + frame.part.height <= header_.size.heightPixels,
                message("a frame lies outside of it"));
        frames_.push_back(std::move(frame));
    }

    [[nodiscard]] Image8 decoded(const PngFrame& frame) const {
        std::string file(kPngSignature);
        file += pngChunk("IHDR",
                         pngNumber(static_cast<uint64_t>(frame.part.width), 4) +
                             pngNumber(static_cast<uint64_t>(frame.part.height), 4) + format_);
        file += before_;
        for (const std::string_view data : frame.data) {
            file += pngChunk("IDAT", data);
        }
        file += pngChunk("IEND", {});
        return decodePng(std::as_bytes(std::span(file)), name_).image;
    }

    void makeCanvas() {
        const auto pixels =
            static_cast<uint64_t>(header_.size.widthPixels * header_.size.heightPixels);
        require(pixels <= kTrustedPixels || pixels <= kMostPixelsForByte * bytes_.size(),
                message("it claims {}, which its frames can hardly hold", sizeText(header_.size)));
        canvas_.widthPixels = static_cast<int>(header_.size.widthPixels);
        canvas_.heightPixels = static_cast<int>(header_.size.heightPixels);
        canvas_.channels = 4;
        pixels_ = allocatePixels(name_, canvas_.byteCount());
        std::fill_n(pixels_.get(), canvas_.byteCount(), uint8_t{0});
        canvas_.pixels = pixels_;
    }

    uint8_t* pixelAt(const Part& part, int64_t row) {
        return pixels_.get() + 4 * ((part.y + row) * header_.size.widthPixels + part.x);
    }

    /// Calls `work(pixels of the canvas, pixels of a row of the part)` for each row.
    template <class Work>
    void forRows(const Part& part, const Work& work) {
        for (int64_t row = 0; row < part.height; ++row) {
            work(pixelAt(part, row), row);
        }
    }

    void draw(const PngFrame& frame) {
        const Image8 image = decoded(frame);
        if (!pixels_) {
            makeCanvas();
        }
        std::vector<uint8_t> before;
        const auto rowBytes = static_cast<size_t>(4 * frame.part.width);
        if (frame.disposal == PngFrame::Disposal::Previous) {
            before.resize(rowBytes * static_cast<size_t>(frame.part.height));
            forRows(frame.part, [&](const uint8_t* canvas, int64_t row) {
                std::copy_n(canvas, rowBytes, before.data() + static_cast<size_t>(row) * rowBytes);
            });
        }
        forRows(frame.part, [&](uint8_t* canvas, int64_t row) {
            for (int64_t x = 0; x < frame.part.width; ++x) {
                const auto at = static_cast<size_t>((row * frame.part.width + x) * image.channels);
                put(canvas + 4 * x, image.pixels.get() + at, image.channels, frame.isBlended);
            }
        });
        shown_ = overBlack(canvas_, name_);
        if (frame.disposal == PngFrame::Disposal::Background) {
            forRows(frame.part,
                    [&](uint8_t* canvas, int64_t) { std::fill_n(canvas, rowBytes, uint8_t{0}); });
        } else if (frame.disposal == PngFrame::Disposal::Previous) {
            forRows(frame.part, [&](uint8_t* canvas, int64_t row) {
                std::copy_n(before.data() + static_cast<size_t>(row) * rowBytes, rowBytes, canvas);
            });
        }
    }

    static void put(uint8_t* canvas, const uint8_t* pixel, int channels, bool isBlended) {
        constexpr int kFull = 255;
        const int alpha = channels == 4 ? pixel[kAlpha] : kFull;
        const int kept = isBlended ? (kFull - alpha) * canvas[kAlpha] : 0;
        const int all = kFull * alpha + kept;
        for (int channel = 0; channel < kAlpha; ++channel) {
            const int own = pixel[channels == 1 ? 0 : channel];
            canvas[channel] = static_cast<uint8_t>(
                all == 0 || !isBlended ? own
                                       : (own * kFull * alpha + canvas[channel] * kept) / all);
        }
        canvas[kAlpha] = static_cast<uint8_t>(all / kFull);
    }

    std::string name_;
    std::string_view bytes_;
    AnimationHeader header_;
    std::string format_;  ///< of IHDR behind the size
    std::string before_;  ///< chunks that every frame needs
    bool isAnimated_ = false;
    std::vector<PngFrame> frames_;
    FrameTimes times_;
    size_t frame_ = 0;
    int64_t left_ = 0;
    Image8 canvas_;
    std::shared_ptr<uint8_t[]> pixels_;
    Image8 shown_;
};

}  // namespace

std::unique_ptr<AnimationReader> openPngAnimation(std::span<const std::byte> bytes,
                                                  std::string_view name) {
    return std::make_unique<PngAnimationReader>(bytes, name);
}

}  // namespace lowtide::image
