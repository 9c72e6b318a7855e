#pragma once

#include "plugin/files/readable_bytes.hpp"
#include "plugin/files/safetensors.hpp"

#include <map>
#include <string>

namespace lowtide::files {

/// One tensor of a torch file: its first element lies at `info.offset`.
struct TorchTensor {
    TensorInfo info;
    Shape strides;  ///< in elements; empty: row-major, without holes
};

struct TorchHeader {
    std::map<std::string, TorchTensor, std::less<>> tensors;
    /// Numbers and texts that lie beside the tensors: "global_step".
    std::map<std::string, std::string, std::less<>> metadata;
};

/// Reads what torch.save wrote (.ckpt, .pth, .pt) without running anything: a zip archive with a
/// pickle of a dict of tensors; before PyTorch 1.6 pickles in a row (readLegacyTorch). The tensors
/// lie in "state_dict", "params_ema", "params" or "string_to_param" (embeddings) where the dict has
/// one of them; those of an IP-Adapter's dicts "image_proj" and "ip_adapter" have their names
/// before a dot. No weight is read: tensors are places in the file. Each must lie inside its
/// storage, each storage must have exactly the bytes that the pickle states. Error{Corrupt},
/// Error{Unsupported} name file, tensor, operation or global. Source: torch 2.11 serialization.py,
/// _rebuild_tensor_v2.
[[nodiscard]] TorchHeader readTorchHeader(const ReadableBytes& bytes);

}  // namespace lowtide::files
