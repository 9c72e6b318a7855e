#pragma once
// A loaded network that enlarges pictures, as the stages use it, whatever its construction.

#include "plugin/memory/weight_file.hpp"
#include "plugin/memory/wire_value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace at {
class Tensor;
}

namespace lowtide::memory {
struct ComponentTree;
struct FamilyPrecision;
}  // namespace lowtide::memory

namespace lowtide::models {

struct StageContext;

/// Role of an upscaler's component tree.
inline constexpr std::string_view kUpscaler = "upscaler";

/// Facts of an upscaler that need no weight.
struct UpscalerInfo {
    std::string network;   ///< "RRDBNet"
    std::string name;      ///< of its file, for people
    int64_t scale = 1;     ///< pixels of the result for one of the picture, along a side
    int64_t multiple = 1;  ///< of which both sides must be
    std::vector<memory::WeightFile> files;
};

/// One upscaler of one file. Immutable; holds a tree and settings, never a weight.
class Upscaler : public memory::WireValue, public std::enable_shared_from_this<Upscaler> {
public:
    [[nodiscard]] std::string_view type() const override { return "UPSCALER"; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override { return shared_from_this(); }

    [[nodiscard]] virtual const UpscalerInfo& info() const = 0;
    [[nodiscard]] virtual const std::shared_ptr<const memory::ComponentTree>& tree() const = 0;
    /// What its construction states of precision.
    [[nodiscard]] virtual const memory::FamilyPrecision& precisions() const = 0;
    /// Pictures [B, 3, H, W] in 0..1, both sides multiples of info().multiple -> [B, 3, scale H,
    /// scale W], about 0..1, in memory of their own.
    [[nodiscard]] virtual at::Tensor enlarge(StageContext& context,
                                             const at::Tensor& pixels) const = 0;
};

}  // namespace lowtide::models
