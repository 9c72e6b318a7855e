#include "plugin/tensor/transfer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_kind.hpp"
#include "plugin/tensor/dry_run_meter.hpp"
#include "plugin/tensor/image_pixels.hpp"
#include "plugin/tensor/operator_registry.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::tensor {

namespace {

thread_local int64_t scalarFetchCount = 0;

std::optional<memory::TorchType> torchTypeOf(c10::DeviceType type) {
    switch (type) {
        case at::kCPU:
            return memory::TorchType::Cpu;
        case at::kCUDA:
            return memory::TorchType::Cuda;
        case at::kPrivateUse1:
            return memory::TorchType::PrivateUse1;
        default:
            return std::nullopt;
    }
}

/// Ids of devices live as long as the program: deviceIdOf gives views of them.
const std::string& idOf(memory::TorchType type, int index) {
    static const auto kIds = [] {
        std::map<memory::TorchType, std::vector<std::string>> ids;
        for (const memory::DeviceKind& kind : memory::deviceKinds()) {
            for (int i = 0; i < kind.most; ++i) {
                ids[kind.torch].push_back(kind.idOf(i));
            }
        }
        return ids;
    }();
    const std::vector<std::string>& ofType = kIds.at(type);
    LOWTIDE_ASSERT(index >= 0 && static_cast<size_t>(index) < ofType.size());
    return ofType[static_cast<size_t>(index)];
}

/// A copy of uint8 [H, W, 3] in host memory; without pixels in a dry run.
Image8 imageOf(const at::Tensor& bytes) {
    Image8 image;
    image.heightPixels = static_cast<int>(bytes.size(0));
    image.widthPixels = static_cast<int>(bytes.size(1));
    if (bytes.is_meta()) {
        return image;
    }
    auto copy = std::make_shared<uint8_t[]>(image.byteCount());
    std::memcpy(copy.get(), bytes.const_data_ptr<uint8_t>(), image.byteCount());
    image.pixels = std::move(copy);
    return image;
}

/// In a dry run.
at::Tensor madeOnHost(at::IntArrayRef sizes, at::ScalarType type) {
    const DryRunMeter::Elsewhere onHost(DryRunMeter::current());
    return at::empty(sizes, at::TensorOptions(type).device(c10::kMeta));
}

at::Tensor levelsByAten(const at::Tensor& pixels) {
    at::Tensor levels = at::clamp(pixels, 0, 1);
    levels.mul_(255).round_();
    const at::Tensor bytes = levels.to(at::kByte);
    levels.reset();
    return bytes.permute({0, 2, 3, 1}).contiguous();  // [B, 3, H, W] -> [B, H, W, 3]
}

}  // namespace

at::Tensor upload(const at::Tensor& value, c10::Device device) {
    if (!value.defined() || value.device() == device) {
        return value;
    }
    if (value.is_meta()) {  // in a dry run, to the host: torch refuses, since there is no data
        return at::empty(value.sizes(), value.options().device(device));
    }
    try {
        return value.to(device);
    } catch (const std::exception& error) {
        if (!refusedBytes(error)) {
            throw;
        }
        throw Error(ErrorKind::OutOfMemory,
                    message("there is no memory for {} on their way to {}",
                            formatBytes(static_cast<Bytes>(value.nbytes())),
                            device.str()),
                    message("choose a smaller image or batch, or a tighter memory policy"))
            .withBytesAsked(static_cast<Bytes>(value.nbytes()));
    }
}

at::Tensor spill(const at::Tensor& value) {
    if (value.defined() && value.is_meta()) {
        return DryRunMeter::current().imitated() == Imitated::Cpu
                   ? value
                   : madeOnHost(value.sizes(), value.scalar_type());
    }
    return upload(value, c10::Device(at::kCPU));
}

at::Tensor uploadInDryRun(at::IntArrayRef sizes, at::ScalarType type) {
    at::Tensor made = madeOnHost(sizes, type);
    return DryRunMeter::current().imitated() == Imitated::Cpu
               ? made
               : at::empty(sizes, at::TensorOptions(type).device(c10::kMeta));
}

at::Tensor recordCopy(const at::Tensor& value) {
    const auto bytes = std::make_shared<std::vector<std::byte>>(value.nbytes());
    at::Tensor copy = at::from_blob(
        bytes->data(), value.sizes(), [bytes](void*) {}, value.options().device(at::kCPU));
    copy.copy_(value);
    return copy;
}

at::Tensor quantised(const at::Tensor& pixels) {
    LOWTIDE_ASSERT(pixels.dim() == 4 && pixels.size(1) == kImageChannels &&
                   pixels.scalar_type() == at::kFloat);
    static const auto op = operatorOf("lowtide::levels", &levelsByAten);
    return op.call(pixels);
}

