#include "plugin/residency/device/fake/fake_device.hpp"
#include "plugin/residency/device/fake/fake_memory.hpp"
#include "plugin/residency/device/fake/hazard_checker.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/NativeFunctions.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/as_strided_cpu_dispatch.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/set_cpu_dispatch.h>
#include <torch/library.h>

namespace lowtide::residency {

/// A CPU tensor over the bytes of a tensor on the fake device; any other tensor as it is. A tensor
/// without elements becomes an empty one of its own, because ATen resizes empty results and bytes
/// of others cannot be resized.
[[nodiscard]] at::Tensor aliasOnCpu(const at::Tensor& tensor);

/// Notifies the hazard checker that the run thread touches the tensor's bytes now, if it lives on
/// the fake device.
void noteAccess(const at::Tensor& tensor, Access access, const std::string& what);

/// Runs any operator with the CPU's kernel on the very bytes and strides of its arguments, so the
/// result has the CPU's bits; copies fresh results to the device. Host tensors together with device
/// tensors are refused as by a real GPU, but scalars and indices.
void runOnCpu(const c10::OperatorHandle& op, torch::jit::Stack* stack);

namespace {

using at::Tensor;

ByteRange rangeOfTensor(const Tensor& tensor) {
    int64_t elements = 1;
    for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
        elements += (tensor.size(dim) - 1) * tensor.stride(dim);
    }
    const auto* begin = static_cast<const std::byte*>(tensor.const_data_ptr());
    return {begin, begin + elements * static_cast<int64_t>(tensor.itemsize())};
}

/// Of the GPU's tensors that an operator gets the first one's device.
class FirstDevice {
public:
    void look(const c10::IValue& value) {
        if (value.isTensor()) {
            take(value.toTensor());
        } else if (value.isTensorList()) {
            for (const Tensor& tensor : value.toTensorVector()) {
                take(tensor);
            }
        } else if (value.isOptionalTensorList()) {
            for (const std::optional<Tensor>& tensor : value.toOptionalTensorVector()) {
                take(tensor.value_or(Tensor()));
            }
        } else if (value.isDevice() && value.toDevice().type() == kFakeTorchType) {
            named_ = named_ ? named_ : value.toDevice();
        }
    }

    /// Else the one that an argument names, else the current one.
    [[nodiscard]] FakeMemory& memory() const {
        return fakeMemoryOf(of_ ? *of_ : named_.value_or(c10::Device(kFakeTorchType)));
    }

private:
    void take(const Tensor& tensor) {
        if (!of_ && tensor.defined() && tensor.is_privateuseone()) {
            of_ = tensor.device();
        }
    }

    std::optional<c10::Device> of_;
    std::optional<c10::Device> named_;
};

FakeMemory& memoryFor(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
    FirstDevice first;
    for (size_t i = stack.size() - op.schema().arguments().size(); i < stack.size(); ++i) {
        first.look(stack[i]);
    }
    return first.memory();
}

/// One operator on its way through the CPU.
class FallbackCall {
public:
    FallbackCall(const c10::OperatorHandle& op, torch::jit::Stack* stack, FakeMemory& memory)
        : op_(op), stack_(*stack), memory_(memory), name_(op.schema().name()) {}

    void run() {
        bringArguments();
        requireOneDevice();
        op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack_);
        writeBackResized();
        returnResults();
    }

private:
    /// A device tensor and the CPU tensor that stood for it.
    struct Stand {
        Tensor device;
        Tensor host;
    };

    void bringArguments() {
        const auto& arguments = op_.schema().arguments();
        const size_t first = stack_.size() - arguments.size();
        memory_.hazards().begin(Agent::Compute);
        for (size_t i = 0; i < arguments.size(); ++i) {
            const c10::AliasInfo* alias = arguments[i].alias_info();
            access_ = !alias             ? std::optional(Access::Read)
                      : alias->isWrite() ? std::optional(Access::Write)
                                         : std::nullopt;
            bring(stack_[first + i]);
        }
    }

