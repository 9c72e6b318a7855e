#pragma once

#include "plugin/residency/decoding/decode_by_aten.hpp"
#include "plugin/residency/device/held_bytes.hpp"
#include "tests/unit/encodings/stored_tensor.hpp"

#include <QString>

#include <memory>

namespace lowtide::testing {

/// The part as a device holds it, each tensor at an odd address.
[[nodiscard]] residency::StoredTensors lyingOn(c10::Device device,
                                               const StoredTensor& tensor,
                                               encodings::Part part);

/// The same as a lease takes it: the part's blocks, and companions whole, each at an odd address.
class HeldTensor {
public:
    HeldTensor(c10::Device device, const StoredTensor& tensor, encodings::Part part);

    [[nodiscard]] const residency::HeldBytes& held() const { return held_; }

private:
    [[nodiscard]] std::byte* moved(c10::Device device, const std::vector<std::byte>& bytes);

    std::unique_ptr<memory::Encoded> encoded_;
    std::vector<at::Tensor> memory_;
    residency::HeldBytes held_;
};

/// Parts of a stored tensor: all of it, blocks at its ends and across rows.
[[nodiscard]] std::vector<encodings::Part> partsOf(const StoredTensor& stored);
/// The first number that differs; NaN is NaN.
[[nodiscard]] QString differenceOf(const at::Tensor& ours, const std::vector<float>& theirs);
/// The difference of every part, decoded by ATen on `device`, from the host's decoder; also
/// reported where decoding changed what lies there.
[[nodiscard]] QString differenceOn(c10::Device device, const StoredTensor& stored);

}  // namespace lowtide::testing
