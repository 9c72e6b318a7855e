// The operators that a fallback cannot serve: those that make, move or re-view memory, and
// composite ones whose parts would not have the bits of the CPU's own kernel.
#include "plugin/residency/device/fake/fake_operators.hpp"

#include "plugin/residency/device/fake/aliasing_fallback.hpp"
#include "plugin/residency/device/fake/card_scratch.hpp"
#include "plugin/residency/device/fake/fake_memory.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/NativeFunctions.h>
#include <ATen/ops/as_strided_cpu_dispatch.h>
#include <ATen/ops/set_cpu_dispatch.h>
#include <torch/library.h>

namespace lowtide::residency {

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

/// What a card has to do with a copy; the other end may be another card's, or the host's.
void noteCopy(const Tensor& tensor, Access access) {
    if (tensor.is_privateuseone()) {
        FakeMemory& memory = fakeMemoryOf(tensor.device());
        memory.hazards().begin(Agent::Compute);
        noteAccess(tensor, access, "aten::_copy_from");
    }
}

/// Converts types, broadcasts and follows strides, between host and device and within the device.
Tensor copyFrom(const Tensor& source, const Tensor& target, bool) {
    FakeMemory& card = fakeMemoryOf((source.is_cpu() ? target : source).device());
    card.noteCall();
    if (source.is_cpu() || target.is_cpu()) {
        TORCH_CHECK_WITH(OutOfMemoryError,
                         card.admit(memory::AllocationKind::Wire),
                         card.id(),
                         ": no room for ",
                         source.nbytes(),
                         " bytes on their way between host and card");
        card.countTransfer(source.is_cpu(), static_cast<Bytes>(source.nbytes()));
    }
    noteCopy(source, Access::Read);
    noteCopy(target, Access::Write);
    const CardScratch scratch(card);
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