    void bring(c10::IValue& value) {
        if (value.isTensor()) {
            value = bring(value.toTensor());
        } else if (value.isTensorList()) {
            c10::List<Tensor> list;
            for (const Tensor& tensor : value.toTensorVector()) {
                list.push_back(bring(tensor));
            }
            value = list;
        } else if (value.isOptionalTensorList()) {
            c10::List<std::optional<Tensor>> list;
            for (const std::optional<Tensor>& tensor : value.toOptionalTensorVector()) {
                list.push_back(tensor ? std::optional(bring(*tensor)) : std::nullopt);
            }
            value = list;
        } else if (value.isDevice() && value.toDevice().type() == kFakeTorchType) {
            namesDevice_ = true;
            value = c10::Device(c10::kCPU);
        }
    }

    Tensor bring(const Tensor& tensor) {
        if (!tensor.defined() || !tensor.is_privateuseone()) {
            hasHostTensor_ = hasHostTensor_ || (tensor.defined() && tensor.dim() > 0);
            return tensor;
        }
        TORCH_CHECK(tensor.device() == memory_.torchDevice(),
                    memory_.id(),
                    ": ",
                    name_,
                    " got tensors of ",
                    memory_.id(),
                    " and of ",
                    fakeMemoryOf(tensor.device()).id());
        if (access_) {
            noteAccess(tensor, *access_, name_);
        }
        stands_.push_back({tensor, aliasOnCpu(tensor)});
        return stands_.back().host;
    }

    void requireOneDevice() const {
        const bool takesHostIndices =
            name_.starts_with("aten::index") || name_.starts_with("aten::_index");
        TORCH_CHECK(stands_.empty() || !hasHostTensor_ || takesHostIndices,
                    memory_.id(),
                    ": ",
                    name_,
                    " got tensors of the host and of the device");
    }

    /// out= and in-place arguments that the operator gave another size or other bytes.
    void writeBackResized() {
        for (const Stand& stand : stands_) {
            const bool isSame = stand.host.data_ptr() == stand.device.data_ptr() &&
                                stand.host.sizes() == stand.device.sizes() &&
                                stand.host.strides() == stand.device.strides();
            if (isSame || stand.host.numel() == 0) {
                continue;
            }
            stand.device.resize_(stand.host.sizes());
            stand.device.as_strided_(stand.host.sizes(), stand.host.strides());
            if (stand.host.data_ptr() != stand.device.data_ptr()) {
                aliasOnCpu(stand.device).copy_(stand.host);
            }
        }
    }

    void returnResults() {
        const size_t count = op_.schema().returns().size();
        for (size_t i = stack_.size() - count; i < stack_.size(); ++i) {
            c10::IValue& value = stack_[i];
            if (value.isTensor()) {
                value = resultOf(value.toTensor());
            } else if (value.isTensorList()) {
                c10::List<Tensor> list;
                for (const Tensor& tensor : value.toTensorVector()) {
                    list.push_back(resultOf(tensor));
                }
                value = list;
            }
        }
    }

    Tensor toGpu(const Tensor& host) const {
        Tensor result = at::empty_strided(
            host.sizes(), host.strides(), host.options().device(memory_.torchDevice()));
        aliasOnCpu(result).copy_(host);
        return result;
    }

    Tensor resultOf(const Tensor& result) const {
        if (!result.defined()) {
            return result;
        }
        for (const Stand& stand : stands_) {
            if (stand.host.is_same(result)) {
                return stand.device;
            }
        }
        for (const Stand& stand : stands_) {
            if (stand.host.numel() > 0 && stand.host.storage().is_alias_of(result.storage())) {
                return viewOf(stand, result);
            }
        }
        return stands_.empty() && !namesDevice_ ? result : toGpu(result);
    }

