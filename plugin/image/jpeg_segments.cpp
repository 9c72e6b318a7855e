#include "plugin/base/text.hpp"
#include "plugin/image/format_reading.hpp"

#include <optional>
#include <string>

namespace lowtide::image {

namespace {

using namespace std::literals;

constexpr std::string_view kExifStart = "Exif\0\0"sv;
constexpr std::string_view kProfileStart = "ICC_PROFILE\0"sv;
constexpr uint64_t kProfileHeader = 14;  ///< its start, number and count

constexpr uint8_t kStartOfScan = 0xDA;
constexpr uint8_t kEndOfImage = 0xD9;
constexpr uint8_t kApp1 = 0xE1;
constexpr uint8_t kApp2 = 0xE2;

/// A marker and where the data of its segment lie.
struct JpegSegment {
    uint8_t marker = 0;
    uint64_t at = 0;
    uint64_t bytes = 0;
};

bool isStandalone(uint8_t marker) {
    return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
}

bool isFrame(uint8_t marker) {
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/// The segments before the first scan, in their order.
class JpegSegments {
public:
    explicit JpegSegments(const ByteSource& source) : bytes_(source) {}

    /// Empty at the scan, at the end, and where the file ends early.
    std::optional<JpegSegment> next() {
        const uint8_t marker = nextMarker();
        if (marker == kStartOfScan || marker == kEndOfImage || !bytes_.has(at_, 2)) {
            return std::nullopt;
        }
        const uint64_t length = bytes_.bigEndian(at_, 2);
        if (length < 2 || !bytes_.has(at_, length) || --left_ < 0) {
            return std::nullopt;
        }
        const JpegSegment segment{.marker = marker, .at = at_ + 2, .bytes = length - 2};
        at_ += length;
        return segment;
    }

    ByteWindow& bytes() { return bytes_; }

private:
    /// Rubbish before a marker is passed over, as libjpeg does. kEndOfImage at the end of the file.
    uint8_t nextMarker() {
        uint8_t marker = 0;
        do {
            while (bytes_.has(at_, 1) && bytes_.byteAt(at_) != 0xFF) {
                ++at_;
            }
            while (bytes_.has(at_, 1) && bytes_.byteAt(at_) == 0xFF) {
                ++at_;
            }
            if (!bytes_.has(at_, 1)) {
                return kEndOfImage;
            }
            marker = bytes_.byteAt(at_++);
        } while (marker == 0 || isStandalone(marker));
        return marker;
    }

    ByteWindow bytes_;
    uint64_t at_ = 2;
    int left_ = kMostSections;
};

bool startsWith(JpegSegments& segments, const JpegSegment& segment, std::string_view start) {
    return segment.bytes >= start.size() &&
           segments.bytes().text(segment.at, start.size()) == start;
}

/// What a frame says of its kind: what decoding would refuse is refused before the run.
void checkFrame(ByteWindow& bytes, const JpegSegment& segment, std::string_view name) {
    constexpr uint8_t kProgressive = 0xC2;
    constexpr uint8_t kArithmetic = 0xC9;
    constexpr uint8_t kArithmeticProgressive = 0xCA;
    const bool isArithmetic =
        segment.marker == kArithmetic || segment.marker == kArithmeticProgressive;
    const uint64_t bits = bytes.bigEndian(segment.at, 1);
    const uint64_t channels = bytes.bigEndian(segment.at + 5, 1);
    if (segment.marker > kProgressive && !isArithmetic) {
        refuseJpegKind(name, "of an unusual kind (lossless or hierarchical)");
    }
    if (bits != 8) {
        refuseJpegKind(name, "with " + std::to_string(bits) + " bits");
    }
    if (channels == 4) {
        refuseJpegKind(name, "in CMYK, the colours of a printer");
    }
    if (channels != 1 && channels != 3) {
        refuseJpegKind(name, "of " + std::to_string(channels) + " channels");
    }
    if (isArithmetic) {
        refuseJpegKind(name, "with arithmetic coding");
    }
}

void addSegment(JpegSegments& segments,
                const JpegSegment& segment,
                std::string_view name,
                StoredHeader& header) {
    ByteWindow& bytes = segments.bytes();
    if (isFrame(segment.marker) && header.size.widthPixels == 0 && segment.bytes >= 6) {
        checkFrame(bytes, segment, name);
        header.size = {.widthPixels = static_cast<int64_t>(bytes.bigEndian(segment.at + 3, 2)),
                       .heightPixels = static_cast<int64_t>(bytes.bigEndian(segment.at + 1, 2))};
    } else if (segment.marker == kApp1 && startsWith(segments, segment, kExifStart) &&
               header.exif.size() < kMostExifBytes) {
        // A long one goes on in the next segments, each with the same start.
        header.exif +=
            bytes.text(segment.at + kExifStart.size(), segment.bytes - kExifStart.size());
    } else if (segment.marker == kApp2 && segment.bytes > kProfileHeader &&
               header.profile.empty() && startsWith(segments, segment, kProfileStart)) {
        header.profile = bytes.text(segment.at + kProfileHeader, segment.bytes - kProfileHeader);
    }
}

}  // namespace

StoredHeader jpegStored(const ByteSource& source, std::string_view name) {
    StoredHeader header;
    JpegSegments segments(source);
    while (const std::optional<JpegSegment> segment = segments.next()) {
        addSegment(segments, *segment, name, header);
    }
    if (header.size.widthPixels == 0) {
        refusePicture(PictureFormat::Jpeg, name, "it ends before it says its size");
    }
    checkPictureSize(header.size, PictureFormat::Jpeg, name);
    return header;
}

}  // namespace lowtide::image
