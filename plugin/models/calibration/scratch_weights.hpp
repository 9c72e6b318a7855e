#pragma once

#include "plugin/memory/component_tree.hpp"

#include <memory>
#include <string>

namespace lowtide::models {

/// A file of zeros that stands for weights while a device is measured, removed with the object. It
/// was just written, so the system holds it in memory and no disk is measured.
class ScratchWeights {
public:
    static constexpr Bytes kBytes = 32 * kMiB;  ///< more than the caches of a core hold

    /// Error{InvalidInput} when `folder` cannot be written, Error{Device} when its disk is full.
    explicit ScratchWeights(const std::string& folder);
    ~ScratchWeights();
    ScratchWeights(const ScratchWeights&) = delete;
    ScratchWeights& operator=(const ScratchWeights&) = delete;

    [[nodiscard]] const memory::WeightFile& file() const { return file_; }

private:
    memory::WeightFile file_;
};

/// A component that is nothing but copies.
struct CopiedWeights {
    std::string role;
    int64_t leaves = 1;
    int64_t elements = 1;  ///< of each leaf's one weight, which is f32 on the device
    DType fileType = DType::F32;
    bool mayBeMapped = false;  ///< devices that use mapped weights in place do
};

/// Its leaves lie one behind the other in the file, and begin anew where it ends.
[[nodiscard]] std::shared_ptr<const memory::ComponentTree> treeOf(const CopiedWeights& weights,
                                                                  const ScratchWeights& scratch);

}  // namespace lowtide::models
