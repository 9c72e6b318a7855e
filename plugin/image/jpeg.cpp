// JPEG: its segments, decoding and encoding with libjpeg.

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/formats.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <jerror.h>
#include <jpeglib.h>
#include <optional>
#include <string>
#include <utility>

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

/// What a frame states about its kind: what decoding would refuse is refused before the run.
void checkFrame(ByteWindow& bytes, const JpegSegment& segment, std::string_view name) {
    constexpr uint8_t kProgressive = 0xC2;
    constexpr uint8_t kArithmetic = 0xC9;
    constexpr uint8_t kArithmeticProgressive = 0xCA;
    const bool isArithmetic =
        segment.marker == kArithmetic || segment.marker == kArithmeticProgressive;
    const uint64_t bits = bytes.bigEndian(segment.at, 1);
    const uint64_t channels = bytes.bigEndian(segment.at + 5, 1);
    if (segment.marker > kProgressive && !isArithmetic) {
        refuseJpegKind(name, message("of an unusual kind (lossless or hierarchical)"));
    }
    if (bits != 8) {
        refuseJpegKind(name, message("with {} bits", bits));
    }
    if (channels == 4) {
        refuseJpegKind(name, message("in CMYK, the colours of a printer"));
    }
    if (channels != 1 && channels != 3) {
        refuseJpegKind(name, message("of {} channels", channels));
    }
    if (isArithmetic) {
        refuseJpegKind(name, message("with arithmetic coding"));
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
        refuseImage(ImageFormat::Jpeg, name, message("it ends before it states its size"));
    }
    checkImageSize(header.size, ImageFormat::Jpeg, name);
    return header;
}

namespace {

/// A block of 8 x 8 pixels takes one bit at least.
constexpr uint64_t kMostPixelsPerByte = 512;
/// Scans of a progressive file; encoders write about ten.
constexpr int kMostScans = 100;

/// Warnings that mean lost pixels; others (rubbish between segments, an unknown version) do not.
constexpr std::array kLosses = {
    JWRN_JPEG_EOF, JWRN_HIT_MARKER, JWRN_HUFF_BAD_CODE, JWRN_MUST_RESYNC};

static_assert(sizeof(LibraryProblem::words) >= JMSG_LENGTH_MAX);

/// What the calls below share with libjpeg's callbacks.
struct JpegReading {
    jpeg_decompress_struct info{};
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf jump{};
    LibraryProblem problem;

    JpegReading() = default;

    ~JpegReading() { jpeg_destroy_decompress(&info); }

