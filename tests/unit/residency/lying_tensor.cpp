#include "tests/unit/residency/lying_tensor.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <cstring>

namespace lowtide::testing {

using encodings::Part;
using residency::StoredTensors;

namespace {

/// Bytes that begin one behind an aligned address.
at::Tensor oddlyOn(c10::Device device, const std::vector<std::byte>& bytes) {
    const auto count = static_cast<int64_t>(bytes.size());
    at::Tensor host = at::zeros({count + 1}, at::kByte);
    std::memcpy(host.mutable_data_ptr<uint8_t>() + 1, bytes.data(), bytes.size());
    return host.to(device).narrow(0, 1, count);
}

}  // namespace

StoredTensors lyingOn(c10::Device device, const StoredTensor& tensor, Part part) {
    const StoredTensor::Cut cut = tensor.cut(part);
    StoredTensors stored{
        .tensor = &tensor.tensor, .part = part, .blocks = oddlyOn(device, cut.blocks)};
    for (const std::vector<std::byte>& bytes : cut.companions) {
        stored.companions.push_back(oddlyOn(device, bytes));
    }
    return stored;
}

HeldTensor::HeldTensor(c10::Device device, const StoredTensor& tensor, Part part)
    : encoded_(std::make_unique<memory::Encoded>(tensor.tensor)) {
    encoded_->firstElement = part.first;
    held_ = {.tensor = encoded_.get(),
             .elementCount = part.count,
             .blocks = moved(device, tensor.cut(part).blocks)};
    for (const std::vector<std::byte>& bytes : tensor.companions) {
        held_.companions.push_back(moved(device, bytes));
    }
}

std::byte* HeldTensor::moved(c10::Device device, const std::vector<std::byte>& bytes) {
    memory_.push_back(oddlyOn(device, bytes));
    return static_cast<std::byte*>(memory_.back().data_ptr());
}

std::vector<Part> partsOf(const StoredTensor& stored) {
    const int64_t block = stored.tensor.blockElements;
    const int64_t columns = stored.tensor.columns;
    return {{0, stored.count()},
            {0, block},
            {block, stored.count() - 2 * block},
            {columns - block, 2 * block},
            {columns + block, columns},
            {3 * columns, 5 * columns},
            {127 * columns, 2 * columns},
            {150 * columns + block, 3 * block},
            {stored.count() - block, block}};
}

QString differenceOf(const at::Tensor& ours, const std::vector<float>& theirs) {
    const at::Tensor host = ours.to(at::kCPU);
    if (host.scalar_type() != at::kFloat ||
        host.sizes() != at::IntArrayRef{static_cast<int64_t>(theirs.size())}) {
        return "shape or type";
    }
    const float* numbers = host.const_data_ptr<float>();
    for (size_t i = 0; i < theirs.size(); ++i) {
        const bool areNan = std::isnan(numbers[i]) && std::isnan(theirs[i]);
        if (!areNan && std::memcmp(&numbers[i], &theirs[i], sizeof(float)) != 0) {
            return QString("element %1 is %2, not %3").arg(i).arg(numbers[i]).arg(theirs[i]);
        }
    }
    return {};
}

QString differenceOn(c10::Device device, const StoredTensor& stored) {
    for (const Part part : partsOf(stored)) {
        const StoredTensors lying = lyingOn(device, stored, part);
        const at::Tensor numbers = residency::decodeByAten(lying);
        const QString difference = differenceOf(numbers, stored.decoded(part));
        if (numbers.device() != device || !difference.isEmpty()) {
            return QString("from %1: %2").arg(part.first).arg(difference);
        }
        const StoredTensors untouched = lyingOn(device, stored, part);
        bool isAsBefore = at::equal(lying.blocks, untouched.blocks);
        for (size_t i = 0; i < lying.companions.size(); ++i) {
            isAsBefore = isAsBefore && at::equal(lying.companions[i], untouched.companions[i]);
        }
        if (!isAsBefore) {
            return QString("from %1: what lies there was changed").arg(part.first);
        }
    }
    return {};
}

}  // namespace lowtide::testing
