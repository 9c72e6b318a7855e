#include "tests/fuzz/torch_guarantees.hpp"

#include "plugin/base/text.hpp"
#include "tests/fuzz/guarantees.hpp"

namespace lowtide::fuzz {

namespace {

using namespace files;

/// Wide enough for any sum of products of sizes that fit a file.
using Wide = __int128;

/// Bytes from the first to the last element.
Wide reachOf(const TorchTensor& tensor) {
    if (tensor.strides.empty() || tensor.info.bytes == 0) {
        return tensor.info.bytes;
    }
    require(tensor.strides.size() == tensor.info.shape.size(), "each axis has a stride");
    Wide last = 0;
    for (size_t i = 0; i < tensor.strides.size(); ++i) {
        last += Wide(tensor.info.shape[i] - 1) * tensor.strides[i];
    }
    return (last + 1) * sizeOf(tensor.info.type);
}

void checkTensor(const TorchTensor& tensor, Bytes fileBytes) {
    const auto elements = elementCount(tensor.info.shape);
    require(elements && *elements * sizeOf(tensor.info.type) == tensor.info.bytes,
            "a tensor has the bytes of its shape");
    const Wide reach = reachOf(tensor);
    require(tensor.info.offset >= 0 && reach >= 0 && tensor.info.offset + reach <= fileBytes,
            "a tensor lies inside the file");
}

}  // namespace

bool readTorchFile(std::span<const std::byte> file) {
    TorchHeader header;
    const bool isTaken = takes({ErrorKind::Corrupt, ErrorKind::Unsupported},
                               [&] { header = readTorchHeader(MemoryBytes(file, "m.ckpt")); });
    for (const auto& [name, tensor] : header.tensors) {
        require(isValidUtf8(name), "names are UTF-8");
        checkTensor(tensor, static_cast<Bytes>(file.size()));
    }
    for (const auto& [key, text] : header.metadata) {
        require(isValidUtf8(key) && isValidUtf8(text), "metadata is UTF-8");
    }
    return isTaken;
}

}  // namespace lowtide::fuzz
