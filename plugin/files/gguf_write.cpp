#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/gguf_format.hpp"
#include "plugin/files/little_endian.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/written_pieces.hpp"

#include <algorithm>
#include <set>

namespace lowtide::files {

namespace {

[[noreturn]] void refuseOutput(const std::string& what, const std::string& problem) {
    throw Error(ErrorKind::InvalidInput, "a GGUF file cannot hold " + what + ": it " + problem);
}

std::string lengthAndText(const std::string& text, size_t mostBytes, const char* what) {
    const std::string problem = problemOfName(text, mostBytes);
    if (!problem.empty()) {
        refuseOutput(std::string(what) + " " + quotedName(text), problem);
    }
    return toLittleEndian(text.size(), 8) + text;
}

std::string tensorEntry(const GgufSource& tensor, Bytes offset) {
    std::string entry = lengthAndText(tensor.name, kLongestGgufName, "the tensor name");
    entry += toLittleEndian(tensor.shape.size(), 4);
    for (auto size = tensor.shape.rbegin(); size != tensor.shape.rend(); ++size) {
        entry += toLittleEndian(static_cast<uint64_t>(*size), 8);
    }
    return entry + toLittleEndian(static_cast<uint64_t>(tensor.type), 4) +
           toLittleEndian(static_cast<uint64_t>(offset), 8);
}

/// Where the next tensor begins.
Bytes offsetBehind(const GgufSource& tensor, Bytes offset, Bytes alignment) {
    const std::string problem = problemOfShape(tensor.type, tensor.shape);
    const std::string what = "the tensor " + quotedName(tensor.name);
    if (!problem.empty()) {
        refuseOutput(what, problem);
    }
    Bytes end = 0;
    if (__builtin_add_overflow(offset, *byteCount(tensor.type, tensor.shape), &end) ||
        __builtin_add_overflow(end, alignment, &end)) {
        refuseOutput(what, "ends behind byte 2^63 - 1");
    }
    return alignUp(end - alignment, alignment);
}

std::string ggufHeaderOf(const GgufMetadata& metadata,
                         std::span<const GgufSource> tensors,
                         Bytes alignment) {
    std::string header(kGgufMagic);
    header += toLittleEndian(kGgufVersion, 4);
    header += toLittleEndian(tensors.size(), 8);
    header += toLittleEndian(metadata.entries().size(), 8);
    for (const auto& [key, value] : metadata.entries()) {
        header += lengthAndText(key, kLongestGgufKey, "the key");
        header += toLittleEndian(static_cast<uint64_t>(value.type()), 4) + value.bytes();
    }
    std::set<std::string_view> names;
    Bytes offset = 0;
    for (const GgufSource& tensor : tensors) {
        if (!names.insert(tensor.name).second) {
            refuseOutput("the tensor " + quotedName(tensor.name), "is there twice");
        }
        header += tensorEntry(tensor, offset);
        offset = offsetBehind(tensor, offset, alignment);
    }
    return header;
}

/// Up to the next multiple of the alignment.
void writePadding(OutputFile& file, Bytes written, Bytes alignment) {
    const Bytes end = alignUp(written, alignment);
    while (written < end) {
        const Bytes count = std::min(kMiB, end - written);
        file.write(std::string(static_cast<size_t>(count), '\0'));
        written += count;
    }
}

}  // namespace

void writeGguf(const std::string& path,
               const GgufMetadata& metadata,
               std::span<const GgufSource> tensors,
               const StopToken& stop) {
    const auto alignment = alignmentIn(metadata);
    if (!alignment) {
        refuseOutput(std::string("the key \"") + kAlignmentKey + "\"",
                     "must be a UINT32, a power of two from 8 on");
    }
    const std::string header = ggufHeaderOf(metadata, tensors, *alignment);
    OutputFile file(path);
    file.write(header);
    writePadding(file, static_cast<Bytes>(header.size()), *alignment);
    for (const GgufSource& tensor : tensors) {
        const Bytes total = *byteCount(tensor.type, tensor.shape);
        writePieces(file, total, infoOf(tensor.type).bytesPerBlock, tensor.fill, stop);
        writePadding(file, total, *alignment);
    }
    stop.throwIfStopped();
    file.commit();
}

}  // namespace lowtide::files
