#include "plugin/checkpoints/single_file/built_in_tokenizer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/input_file.hpp"

#include <filesystem>
#include <optional>
#include <utility>
#include <zlib.h>

namespace lowtide::models {

namespace {

constexpr Bytes kLargestBuiltIn = 16 * kMiB;
constexpr size_t kGzipTrailer = 8;           ///< a checksum and the unpacked size
constexpr int kGzipWindow = 16 + MAX_WBITS;  ///< for inflateInit2(): a header of gzip

/// The size that the end of a gzip file states.
size_t unpackedSize(const std::string& packed) {
    size_t size = 0;
    for (size_t i = 1; i <= sizeof(uint32_t); ++i) {
        size = size << 8 | static_cast<uint8_t>(packed[packed.size() - i]);
    }
    return size;
}

/// What a gzip file holds; nothing where it is damaged.
std::optional<std::string> unpacked(std::string packed) {
    const size_t size = packed.size() < kGzipTrailer ? 0 : unpackedSize(packed);
    z_stream stream{};
    if (size == 0 || size > static_cast<size_t>(kLargestBuiltIn) ||
        inflateInit2(&stream, kGzipWindow) != Z_OK) {
        return std::nullopt;
    }
    std::string text(size, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    const bool isComplete = inflate(&stream, Z_FINISH) == Z_STREAM_END;
    inflateEnd(&stream);
    return isComplete && stream.avail_out == 0 ? std::optional(std::move(text)) : std::nullopt;
}

[[noreturn]] void refuseBuiltIn(ErrorKind kind, const std::string& path) {
    throw Error(kind,
                kind == ErrorKind::NotFound
                    ? message("{}, a vocabulary that comes with Lowtide, is missing", path)
                    : message("{}, a vocabulary that comes with Lowtide, is damaged", path),
                message("install Lowtide again"));
}

}  // namespace

std::string builtInPath(const std::string& resourcesFolder, const char* folder, const char* file) {
    const auto path = std::filesystem::path(resourcesFolder) / "tokenizers" / folder / file;
    return path.string() + ".gz";
}

std::string readBuiltIn(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        refuseBuiltIn(ErrorKind::NotFound, path);
    }
    std::optional<std::string> text = unpacked(files::InputFile(path).readAll(kLargestBuiltIn));
    if (!text) {
        refuseBuiltIn(ErrorKind::Corrupt, path);
    }
    return std::move(*text);
}

}  // namespace lowtide::models
