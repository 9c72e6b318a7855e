#include "plugin/checkpoints/adapters/named_factors.hpp"

#include "plugin/base/error.hpp"

#include <ATen/ATen.h>

namespace lowtide::models {

const at::Tensor* NamedFactors::find(std::string_view name) const {
    const std::vector<memory::ChangeFactor>& named = change_->change->factors;
    for (size_t i = 0; i < named.size(); ++i) {
        if (named[i].name == name) {
            return &change_->factors[i];
        }
    }
    return nullptr;
}

const at::Tensor& NamedFactors::get(std::string_view name) const {
    const at::Tensor* const factor = find(name);
    LOWTIDE_ASSERT(factor != nullptr);
    return *factor;
}

at::Tensor inF32(const at::Tensor& values) {
    return at::empty(values.sizes(), values.options().dtype(at::kFloat)).copy_(values);
}

}  // namespace lowtide::models
