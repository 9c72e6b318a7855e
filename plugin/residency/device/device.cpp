#include "plugin/residency/device/device.hpp"

#include "plugin/base/error.hpp"
#include "plugin/encodings/encodings.hpp"
#include "plugin/residency/decoding/decode_by_aten.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace lowtide::residency {

namespace {

class HostStaging final : public Arena {
public:
    explicit HostStaging(Bytes bytes) : bytes_(static_cast<size_t>(bytes)) {}

    [[nodiscard]] std::byte* data() const override { return bytes_.data(); }

    [[nodiscard]] Bytes size() const override { return static_cast<Bytes>(bytes_.size()); }

private:
    mutable std::vector<std::byte> bytes_;
};

/// values.to(type). On the host ATen converts types of one byte number by number, without a table.
at::Tensor widened(const at::Tensor& values, DType type) {
    if (!values.is_cpu() || values.scalar_type() != at::kFloat8_e4m3fn ||
        !values.is_non_overlapping_and_dense()) {
        return values.to(scalarTypeOf(type));
    }
    at::Tensor numbers = at::empty_like(values, scalarTypeOf(type));
    auto* const target = static_cast<std::byte*>(numbers.mutable_data_ptr());
    const auto* const source = static_cast<const std::byte*>(values.const_data_ptr());
    at::parallel_for(0, values.numel(), at::internal::GRAIN_SIZE, [&](int64_t begin, int64_t end) {
        convertElements(
            target + begin * sizeOf(type), type, source + begin, DType::F8E4M3, end - begin);
    });
    return numbers;
}

}  // namespace

std::unique_ptr<Arena> Device::allocateStaging(Bytes bytes) {
    try {
        return std::make_unique<HostStaging>(bytes);
    } catch (const std::bad_alloc&) {
        throw Error(
            ErrorKind::OutOfMemory,
            message(
                "the host has no {} for weights on their way to {}", formatBytes(bytes), info().id),
            message("end other programs"))
            .withBytesAsked(bytes);
    }
}

void Device::copyInStaged(const Transfer& transfer,
                          const std::byte* staged,
                          std::function<bool()> prepare,
                          std::string label) {
    LOWTIDE_ASSERT(!transfer.widened);
    ByteSource source = [staged, prepare = std::move(prepare)](
                            std::byte* target, Bytes offset, Bytes count) {
        if (!prepare()) {
            return false;
        }
        std::memcpy(target, staged + offset, static_cast<size_t>(count));
        return true;
    };
    copyIn(transfer.target, transfer.bytes, std::move(source), std::move(label));
}

void DeviceExtras::copyInWidened(const Transfer&, ByteSource, std::string) {
    throw Error(ErrorKind::Internal, message("the device does not widen numbers"));
}

std::unique_ptr<WorkRecord> DeviceExtras::record(const std::function<void()>&) {
    throw Error(ErrorKind::Internal, message("the device does not record work"));
}

at::Tensor dequantised(Device& device,
                       const at::Tensor& values,
                       const at::Tensor& scales,
                       DType type) {
    if (std::optional<at::Tensor> own = device.extras().dequantise(values, scales, type)) {
        return *std::move(own);
    }
    std::vector<int64_t> column(static_cast<size_t>(values.dim()), 1);
    column.front() = scales.numel();
    return widened(values, type).mul_(scales.view(column).to(scalarTypeOf(type)));
}

at::Tensor decoded(Device& device, const HeldBytes& held, at::IntArrayRef sizes, DType type) {
    if (std::optional<at::Tensor> own = device.extras().decode(held, sizes, type)) {
        return *std::move(own);
    }
    const auto bytesAt = [&](std::byte* data, Bytes count) {
        return device.view(data, {count}, at::kByte);
    };
    const memory::Encoded& encoded = *held.tensor;
    const encodings::Part part{encoded.firstElement, held.elementCount};
    StoredTensors stored{.tensor = &encoded,
                         .part = part,
                         .blocks = bytesAt(held.blocks, held.bytesOf(held.elementCount)),
                         .companions = {}};
    for (size_t i = 0; i < held.companions.size(); ++i) {
        const encodings::ByteRange range = encodings::companionRange(encoded, i, part);
        stored.companions.push_back(bytesAt(held.companions[i] + range.begin, range.count));
    }
    return decodeByAten(stored).to(scalarTypeOf(type)).view(sizes);
}

}  // namespace lowtide::residency
