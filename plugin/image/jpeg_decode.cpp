#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/format_reading.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
// libjpeg's headers want size_t and FILE to be known.
#include <jerror.h>
#include <jpeglib.h>

namespace lowtide::image {

namespace {

/// A block of 8 x 8 pixels takes one bit at least.
constexpr uint64_t kMostPixelsPerByte = 512;
/// Scans of a progressive file; encoders write about ten.
constexpr int kMostScans = 100;

/// Warnings that mean lost pixels; others (rubbish between segments, an unknown version) do not.
constexpr std::array kLosses = {
    JWRN_JPEG_EOF, JWRN_HIT_MARKER, JWRN_HUFF_BAD_CODE, JWRN_MUST_RESYNC};

/// What the calls below share with libjpeg's callbacks.
struct JpegReading {
    jpeg_decompress_struct info{};
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf jump{};
    char problem[JMSG_LENGTH_MAX] = {};

    JpegReading() = default;

    ~JpegReading() { jpeg_destroy_decompress(&info); }

    JpegReading(const JpegReading&) = delete;
    JpegReading& operator=(const JpegReading&) = delete;
};

[[noreturn]] void onJpegError(j_common_ptr info) {
    auto* reading = static_cast<JpegReading*>(info->client_data);
    info->err->format_message(info, reading->problem);
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
        std::snprintf(reading->problem, sizeof reading->problem, "it has too many scans");
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
        refuseJpegKind(name, "in CMYK, the colours of a printer");
    }
    if (info.num_components != 1 && info.num_components != 3) {
        refuseJpegKind(name, "of " + std::to_string(info.num_components) + " channels");
    }
    if (info.arith_code) {
        refuseJpegKind(name, "with arithmetic coding");
    }
}

void checkHolds(const PictureSize& size, std::string_view name, size_t fileBytes) {
    const auto pixels = static_cast<uint64_t>(size.widthPixels * size.heightPixels);
    if (pixels > kMostPixelsPerByte * fileBytes) {
        refusePicture(PictureFormat::Jpeg,
                      name,
                      "it claims " + sizeText(size) + ", which " + std::to_string(fileBytes) +
                          " bytes cannot hold");
    }
}

[[noreturn]] void refuseProblem(const JpegReading& reading, std::string_view name) {
    switch (reading.errors.msg_code) {
        case JERR_BAD_PRECISION:
            refuseJpegKind(name, "with " + std::to_string(reading.info.data_precision) + " bits");
        case JERR_SOF_UNSUPPORTED:
            refuseJpegKind(name, "of an unusual kind (lossless or hierarchical)");
        default:
            refusePicture(PictureFormat::Jpeg, name, reading.problem);
    }
}

}  // namespace

void refuseJpegKind(std::string_view name, const std::string& kind) {
    throw Error(ErrorKind::Unsupported,
                quotedName(name) + " is a JPEG picture " + kind +
                    ", only grey and RGB with 8 bits are read",
                "convert it to RGB (the sRGB profile) in another program");
}

Image8 decodeJpeg(std::span<const std::byte> bytes,
                  std::string_view name,
                  const PictureSize& stored) {
    JpegReading reading;
    if (!beginJpeg(reading, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size())) {
        refuseProblem(reading, name);
    }
    checkKind(reading.info, name);
    checkHolds(stored, name, bytes.size());
    reading.info.out_color_space = reading.info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    Image8 picture{.widthPixels = static_cast<int>(reading.info.image_width),
                   .heightPixels = static_cast<int>(reading.info.image_height),
                   .channels = reading.info.num_components};
    if (picture.widthPixels != stored.widthPixels || picture.heightPixels != stored.heightPixels) {
        refusePicture(PictureFormat::Jpeg, name, "it states two sizes");
    }
    if (!startJpeg(reading)) {
        refuseProblem(reading, name);
    }
    const auto pixels = allocatePixels(name, picture.byteCount());
    if (!readJpegRows(reading,
                      pixels.get(),
                      picture.byteCount() / static_cast<size_t>(picture.heightPixels))) {
        refuseProblem(reading, name);
    }
    picture.pixels = pixels;
    return picture;
}

}  // namespace lowtide::image
