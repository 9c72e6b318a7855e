#pragma once
// A safetensors file: its header read and checked, and an atomic writer, also for weights by
// pieces.

#include "plugin/base/units.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/readable_bytes.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::files {

/// The little-endian length of the JSON text in front of it.
inline constexpr Bytes kLengthBytes = 8;
/// The format's own limit of the JSON text.
inline constexpr Bytes kMaxHeaderBytes = 100'000'000;
/// The one key of a header that is no tensor: a map of texts.
inline constexpr const char* kMetadataKey = "__metadata__";

/// Bytes of a tensor; empty when they overflow.
[[nodiscard]] std::optional<Bytes> byteCount(DType type, std::span<const int64_t> shape) noexcept;

/// One tensor of a header. `offset` counts from the start of the file.
struct TensorInfo {
    DType type = DType::F32;
    Shape shape;
    Bytes offset = 0;
    Bytes bytes = 0;
};

struct SafetensorsHeader {
    std::map<std::string, TensorInfo, std::less<>> tensors;
    std::map<std::string, std::string, std::less<>> metadata;
};

/// Whether it begins as a safetensors file does: eight bytes, then "{".
[[nodiscard]] bool looksLikeSafetensors(const ReadableBytes& bytes);

/// Reads and checks a header: its length, JSON, dtypes, shapes, offsets in range, bytes = elements
/// x size, no overlap, no hole, nothing behind the last tensor. Error{Corrupt} names the file and
/// the tensor; Error{Unsupported} names the tensor and an element type that is not read here.
/// Source: the safetensors format; verdicts checked against the Python package 0.8.0, stricter only
/// where the format is (repeated names, a header that does not begin with "{").
[[nodiscard]] SafetensorsHeader readSafetensorsHeader(const ReadableBytes& bytes);

/// The same of an open file.
[[nodiscard]] inline SafetensorsHeader readSafetensorsHeader(const InputFile& file) {
    return readSafetensorsHeader(FileBytes(file));
}

/// A tensor to be written: row-major bytes.
struct TensorBytes {
    DType type = DType::F32;
    Shape shape;
    std::span<const std::byte> bytes;
};

/// A tensor to be written by pieces.
struct TensorSource {
    std::string name;
    DType type = DType::F32;
    Shape shape;
    FillPiece fill;
};

/// Writes a safetensors file atomically: sorted by name, header padded to 8 bytes, nothing that
/// depends on time or folder. Error{InvalidInput} for a name, key or text that is not UTF-8;
/// Error{Internal} when bytes and shape disagree; and the errors of OutputFile.
void writeSafetensors(const std::string& path,
                      const std::map<std::string, TensorBytes>& tensors,
                      const std::map<std::string, std::string>& metadata = {});

/// The same of tensors that come by pieces and lie in the order that is given. Error{InvalidInput}
/// for a name that is there twice, too; Error{Cancelled} between pieces; and the errors of `fill`.
void writeSafetensors(const std::string& path,
                      std::span<const TensorSource> tensors,
                      const std::map<std::string, std::string>& metadata,
                      const StopToken& stop);

}  // namespace lowtide::files
