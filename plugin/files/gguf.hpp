#pragma once

#include "plugin/base/shape.hpp"
#include "plugin/files/ggml_type.hpp"
#include "plugin/files/gguf_metadata.hpp"
#include "plugin/files/readable_bytes.hpp"

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

/// Reads and checks the header of a GGUF file, version 2 or 3, little-endian. No weight is read:
/// tensors are places in the file, each aligned, inside and apart from the others. Error{Corrupt}
/// and Error{Unsupported} name file, key or tensor.
/// Source: ggml's docs/gguf.md; verdicts checked against the Python package gguf 0.19.0, stricter
/// where the format or ggml is: alignment, overlaps, BOOL values, at most 4 sizes, none of them 0.
[[nodiscard]] GgufHeader readGgufHeader(const ReadableBytes& bytes);

/// The same of an open file.
[[nodiscard]] inline GgufHeader readGgufHeader(const InputFile& file) {
    return readGgufHeader(FileBytes(file));
}

}  // namespace lowtide::files
