#include "plugin/tensor/numerics_scope.hpp"

#include "plugin/base/error.hpp"

#include <ATen/Context.h>
#include <c10/util/Exception.h>

#include <ranges>
#include <string>

namespace lowtide::tensor {

namespace {

using memory::NumericSwitch;
using Undo = std::function<void()>;

at::Context& context() {
    return at::globalContext();
}

/// A switch with a getter and a setter of one flag.
template <auto read, auto write>
Undo setFlag(bool isOn) {
    const bool before = (context().*read)();
    (context().*write)(isOn);
    return [before] { (context().*write)(before); };
}

using ReadReduction = at::CuBLASReductionOption (at::Context::*)() const;
using WriteReduction = void (at::Context::*)(bool, bool);

Undo setReduction(ReadReduction read, WriteReduction write, bool isOn) {
    using Option = at::CuBLASReductionOption;
    const Option before = (context().*read)();
    (context().*write)(isOn, true);
    return [write, before] {
        (context().*write)(before == Option::AllowReducedPrecisionWithSplitK,
                           before != Option::DisallowReducedPrecisionDisallowSplitK);
    };
}

Undo setSplitK(bool isOn) {
    const Undo half = setReduction(
        &at::Context::allowFP16ReductionCuBLAS, &at::Context::setAllowFP16ReductionCuBLAS, isOn);
    const Undo brain = setReduction(
        &at::Context::allowBF16ReductionCuBLAS, &at::Context::setAllowBF16ReductionCuBLAS, isOn);
    return [half, brain] {
        brain();
        half();
    };
}

/// LibTorch has two interfaces for this; each setter of the older one writes fields of the newer.
Undo keptPrecision(at::Float32Backend backend, at::Float32Op op) {
    const at::Float32Precision before = context().float32Precision(backend, op);
    return [=] { context().setFloat32Precision(backend, op, before); };
}

/// The switch has three positions for the host, of which the flag knows two.
Undo setTf32Matmul(bool isOn) {
    const at::Float32MatmulPrecision before = context().float32MatmulPrecision();
    const char* name = before == at::Float32MatmulPrecision::HIGHEST ? "highest"
                       : before == at::Float32MatmulPrecision::HIGH  ? "high"
                                                                     : "medium";
    const Undo gpu = keptPrecision(at::Float32Backend::CUDA, at::Float32Op::MATMUL);
    const Undo host = keptPrecision(at::Float32Backend::MKLDNN, at::Float32Op::MATMUL);
    // Not setAllowTF32CuBLAS: behind a host's "medium" the two ways would contradict each other.
    context().setFloat32MatmulPrecision(isOn ? "high" : "highest");
    return [=] {
        context().setFloat32MatmulPrecision(name);
        gpu();
        host();
    };
}

Undo setTf32Convolution(bool isOn) {
    const bool before = context().allowTF32CuDNN();
    const Undo convolution = keptPrecision(at::Float32Backend::CUDA, at::Float32Op::CONV);
    const Undo recurrent = keptPrecision(at::Float32Backend::CUDA, at::Float32Op::RNN);
    context().setAllowTF32CuDNN(isOn);
    return [=] {
        context().setAllowTF32CuDNN(before);
        convolution();
        recurrent();
    };
}

/// A convolution sums as the call of cuDNN requests, which no switch of the process changes.
Undo setSwitch(NumericSwitch numericSwitch, bool isOn) {
    using at::Context;
    switch (numericSwitch) {
        case NumericSwitch::MatmulHalfAccumulation:
            return setFlag<&Context::allowFP16AccumulationCuBLAS,
                           &Context::setAllowFP16AccumulationCuBLAS>(isOn);
        case NumericSwitch::ConvolutionHalfAccumulation:
            return {};
        case NumericSwitch::SplitKReduction:
            return setSplitK(isOn);
        case NumericSwitch::Tf32Matmul:
            return setTf32Matmul(isOn);
        case NumericSwitch::Tf32Convolution:
            return setTf32Convolution(isOn);
        case NumericSwitch::CudnnBenchmark:
            return setFlag<&Context::benchmarkCuDNN, &Context::setBenchmarkCuDNN>(isOn);
        case NumericSwitch::CudnnDeterministic:
            return setFlag<&Context::deterministicCuDNN, &Context::setDeterministicCuDNN>(isOn);
        case NumericSwitch::AttentionFlash:
            return setFlag<&Context::userEnabledFlashSDP, &Context::setSDPUseFlash>(isOn);
        case NumericSwitch::AttentionFlash3:
            return setFlag<&Context::userEnabledFA3SDP, &Context::setSDPUseFA3>(isOn);
        case NumericSwitch::AttentionMemoryEfficient:
            return setFlag<&Context::userEnabledMemEfficientSDP, &Context::setSDPUseMemEfficient>(
                isOn);
        case NumericSwitch::AttentionCudnn:
            return setFlag<&Context::userEnabledCuDNNSDP, &Context::setSDPUseCuDNN>(isOn);
        case NumericSwitch::AttentionMath:
            return setFlag<&Context::userEnabledMathSDP, &Context::setSDPUseMath>(isOn);
        case NumericSwitch::AttentionMathHalfReduction:
            return setFlag<&Context::allowFP16BF16ReductionMathSDP,
                           &Context::setAllowFP16BF16ReductionMathSDP>(isOn);
    }
    return {};
}

}  // namespace

NumericsScope::NumericsScope(const memory::SwitchStates& states) {
    try {
        for (size_t i = 0; i < memory::kNumericSwitchCount; ++i) {
            if (states[i] == memory::SwitchState::NotApplicable) {
                continue;
            }
            const bool isOn = states[i] == memory::SwitchState::On;
            if (Undo undo = setSwitch(static_cast<NumericSwitch>(i), isOn)) {
                undo_.push_back(std::move(undo));
            }
        }
    } catch (const c10::Error& error) {
        restore();
        throw Error(
            ErrorKind::Unsupported,
            message("LibTorch's switches cannot be read: {}", error.what_without_backtrace()),
            message("let the host choose TF32 in one way only, the older flags or the newer ones"),
            "precision");
    }
}

NumericsScope::~NumericsScope() {
    restore();
}

void NumericsScope::restore() noexcept {
    for (const Undo& undo : undo_ | std::views::reverse) {
        undo();
    }
    undo_.clear();
}

}  // namespace lowtide::tensor
