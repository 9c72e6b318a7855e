#include "tests/unit/residency/stored_as.hpp"

#include "plugin/memory/resolve_precision.hpp"

#include <ATen/ATen.h>

#include <set>

namespace lowtide::testing {

std::shared_ptr<const memory::ComponentTree> typed(const memory::ComponentTree& tree,
                                                   const std::string& storage,
                                                   const std::string& compute) {
    const memory::FamilyPrecision family{.presets = {{"balanced", {}}}};
    const memory::ComponentPrecision precision = resolvePrecision(
        memory::parsePrecision("balanced,storage=" + storage + ",compute=" + compute),
        family,
        "any",
        {},
        [] { return std::set<memory::FileType>{DType::F32}; });
    return std::make_shared<const memory::ComponentTree>(inPrecision(tree, precision));
}

at::ScalarType floatTypeNamed(const std::string& name) {
    return name == "f16" ? at::kHalf : name == "bf16" ? at::kBFloat16 : at::kFloat;
}

at::Tensor roundedToF8(const at::Tensor& hostWeight) {
    const at::Tensor rows = hostWeight.to(at::kFloat).flatten(1);
    const at::Tensor most = std::get<0>(rows.abs().max(1, true));
    const at::Tensor scale =
        at::exp2(at::ceil(at::log2(most.to(at::kDouble) / 448))).to(at::kFloat);
    return ((rows / scale).to(at::kFloat8_e4m3fn).to(at::kFloat) * scale).view(hostWeight.sizes());
}

at::Tensor storedAs(const at::Tensor& hostWeight,
                    const std::string& storage,
                    const std::string& compute) {
    const bool isRounded = storage == "f8" && hostWeight.dim() > 1;
    const at::Tensor stored =
        isRounded ? roundedToF8(hostWeight) : hostWeight.to(floatTypeNamed(storage));
    return stored.to(floatTypeNamed(compute));
}

}  // namespace lowtide::testing
