#pragma once

#include "plugin/checkpoints/convert/conversion.hpp"
#include "plugin/checkpoints/convert/convert_source.hpp"
#include "plugin/checkpoints/convert/storage_form.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// A tensor and how it will lie.
struct PlannedTensor {
    const NamedPlace* tensor = nullptr;
    TargetTensor target;
};

/// What a conversion writes, from headers alone.
struct ConversionPlan {
    std::vector<PlannedTensor> tensors;  ///< in the order of the source, which must outlive them
    StoredShares before;
    StoredShares after;
    Bytes fileBytes = 0;   ///< of the new file, at most; less than 2 KiB a tensor too much
    std::string contents;  ///< "the denoiser of model.safetensors"
};

[[nodiscard]] ConversionPlan planConversion(const StorageForm& form, const ConvertSource& source);

}  // namespace lowtide::models
