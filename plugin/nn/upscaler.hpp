#pragma once
// A loaded network that enlarges pictures, as the stages use it, whatever its construction.

#include "plugin/nn/component_source.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace at {
class Tensor;
}

namespace lowtide::models {

struct StageContext;

/// Role of an upscaler's component tree.
inline constexpr std::string_view kUpscaler = "upscaler";

[[nodiscard]] inline ComponentDesc upscalerComponent() {
    return {.role = std::string(kUpscaler), .label = "Upscaler"};
}

/// Facts of an upscaler that need no weight.
struct UpscalerInfo {
    std::string network;   ///< "RRDBNet"
    std::string name;      ///< of its file, for people
    int64_t scale = 1;     ///< pixels of the result for one of the picture, along a side
    int64_t multiple = 1;  ///< of which both sides must be
    std::vector<memory::WeightFile> files;
};

/// One upscaler of one file, of one component. Immutable.
class Upscaler : public ComponentSource {
public:
    [[nodiscard]] std::string_view type() const override { return "UPSCALER"; }

    [[nodiscard]] const std::string& name() const override { return info().name; }

    [[nodiscard]] const std::vector<memory::WeightFile>& files() const override {
        return info().files;
    }

    [[nodiscard]] std::vector<ComponentDesc> components() const override {
        return {upscalerComponent()};
    }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override {
        return tree(role);
    }

    [[nodiscard]] virtual const UpscalerInfo& info() const = 0;
    /// Pictures [B, 3, H, W] in 0..1, both sides multiples of info().multiple -> [B, 3, scale H,
    /// scale W], about 0..1, in memory of their own.
    [[nodiscard]] virtual at::Tensor enlarge(StageContext& context,
                                             const at::Tensor& pixels) const = 0;
};

}  // namespace lowtide::models