    JpegReading(const JpegReading&) = delete;
    JpegReading& operator=(const JpegReading&) = delete;
};

[[noreturn]] void onJpegError(j_common_ptr info) {
    auto* reading = static_cast<JpegReading*>(info->client_data);
    info->err->format_message(info, reading->problem.words);
    std::longjmp(reading->jump, 1);
}

void onJpegMessage(j_common_ptr info, int level) {
    const bool isLoss = std::ranges::find(kLosses, info->err->msg_code) != kLosses.end();
    if (level < 0 && isLoss) {
        onJpegError(info);
    }
}

void onJpegText(j_common_ptr) {}

void onJpegProgress(j_common_ptr info) {
    auto* reading = static_cast<JpegReading*>(info->client_data);
    if (reading->info.input_scan_number > kMostScans) {
        reading->problem.ours = phrase("it has too many scans");
        std::longjmp(reading->jump, 1);
    }
}

/// Reads up to the pixels. False when libjpeg gave up. It leaves by longjmp: no object with a
/// destructor may live in here, nor in the next two.
bool beginJpeg(JpegReading& reading, const unsigned char* bytes, unsigned long count) {
    reading.info.err = jpeg_std_error(&reading.errors);
    reading.errors.error_exit = onJpegError;
    reading.errors.emit_message = onJpegMessage;
    reading.errors.output_message = onJpegText;
    reading.info.client_data = &reading;
    if (setjmp(reading.jump) != 0) {
        return false;
    }
    jpeg_create_decompress(&reading.info);
    reading.progress.progress_monitor = onJpegProgress;
    reading.info.progress = &reading.progress;
    jpeg_mem_src(&reading.info, bytes, count);
    jpeg_read_header(&reading.info, TRUE);
    return true;
}

bool startJpeg(JpegReading& reading) {
    if (setjmp(reading.jump) != 0) {
        return false;
    }
    jpeg_start_decompress(&reading.info);
    return true;
}

bool readJpegRows(JpegReading& reading, uint8_t* pixels, size_t rowBytes) {
    if (setjmp(reading.jump) != 0) {
        return false;
    }
    while (reading.info.output_scanline < reading.info.output_height) {
        JSAMPROW row = pixels + reading.info.output_scanline * rowBytes;
        jpeg_read_scanlines(&reading.info, &row, 1);
    }
    jpeg_finish_decompress(&reading.info);
    return true;
}

void checkKind(const jpeg_decompress_struct& info, std::string_view name) {
    if (info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK) {
        refuseJpegKind(name, message("in CMYK, the colours of a printer"));
    }
    if (info.num_components != 1 && info.num_components != 3) {
        refuseJpegKind(name, message("of {} channels", info.num_components));
    }
    if (info.arith_code) {
        refuseJpegKind(name, message("with arithmetic coding"));
    }
}

void checkHolds(const ImageSize& size, std::string_view name, size_t fileBytes) {
    const auto pixels = static_cast<uint64_t>(size.widthPixels * size.heightPixels);
    if (pixels > kMostPixelsPerByte * fileBytes) {
        refuseImage(ImageFormat::Jpeg,
                    name,
                    message("it claims {}, which {} bytes cannot hold", sizeText(size), fileBytes));
    }
}

[[noreturn]] void refuseProblem(const JpegReading& reading, std::string_view name) {
    switch (reading.errors.msg_code) {
        case JERR_BAD_PRECISION:
            refuseJpegKind(name, message("with {} bits", reading.info.data_precision));
        case JERR_SOF_UNSUPPORTED:
            refuseJpegKind(name, message("of an unusual kind (lossless or hierarchical)"));
        default:
            refuseImage(ImageFormat::Jpeg, name, reading.problem.reported());
    }
}

}  // namespace

void refuseJpegKind(std::string_view name, const Message& kind) {
    throw Error(ErrorKind::Unsupported,
                message("{} is a JPEG image {}, only grey and RGB with 8 bits are read",
                        quotedName(name),
                        kind),
                message("convert it to RGB (the sRGB profile) in another program"));
}

Image8 decodeJpeg(std::span<const std::byte> bytes,
                  std::string_view name,
                  const ImageSize& stored) {
    JpegReading reading;
    if (!beginJpeg(reading, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size())) {
        refuseProblem(reading, name);
    }
    checkKind(reading.info, name);
    checkHolds(stored, name, bytes.size());
    reading.info.out_color_space = reading.info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    Image8 image{.widthPixels = static_cast<int>(reading.info.image_width),
                 .heightPixels = static_cast<int>(reading.info.image_height),
                 .channels = reading.info.num_components};
    if (image.widthPixels != stored.widthPixels || image.heightPixels != stored.heightPixels) {
        refuseImage(ImageFormat::Jpeg, name, message("it states two sizes"));
    }
    if (!startJpeg(reading)) {
        refuseProblem(reading, name);
    }
    const auto pixels = allocatePixels(name, image.byteCount());
    if (!readJpegRows(
            reading, pixels.get(), image.byteCount() / static_cast<size_t>(image.heightPixels))) {
        refuseProblem(reading, name);
    }
    image.pixels = pixels;
    return image;
}

namespace {

using namespace std::literals;

/// From here on colours keep their whole resolution (4:4:4); below, half of it (4:2:0).
constexpr int kWholeColours = 90;
constexpr std::string_view kExifBegin = "Exif\0\0"sv;
constexpr size_t kMostSegmentBytes = 65533;
constexpr size_t kPieceBytes = 1 << 14;

/// What the calls below share with libjpeg's callbacks.
struct JpegWriting {
    jpeg_compress_struct info{};
    jpeg_error_mgr errors{};
    std::jmp_buf jump{};
    jpeg_destination_mgr target{};
    std::array<JOCTET, kPieceBytes> piece{};
    std::string bytes;
    LibraryProblem problem;

    JpegWriting() = default;

    ~JpegWriting() { jpeg_destroy_compress(&info); }

