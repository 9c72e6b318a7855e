#pragma once
// What torch.save wrote, in an archive or (before 1.6) as pickles in a row: tensors as positions in
// the file.

#include "plugin/base/units.hpp"
#include "plugin/files/pickle.hpp"
#include "plugin/files/readable_bytes.hpp"
#include "plugin/files/safetensors.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace lowtide::files {

/// The classes of storages in torch files ("module name").
inline constexpr std::pair<std::string_view, DType> kTorchStorages[] = {
    {"torch DoubleStorage", DType::F64},
    {"torch FloatStorage", DType::F32},
    {"torch HalfStorage", DType::F16},
    {"torch BFloat16Storage", DType::BF16},
    {"torch LongStorage", DType::I64},
    {"torch IntStorage", DType::I32},
    {"torch ShortStorage", DType::I16},
    {"torch CharStorage", DType::I8},
    {"torch ByteStorage", DType::U8},
    {"torch BoolStorage", DType::Bool},
};

/// The type of such a class; nothing: there is none of that name.
[[nodiscard]] inline std::optional<DType> torchStorageType(std::string_view name) {
    for (const auto& [known, type] : kTorchStorages) {
        if (known == name) {
            return type;
        }
    }
    return std::nullopt;
}

/// The bytes of a storage, as they lie in the file.
struct StorageRange {
    Bytes offset = 0;
    Bytes bytes = 0;
};

/// Storages by their keys.
using StorageRanges = std::map<std::string, StorageRange, std::less<>>;

/// Whether the bytes begin as PyTorch before 1.6 saved files: pickles in a row, then the storages.
[[nodiscard]] bool looksLikeLegacyTorch(const ReadableBytes& bytes);

/// What such a file holds: the pickle of the value that was saved, and where its storages lie.
struct LegacyTorch {
    Pickle pickle;
    StorageRanges storages;
};

/// Reads it without running anything. `allowed`: as readPickle() takes it. Error{Corrupt},
/// Error{Unsupported} name file, operation, global or storage. Source: torch 2.11 serialization.py,
/// _legacy_load.
[[nodiscard]] LegacyTorch readLegacyTorch(const ReadableBytes& bytes,
                                          std::span<const std::string_view> allowed);

/// One tensor of a torch file: its first element lies at `info.offset`.
struct TorchTensor {
    TensorInfo info;
    Shape strides;  ///< in elements; empty: row-major, without holes
};

struct TorchHeader {
    std::map<std::string, TorchTensor, std::less<>> tensors;
    /// Numbers and texts that lie next to the tensors: "global_step".
    std::map<std::string, std::string, std::less<>> metadata;
};

/// Reads what torch.save wrote (.ckpt, .pth, .pt) without running anything: a zip archive with a
/// pickle of a dict of tensors; before PyTorch 1.6 pickles in a row (readLegacyTorch). The tensors
/// lie in "state_dict", "params_ema", "params" or "string_to_param" (embeddings) where the dict has
/// one of them; those of an IP-Adapter's dicts "image_proj" and "ip_adapter" have their names
/// before a dot. No weight is read: tensors are positions in the file. Each must lie inside its
/// storage, each storage must have exactly the bytes that the pickle states. Error{Corrupt},
/// Error{Unsupported} name file, tensor, operation or global. Source: torch 2.11 serialization.py,
/// _rebuild_tensor_v2.
[[nodiscard]] TorchHeader readTorchHeader(const ReadableBytes& bytes);

}  // namespace lowtide::files