    /// The device's view that corresponds to a view of the stand-in, perhaps of another type
    /// (view_as_real).
    static Tensor viewOf(const Stand& stand, const Tensor& result) {
        const Tensor& device = stand.device;
        auto view = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW,
                                                             c10::Storage(device.storage()),
                                                             device.key_set(),
                                                             result.dtype());
        const auto itemSize = static_cast<int64_t>(result.itemsize());
        const int64_t offset = device.storage_offset() * static_cast<int64_t>(device.itemsize()) +
                               result.storage_offset() * itemSize;
        view.unsafeGetTensorImpl()->set_storage_offset(offset / itemSize);
        view.unsafeGetTensorImpl()->set_sizes_and_strides(result.sizes(), result.strides());
        return view;
    }

    const c10::OperatorHandle& op_;
    torch::jit::Stack& stack_;
    FakeMemory& memory_;
    const std::string name_;
    std::vector<Stand> stands_;
    std::optional<Access> access_;  ///< of the argument at hand; none: only its view is taken
    bool hasHostTensor_ = false;
    bool namesDevice_ = false;
};

}  // namespace

at::Tensor aliasOnCpu(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_privateuseone()) {
        return tensor;
    }
    const at::TensorOptions options = tensor.options().device(c10::kCPU);
    if (tensor.numel() == 0) {
        return at::empty_strided(tensor.sizes(), tensor.strides(), options);
    }
    return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), options);
}

void noteAccess(const at::Tensor& tensor, Access access, const std::string& what) {
    if (tensor.defined() && tensor.is_privateuseone() && tensor.numel() > 0) {
        FakeMemory& memory = fakeMemoryOf(tensor.device());
        memory.touch(rangeOfTensor(tensor));
        memory.hazards().access(Agent::Compute, rangeOfTensor(tensor), access, what);
    }
}

void runOnCpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    FakeMemory& memory = memoryFor(op, *stack);
    memory.noteCall();
    memory.countOperator();
    const GpuScratch scratch(memory);
    FallbackCall(op, stack, memory).run();
}

// The operators that a fallback cannot serve: those that make, move or re-view memory, and
// composite ones whose parts would not have the bits of the CPU's own kernel.