    JpegWriting(const JpegWriting&) = delete;
    JpegWriting& operator=(const JpegWriting&) = delete;
};

[[noreturn]] void onJpegWriteError(j_common_ptr info) {
    auto* writing = static_cast<JpegWriting*>(info->client_data);
    info->err->format_message(info, writing->problem.words);
    std::longjmp(writing->jump, 1);
}

void onJpegWriteMessage(j_common_ptr, int) {}

bool appendPiece(JpegWriting& writing, size_t count) noexcept {
    try {
        writing.bytes.append(reinterpret_cast<const char*>(writing.piece.data()), count);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

void takePiece(j_compress_ptr info, size_t count) {
    auto* writing = static_cast<JpegWriting*>(info->client_data);
    if (!appendPiece(*writing, count)) {
        writing->problem.ours = phrase("no memory for its bytes");
        std::longjmp(writing->jump, 1);
    }
    writing->target.next_output_byte = writing->piece.data();
    writing->target.free_in_buffer = kPieceBytes;
}

void onJpegStart(j_compress_ptr info) {
    takePiece(info, 0);
}

boolean onJpegFull(j_compress_ptr info) {
    takePiece(info, kPieceBytes);
    return TRUE;
}

void onJpegEnd(j_compress_ptr info) {
    takePiece(info, kPieceBytes - info->dest->free_in_buffer);
}

void setColours(jpeg_compress_struct& info, int quality) {
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, quality, TRUE);
    info.optimize_coding = TRUE;
    if (info.num_components == 3 && quality >= kWholeColours) {
        info.comp_info[0].h_samp_factor = 1;
        info.comp_info[0].v_samp_factor = 1;
    }
}

/// EXIF that is longer than a segment goes on in the next ones.
void writeSegments(jpeg_compress_struct& info, const std::vector<std::string>& segments) {
    for (const std::string& segment : segments) {
        jpeg_write_marker(&info,
                          JPEG_APP0 + 1,
                          reinterpret_cast<const JOCTET*>(segment.data()),
                          static_cast<unsigned>(segment.size()));
    }
}

/// False when libjpeg gave up, or the user did. libjpeg leaves by longjmp: no object with a
/// destructor may live in here.
bool writeJpeg(JpegWriting& writing,
               const Image8& image,
               const std::vector<std::string>& segments,
               int quality,
               const StopToken& stop) {
    jpeg_compress_struct& info = writing.info;
    info.err = jpeg_std_error(&writing.errors);
    writing.errors.error_exit = onJpegWriteError;
    writing.errors.emit_message = onJpegWriteMessage;
    info.client_data = &writing;
    if (setjmp(writing.jump) != 0) {
        return false;
    }
    jpeg_create_compress(&info);
    writing.target.init_destination = onJpegStart;
    writing.target.empty_output_buffer = onJpegFull;
    writing.target.term_destination = onJpegEnd;
    info.dest = &writing.target;
    info.image_width = static_cast<JDIMENSION>(image.widthPixels);
    info.image_height = static_cast<JDIMENSION>(image.heightPixels);
    info.input_components = image.channels;
    info.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    setColours(info, quality);
    jpeg_start_compress(&info, TRUE);
    writeSegments(info, segments);
    const size_t rowBytes =
        static_cast<size_t>(image.widthPixels) * static_cast<size_t>(image.channels);
    while (info.next_scanline < info.image_height) {
        if (stop.mode() == CancelMode::Now) {
            return false;
        }
        // libjpeg reads only.
        auto* row = const_cast<uint8_t*>(image.pixels.get()) + info.next_scanline * rowBytes;
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    return true;
}

std::vector<std::string> exifSegments(const std::string& exif) {
    constexpr size_t kMost = kMostSegmentBytes - kExifBegin.size();
    std::vector<std::string> segments;
    for (size_t at = 0; at < exif.size(); at += kMost) {
        segments.push_back(std::string(kExifBegin) + exif.substr(at, kMost));
    }
    return segments;
}

}  // namespace

std::string encodeJpeg(const Image8& image,
                       const std::string& exif,
                       int quality,
                       const StopToken& stop) {
    const std::vector<std::string> segments = exifSegments(exif);
    JpegWriting writing;
    if (!writeJpeg(writing, image, segments, quality, stop)) {
        stop.throwIfStopped();
        throw Error(
            ErrorKind::Internal,
            message("the image could not be encoded as JPEG: {}", writing.problem.reported()));
    }
    return std::move(writing.bytes);
}

}  // namespace lowtide::image
