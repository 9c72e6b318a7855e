#include "plugin/base/error.hpp"
#include "plugin/image/format_writing.hpp"

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <utility>
// libjpeg's headers want size_t and FILE to be known.
#include <jpeglib.h>

namespace lowtide::image {

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
    char problem[JMSG_LENGTH_MAX] = {};

    JpegWriting() = default;

    ~JpegWriting() { jpeg_destroy_compress(&info); }

    JpegWriting(const JpegWriting&) = delete;
    JpegWriting& operator=(const JpegWriting&) = delete;
};

[[noreturn]] void onJpegWriteError(j_common_ptr info) {
    auto* writing = static_cast<JpegWriting*>(info->client_data);
    info->err->format_message(info, writing->problem);
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
        std::snprintf(writing->problem, sizeof writing->problem, "no memory for its bytes");
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

/// False when libjpeg gave up, or the person did. libjpeg leaves by longjmp: no object with a
/// destructor may live in here.
bool writeJpeg(JpegWriting& writing,
               const Image8& picture,
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
    info.image_width = static_cast<JDIMENSION>(picture.widthPixels);
    info.image_height = static_cast<JDIMENSION>(picture.heightPixels);
    info.input_components = picture.channels;
    info.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    setColours(info, quality);
    jpeg_start_compress(&info, TRUE);
    writeSegments(info, segments);
    const size_t rowBytes =
        static_cast<size_t>(picture.widthPixels) * static_cast<size_t>(picture.channels);
    while (info.next_scanline < info.image_height) {
        if (stop.mode() == CancelMode::Now) {
            return false;
        }
        // libjpeg reads only.
        auto* row = const_cast<uint8_t*>(picture.pixels.get()) + info.next_scanline * rowBytes;
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

std::string encodeJpeg(const Image8& picture,
                       const std::string& exif,
                       int quality,
                       const StopToken& stop) {
    const std::vector<std::string> segments = exifSegments(exif);
    JpegWriting writing;
    if (!writeJpeg(writing, picture, segments, quality, stop)) {
        stop.throwIfStopped();
        throw Error(ErrorKind::Internal,
                    std::string("the picture could not be encoded as JPEG: ") + writing.problem);
    }
    return std::move(writing.bytes);
}

}  // namespace lowtide::image
