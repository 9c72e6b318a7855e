#pragma once
// Storages of weights: those that files are written in, and how much of a file lies in which.

#include "plugin/base/units.hpp"
#include "plugin/files/ggml_type.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Tensors of a file that lie in the same type or encoding ("F16", "q4_k").
struct StoredFraction {
    std::string storage;
    int64_t tensors = 0;
    Bytes bytes = 0;  ///< with what decoding needs besides
};

/// Bytes of a tensor with those of its companions.
[[nodiscard]] Bytes storedBytes(const TensorLocation& location);

/// Sums tensors by the type or encoding that they lie in.
class StoredFractions {
public:
    void add(DType type, const std::optional<memory::Encoded>& encoded, Bytes bytes);

    /// The largest first.
    [[nodiscard]] std::vector<StoredFraction> sorted() const;
    [[nodiscard]] Bytes bytes() const;

private:
    std::map<std::string, StoredFraction> fractions_;
};

/// A storage that files are written in.
struct StorageForm {
    std::string_view name;      ///< "f8"
    std::string_view encoding;  ///< in plugin/encodings; empty: plain halves
    /// ComfyUI's name of it in safetensors files; empty: it is written as GGUF, or is plain.
    std::string_view comfyFormat;
    DType element = DType::U8;  ///< of the encoded numbers in a safetensors file
    bool scalesRows = false;    ///< a scale for each row, else one for the tensor
    files::GgmlType ggmlType = files::GgmlType::F16;
    int64_t ggufFileType = 0;  ///< "general.file_type", llama.cpp's number; 0: no GGUF file

    [[nodiscard]] bool isGguf() const { return ggufFileType != 0; }

    [[nodiscard]] std::string_view ending() const { return isGguf() ? ".gguf" : ".safetensors"; }
};

/// All of them, the gentlest first.
[[nodiscard]] std::span<const StorageForm> storageForms();

/// Error{InvalidInput} names those that there are.
[[nodiscard]] const StorageForm& storageForm(std::string_view name);

/// How a tensor will lie.
struct TargetTensor {
    Shape shape;              ///< in the file; in GGUF it may be flattened to rows of 256
    DType type = DType::F16;  ///< of the elements in a safetensors file, and of plain ones
    std::optional<memory::Encoded> encoded{};

    /// With those of scales next to it.
    [[nodiscard]] Bytes bytes() const;
};

/// Encoded: matrices of linear layers, but those that read time, labels and sizes. ComfyUI reads
/// scales of linear layers alone (comfy/ops.py), so convolutions are kept as they are. `name` is
/// that in the denoiser; empty for a tensor of another network. `precise`: Network::precise of the
/// denoiser.
[[nodiscard]] TargetTensor comfyTarget(const StorageForm& form,
                                       std::string_view name,
                                       const TensorLocation& location,
                                       std::span<const std::string_view> precise);

/// As ComfyUI-GGUF's tools decide: first and last convolution and what is small in F32 (F16 where
/// the source has it), embeddings of time and labels and projections of attentions in F16, all else
/// encoded, in rows of 256 where the tensor's own rows are no whole blocks.
[[nodiscard]] TargetTensor ggufTarget(const StorageForm& form,
                                      std::string_view name,
                                      const TensorLocation& location,
                                      std::span<const std::string_view> precise);

}  // namespace lowtide::models