namespace {

using at::Tensor;

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

Tensor makeEmpty(c10::IntArrayRef sizes,
                 std::optional<c10::ScalarType> type,
                 std::optional<c10::Layout>,
                 std::optional<c10::Device> device,
                 std::optional<bool>,
                 std::optional<c10::MemoryFormat> format) {
    return at::detail::empty_generic(sizes,
                                     &fakeMemoryOf(device.value_or(c10::Device(kFakeTorchType))),
                                     kKeys,
                                     c10::dtype_or_default(type),
                                     format);
}

Tensor makeEmptyStrided(c10::IntArrayRef sizes,
                        c10::IntArrayRef strides,
                        std::optional<c10::ScalarType> type,
                        std::optional<c10::Layout>,
                        std::optional<c10::Device> device,
                        std::optional<bool>) {
    return at::detail::empty_strided_generic(
        sizes,
        strides,
        &fakeMemoryOf(device.value_or(c10::Device(kFakeTorchType))),
        kKeys,
        c10::dtype_or_default(type));
}

/// What a GPU has to do with a copy; the other end may be another GPU's, or the host's.
void noteCopy(const Tensor& tensor, Access access) {
    if (tensor.is_privateuseone()) {
        FakeMemory& memory = fakeMemoryOf(tensor.device());
        memory.hazards().begin(Agent::Compute);
        noteAccess(tensor, access, "aten::_copy_from");
    }
}

/// Converts types, broadcasts and follows strides, between host and device and within the device.
Tensor copyFrom(const Tensor& source, const Tensor& target, bool) {
    FakeMemory& gpu = fakeMemoryOf((source.is_cpu() ? target : source).device());
    gpu.noteCall();
    if (source.is_cpu() || target.is_cpu()) {
        TORCH_CHECK_WITH(OutOfMemoryError,
                         gpu.admit(memory::AllocationKind::Wire),
                         gpu.id(),
                         ": no space for ",
                         source.nbytes(),
                         " bytes on their way between host and GPU");
        gpu.countTransfer(source.is_cpu(), static_cast<Bytes>(source.nbytes()));
    }
    noteCopy(source, Access::Read);
    noteCopy(target, Access::Write);
    const GpuScratch scratch(gpu);
    aliasOnCpu(target).copy_(aliasOnCpu(source));
    return target;
}

Tensor copyFromAndResize(const Tensor& source, const Tensor& target) {
    if (target.sizes() != source.sizes()) {
        target.resize_(source.sizes());
    }
    return copyFrom(source, target, false);
}

Tensor asStrided(const Tensor& self,
                 c10::SymIntArrayRef sizes,
                 c10::SymIntArrayRef strides,
                 std::optional<c10::SymInt> offset) {
    return at::cpu::as_strided_symint(self, sizes, strides, std::move(offset));
}

Tensor viewAs(const Tensor& self, c10::SymIntArrayRef sizes) {
    return at::native::view(self, C10_AS_INTARRAYREF_SLOW(sizes));
}

Tensor reshapeAlias(const Tensor& self, c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides) {
    return at::native::_reshape_alias(
        self, C10_AS_INTARRAYREF_SLOW(sizes), C10_AS_INTARRAYREF_SLOW(strides));
}

const Tensor& resizeInPlace(const Tensor& self,
                            c10::SymIntArrayRef sizes,
                            std::optional<c10::MemoryFormat> format) {
    return at::native::resize_(self, C10_AS_INTARRAYREF_SLOW(sizes), format);
}

Tensor& setToTensor(Tensor& self, const Tensor& source) {
    return at::native::set_tensor_(self, source);
}

Tensor& setToStorage(Tensor& self, at::Storage source) {
    return at::native::set_(self, std::move(source));
}

Tensor& setToStorageAt(Tensor& self,
                       at::Storage source,
                       int64_t offset,
                       c10::IntArrayRef sizes,
                       c10::IntArrayRef strides) {
    return at::cpu::set_(self, std::move(source), offset, sizes, strides);
}

Tensor unfoldAlong(const Tensor& self, int64_t dim, int64_t size, int64_t step) {
    return at::native::unfold(self, dim, size, step);
}

torch::Library libraryOf(const char* names) {
    return {torch::Library::IMPL, names, c10::DispatchKey::PrivateUse1, __FILE__, __LINE__};
}

void addToAten(torch::Library& library) {
    library.impl("empty.memory_format", makeEmpty);
    library.impl("empty_strided", makeEmptyStrided);
    library.impl("_copy_from", copyFrom);
    library.impl("_copy_from_and_resize", copyFromAndResize);
    library.impl("as_strided", asStrided);
    library.impl("view", viewAs);
    library.impl("_reshape_alias", reshapeAlias);
    library.impl("resize_", resizeInPlace);
    library.impl("set_.source_Tensor", setToTensor);
    library.impl("set_.source_Storage", setToStorage);
    library.impl("set_.source_Storage_storage_offset", setToStorageAt);
    library.impl("unfold", unfoldAlong);
    for (const char* composite : {"convolution",
                                  "native_layer_norm",
                                  "native_group_norm",
                                  "scaled_dot_product_attention"}) {
        library.impl(composite, torch::CppFunction::makeFromBoxedFunction<&runOnCpu>());
    }
}

}  // namespace

/// Not by static initialisers: what is refused there would be thrown through the loader.
void registerFakeOperators() {
    torch::Library others = libraryOf("_");
    others.fallback(torch::CppFunction::makeFromBoxedFunction<&runOnCpu>());
    torch::Library aten = libraryOf("aten");
    addToAten(aten);
    // For good, as all that ATen knows of the device.
    static_cast<void>(std::make_unique<torch::Library>(std::move(others)).release());
    static_cast<void>(std::make_unique<torch::Library>(std::move(aten)).release());
}

}  // namespace lowtide::residency
