#pragma once

#include "plugin/checkpoints/convert/convert_source.hpp"
#include "plugin/checkpoints/convert/convert_workspace.hpp"
#include "plugin/checkpoints/convert/storage_form.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/residency/storage_elements.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lowtide::models {

/// One tensor on its way into a new file, piece by piece, and how far it comes from the source.
class TensorConverter {
public:
    /// `tensor` and `workspace` must outlive it.
    TensorConverter(const NamedPlace& tensor,
                    TargetTensor target,
                    std::shared_ptr<const files::InputFile> file,
                    const std::string& role,
                    ConvertWorkspace& workspace);

    [[nodiscard]] const std::string& name() const { return tensor_.first; }

    [[nodiscard]] const TargetTensor& target() const { return target_; }

    /// As files::FillPiece. Error{Corrupt} names a number that is none, Error{InvalidInput} one
    /// that the type does not hold, with its value.
    void fill(std::span<std::byte> piece, Bytes offset);

    /// Scales beside the encoded numbers; known once the first piece was filled.
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

    const NamedPlace& tensor_;
    TargetTensor target_;
    std::shared_ptr<const files::InputFile> file_;
    ConvertWorkspace& workspace_;
    residency::StorageElements elements_;
    const encodings::Encoding* encoding_;  ///< of the target; nullptr: plain numbers
    std::vector<float> scales_;
    double differences_ = 0;  ///< squared, summed
    double squares_ = 0;
};

}  // namespace lowtide::models
