#pragma once
// Tensors on their way into a new file, the memory that they share, and the file as ComfyUI or GGUF
// has it.

#include "plugin/base/stop_token.hpp"
#include "plugin/checkpoints/convert/conversion.hpp"
#include "plugin/checkpoints/convert/convert_source.hpp"
#include "plugin/checkpoints/convert/storage_form.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/residency/storage_elements.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lowtide::models {

/// What the tensors of a conversion share, one after the other: space for a piece of numbers, and
/// how far it is. 24 MiB.
class ConvertWorkspace {
public:
    /// So many numbers are on their way at once: whole blocks of every encoding.
    static constexpr int64_t kPieceElements = 1 << 20;

    /// `total`: bytes of all tensors of the new file.
    ConvertWorkspace(Bytes total, GoesOn goesOn);

    [[nodiscard]] float* numbers() { return numbers_.data(); }

    /// Numbers as they come back from what was written.
    [[nodiscard]] float* back() { return back_.data(); }

    [[nodiscard]] std::span<std::byte> scratch() { return scratch_; }

    [[nodiscard]] StopToken stop() const { return stop_.token(); }

    /// Asks whether to go on, after so many more bytes. Error{Cancelled}.
    void wrote(Bytes bytes);

private:
    Bytes total_;
    Bytes done_ = 0;
    GoesOn goesOn_;
    StopSource stop_;
    std::vector<float> numbers_;
    std::vector<float> back_;
    std::vector<std::byte> scratch_;
};

/// One tensor on its way into a new file, piece by piece, and how far it comes from the source.
class TensorConverter {
public:
    /// `tensor` and `workspace` must outlive it.
    TensorConverter(const NamedLocation& tensor,
                    TargetTensor target,
                    std::shared_ptr<const files::InputFile> file,
                    const std::string& role,
                    ConvertWorkspace& workspace);

    [[nodiscard]] const std::string& name() const { return tensor_.first; }

    [[nodiscard]] const TargetTensor& target() const { return target_; }

    /// As files::FillPiece. Error{Corrupt} names a number that is none, Error{InvalidInput} one
    /// that the type does not hold, with its value.
    void fill(std::span<std::byte> piece, Bytes offset);

    /// Scales next to the encoded numbers; known once the first piece was filled.
    [[nodiscard]] std::span<const float> scales() const { return scales_; }

    /// Root of (squared differences / squared numbers) of what was filled.
    [[nodiscard]] double error() const;

private:
    [[nodiscard]] bool isCopied() const;
    [[nodiscard]] bool hasScales() const;
    void readNumbers(int64_t first, int64_t count);
    void requireHeld(int64_t first, int64_t count) const;
    void findScales();
    void fillElements(std::byte* bytes, int64_t first, int64_t count);
    void encode(std::byte* bytes, int64_t first, int64_t count);
    void measure(int64_t count);

    const NamedLocation& tensor_;
    TargetTensor target_;
    std::shared_ptr<const files::InputFile> file_;
    ConvertWorkspace& workspace_;
    residency::StorageElements elements_;
    const encodings::Encoding* encoding_;  ///< of the target; nullptr: plain numbers
    std::vector<float> scales_;
    double differences_ = 0;  ///< squared, summed
    double squares_ = 0;
};

using TensorConverters = std::vector<std::unique_ptr<TensorConverter>>;

/// Writes a safetensors file with the names of the source; encoded layers get "weight_scale" and
/// "comfy_quant" as ComfyUI reads them. Metadata: license and modelspec of the source, and
/// "lowtide.storage". Errors: those of the converters and files::writeSafetensors().
void writeComfyFile(const std::string& path,
                    const StorageForm& form,
                    const ConvertSource& source,
                    const TensorConverters& tensors,
                    const StopToken& stop);

/// Writes a GGUF file with the names of the denoiser; flattened tensors have their shape in
/// "comfy.gguf.orig_shape.<name>". Metadata as above, and those that ComfyUI-GGUF asks for.
void writeGgufFile(const std::string& path,
                   const StorageForm& form,
                   const ConvertSource& source,
                   const TensorConverters& tensors,
                   const StopToken& stop);

}  // namespace lowtide::models
