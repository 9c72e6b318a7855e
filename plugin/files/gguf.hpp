#pragma once
// A GGUF file: its header read and checked, and the writer of version 3.

#include "plugin/base/stop_token.hpp"
#include "plugin/base/units.hpp"
#include "plugin/files/ggml_type.hpp"
#include "plugin/files/gguf_metadata.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/readable_bytes.hpp"

#include <span>
#include <string>
#include <vector>

namespace lowtide::files {

/// One tensor of a header. `offset` counts from the start of the file.
struct GgufTensor {
    std::string name;
    GgmlType type = GgmlType::F32;
    Shape shape;  ///< outermost first; files have it innermost first. Empty is a scalar
    Bytes offset = 0;
    Bytes bytes = 0;
};

struct GgufHeader {
    int version = 0;      ///< 2 or 3
    Bytes alignment = 0;  ///< of the tensors' offsets
    GgufMetadata metadata;
    std::vector<GgufTensor> tensors;  ///< in the order of the file
};

/// Whether it begins as a GGUF file does.
[[nodiscard]] bool looksLikeGguf(const ReadableBytes& bytes);

/// Reads and checks the header of a GGUF file, version 2 or 3, little-endian. No weight is read:
/// tensors are positions in the file, each aligned, inside and apart from the others.
/// Error{Corrupt} and Error{Unsupported} name file, key or tensor.
/// Source: ggml's docs/gguf.md; verdicts checked against the Python package gguf 0.19.0, stricter
/// where the format or ggml is: alignment, overlaps, BOOL values, at most 5 sizes, none of them 0.
[[nodiscard]] GgufHeader readGgufHeader(const ReadableBytes& bytes);

/// The same of an open file.
[[nodiscard]] inline GgufHeader readGgufHeader(const InputFile& file) {
    return readGgufHeader(FileBytes(file));
}

/// A tensor to be written.
struct GgufSource {
    std::string name;
    GgmlType type = GgmlType::F32;
    Shape shape;  ///< outermost first
    FillPiece fill;
};

/// Writes a GGUF file of version 3 atomically, metadata and tensors in their order, byte for byte
/// as the Python package does. The key "general.alignment" sets the alignment, else it is 32.
/// Error{InvalidInput} for keys and names that are no UTF-8, too long or there twice, for shapes
/// that the type cannot hold and for another alignment; Error{Cancelled} between pieces; and those
/// of `fill` and OutputFile.
void writeGguf(const std::string& path,
               const GgufMetadata& metadata,
               std::span<const GgufSource> tensors,
               const StopToken& stop = {});

}  // namespace lowtide::files
