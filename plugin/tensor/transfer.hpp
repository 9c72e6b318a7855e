#pragma once
// The only functions, besides residency, that move tensors between host and device or fetch
// numbers; what ATen reports where memory is used up.

#include "plugin/base/units.hpp"
#include "plugin/host_api/host.hpp"

#include <ATen/core/Tensor.h>

#include <exception>
#include <optional>
#include <string_view>
#include <vector>

namespace lowtide::tensor {

/// `value` on `device`: itself when it is there already. Error{OutOfMemory} with the bytes asked.
[[nodiscard]] at::Tensor upload(const at::Tensor& value, c10::Device device);
/// `value` in host memory: itself when it is there already (wires that are kept, patches).
[[nodiscard]] at::Tensor spill(const at::Tensor& value);
/// In a dry run: a tensor that the host makes and gives to the device at hand.
[[nodiscard]] at::Tensor uploadInDryRun(at::IntArrayRef sizes, at::ScalarType type);
/// A host copy for the recorder: contiguous, its own storage, which no allocator of ATen counts: a
/// budget is as far with a recording as without.
[[nodiscard]] at::Tensor recordCopy(const at::Tensor& value);
/// Images [B, 3, H, W] in 0..1 to uint8 [B, H, W, 3] where they are, so that a quarter of the
/// bytes is transferred. Takes a copy of them meanwhile.
[[nodiscard]] at::Tensor quantised(const at::Tensor& pixels);
/// Images [B, 3, H, W] in 0..1 to 8 bit, rounded half to even on the device. Source: numpy
/// round(255 x).
[[nodiscard]] std::vector<Image8> image8(const at::Tensor& pixels);
/// One preview of what is being made, [3, h, w] in 0..1, rounded as image8 does. Takes some
/// 20 bytes a pixel meanwhile. Without pixels in a dry run.
[[nodiscard]] Image8 preview(const at::Tensor& pixels);
/// uint8 [B, H, W, 3] on the host, the same rounding; what the recorder keeps as image_u8.
[[nodiscard]] at::Tensor image8Tensor(const at::Tensor& pixels);
/// One number fetched to the host. A host wait: counted in scalarFetches().
[[nodiscard]] double scalar(const at::Tensor& value);
/// Whole numbers, int64 [N], fetched to the host at once. Counted like one of them.
[[nodiscard]] std::vector<int64_t> integers(const at::Tensor& values);
/// How often scalar() and integers() were called on this thread since the start.
[[nodiscard]] int64_t scalarFetches() noexcept;

/// The device id of the ledger for a tensor: "cpu", "cuda:0", "fake".
[[nodiscard]] std::string_view deviceIdOf(const at::Tensor& value);
/// Bytes of the tensor's storage when it lives on `deviceId`, on a GPU in multiples of
/// memory::kSlotAlignment; else 0, also for undefined tensors.
[[nodiscard]] int64_t bytesOn(const at::Tensor& value, std::string_view deviceId);

/// The bytes that could not be had, when `error` means that memory is used up: of an allocator of
/// ATen, or std::bad_alloc; 0 when it gives no number. Nothing for every other error.
[[nodiscard]] std::optional<Bytes> refusedBytes(const std::exception& error);

/// The sum of floating numbers, f32 [] on their device, without a host wait: finite where all of
/// them are. A sum beyond f32 counts as infinite, which takes numbers above 1e29.
[[nodiscard]] at::Tensor finiteSum(const at::Tensor& value);
/// Whether a finiteSum() is finite: one number fetched to the host. On shapes it always is.
[[nodiscard]] bool isFiniteSum(const at::Tensor& sum);
/// Whether every number of `value` is finite, exactly; takes a byte for each meanwhile. What holds
/// no floating numbers is finite.
[[nodiscard]] bool isFinite(const at::Tensor& value);

}  // namespace lowtide::tensor