/// Devices with a kernel of their own have one for it, with the same bits.
void addLevels(OperatorLibraries& libraries) {
    libraries.schemas.def("levels(Tensor pixels) -> Tensor");
    libraries.everywhere.impl("levels", levelsByAten);
}

at::Tensor image8Tensor(const at::Tensor& pixels) {
    return spill(quantised(pixels));
}

std::vector<Image8> image8(const at::Tensor& pixels) {
    const at::Tensor bytes = image8Tensor(pixels);
    std::vector<Image8> images;
    for (int64_t i = 0; i < bytes.size(0); ++i) {
        images.push_back(imageOf(bytes[i]));
    }
    return images;
}

Image8 preview(const at::Tensor& pixels) {
    LOWTIDE_ASSERT(pixels.dim() == 3);
    const at::Tensor bytes = quantised(pixels.unsqueeze(0));
    return imageOf(spill(bytes)[0]);
}

double scalar(const at::Tensor& value) {
    ++scalarFetchCount;
    return value.item().toDouble();
}

std::vector<int64_t> integers(const at::Tensor& values) {
    LOWTIDE_ASSERT(values.dim() == 1 && values.scalar_type() == at::kLong);
    ++scalarFetchCount;
    const at::Tensor here = spill(values).contiguous();
    const int64_t* first = here.const_data_ptr<int64_t>();
    return {first, first + here.numel()};
}

int64_t scalarFetches() noexcept {
    return scalarFetchCount;
}

std::string_view deviceIdOf(const at::Tensor& value) {
    const c10::Device device = value.device();
    if (device.is_meta()) {
        return "meta";
    }
    const std::optional<memory::TorchType> type = torchTypeOf(device.type());
    if (!type || !memory::kindOfTorch(*type)) {
        throw Error(ErrorKind::Unsupported,
                    message("a tensor lives on the device {}, which this program does not know",
                            device.str()),
                    message("choose {}", memory::deviceForms()));
    }
    return idOf(*type, device.has_index() ? device.index() : 0);
}

int64_t bytesOn(const at::Tensor& value, std::string_view deviceId) {
    if (!value.defined() || deviceIdOf(value) != deviceId) {
        return 0;
    }
    const auto bytes = static_cast<Bytes>(value.storage().nbytes());
    return value.is_cpu() ? bytes : alignUp(bytes, memory::kSlotAlignment);
}

namespace {

/// The size behind "tried to allocate": "123 bytes" or "2.50 GiB". 0 when there is none.
Bytes bytesAsked(const std::string& text) {
    static constexpr std::string_view kIntro = "ried to allocate ";
    const size_t intro = text.find(kIntro);
    if (intro == text.npos) {
        return 0;
    }
    const char* start = text.c_str() + intro + kIntro.size();
    char* end = nullptr;
    const double number = std::strtod(start, &end);
    const std::string_view unit = end;
    const double factor = unit.starts_with(" GiB")   ? static_cast<double>(kGiB)
                          : unit.starts_with(" MiB") ? static_cast<double>(kMiB)
                          : unit.starts_with(" KiB") ? static_cast<double>(kKiB)
                                                     : 1;
    const double bytes = number * factor;
    return std::isfinite(bytes) && bytes > 0 && bytes < 9e18 ? static_cast<Bytes>(bytes) : 0;
}

bool isOutOfMemory(const std::string& text) {
    return text.find("can't allocate memory") != text.npos ||
           text.find("not enough memory") != text.npos;
}

}  // namespace

std::optional<Bytes> refusedBytes(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error)) {
        return 0;
    }
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    if (!torch) {
        return std::nullopt;
    }
    const std::string text = torch->what_without_backtrace();
    const bool isTyped = dynamic_cast<const c10::OutOfMemoryError*>(torch) != nullptr;
    return isTyped || isOutOfMemory(text) ? std::optional(bytesAsked(text)) : std::nullopt;
}

at::Tensor finiteSum(const at::Tensor& value) {
    const bool isSingle = value.scalar_type() == at::kFloat;
    at::Tensor sum = (isSingle ? value : value.to(at::kFloat)).sum();
    if (value.is_meta() && DryRunMeter::current().imitated() == Imitated::Cpu) {
        // Each thread of ATen sums a part, which lies in a tensor.
        DryRunMeter::current().touch(at::get_num_threads() * sum.element_size());
    }
    return sum;
}

bool isFiniteSum(const at::Tensor& sum) {
    return sum.is_meta() || std::isfinite(scalar(sum));
}

bool isFinite(const at::Tensor& value) {
    if (!value.defined() || value.is_meta() || !at::isFloatingType(value.scalar_type())) {
        return true;
    }
    return scalar(at::isfinite(value).all()) != 0;
}

}  // namespace lowtide::tensor
