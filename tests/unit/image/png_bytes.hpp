#pragma once
// PNG files put together by hand, so that reader and writer are not only checked against each
// other.

#include "plugin/host_api/host.hpp"

#include <QByteArray>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lowtide::testing {

inline const QByteArray kPngSignature("\x89PNG\r\n\x1a\n", 8);

[[nodiscard]] inline QByteArray bigEndian(uint32_t number) {
    QByteArray bytes;
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(number >> shift & 0xFF);
    }
    return bytes;
}

/// The checksum of ISO 3309, bit by bit.
[[nodiscard]] inline uint32_t crc32Of(const QByteArray& bytes) {
    uint32_t crc = ~0u;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
        }
    }
    return ~crc;
}

[[nodiscard]] inline QByteArray chunk(const char* type, const QByteArray& data) {
    const QByteArray body = type + data;
    return bigEndian(static_cast<uint32_t>(data.size())) + body + bigEndian(crc32Of(body));
}

/// A zlib stream; level 9 is the smallest, 1 the quickest.
[[nodiscard]] inline QByteArray deflated(const QByteArray& data, int level = 1) {
    return qCompress(data, level).mid(4);
}

struct PngHeader {
    uint32_t width = 1;
    uint32_t height = 1;
    int depth = 8;
    int color = 0;
    int interlace = 0;
};

[[nodiscard]] inline QByteArray headerChunk(const PngHeader& header) {
    QByteArray data = bigEndian(header.width) + bigEndian(header.height);
    data += static_cast<char>(header.depth);
    data += static_cast<char>(header.color);
    data += QByteArray(2, '\0');
    data += static_cast<char>(header.interlace);
    return chunk("IHDR", data);
}

/// A file of these rows (each begins with its filter byte); `before` and `after` stand around the
/// pixels.
[[nodiscard]] inline QByteArray pngOf(const PngHeader& header,
                                      const QByteArray& rows,
                                      const QByteArray& before = {},
                                      const QByteArray& after = {}) {
    return kPngSignature + headerChunk(header) + before + chunk("IDAT", deflated(rows)) + after +
           chunk("IEND", {});
}

struct RawChunk {
    QByteArray type;
    QByteArray data;
};

/// The chunks of a valid file.
[[nodiscard]] inline std::vector<RawChunk> chunksOf(const QByteArray& file) {
    std::vector<RawChunk> chunks;
    for (qsizetype at = 8; at + 12 <= file.size();) {
        uint32_t length = 0;
        for (int i = 0; i < 4; ++i) {
            length = length << 8 | static_cast<unsigned char>(file[at + i]);
        }
        chunks.push_back({file.mid(at + 4, 4), file.mid(at + 8, length)});
        at += 12 + static_cast<qsizetype>(length);
    }
    return chunks;
}

[[nodiscard]] inline std::span<const std::byte> bytesOf(const QByteArray& bytes) {
    return std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size())));
}

[[nodiscard]] inline QByteArray pixelsOf(const Image8& image) {
    return {reinterpret_cast<const char*>(image.pixels.get()),
            static_cast<qsizetype>(image.byteCount())};
}

[[nodiscard]] inline Image8 imageOf(int width, int height, int channels, const QByteArray& bytes) {
    auto pixels = std::make_shared<uint8_t[]>(static_cast<size_t>(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), pixels.get());
    return {.widthPixels = width, .heightPixels = height, .channels = channels, .pixels = pixels};
}

}  // namespace lowtide::testing
