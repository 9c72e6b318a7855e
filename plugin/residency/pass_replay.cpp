#include "plugin/residency/pass_replay.hpp"

#include "plugin/base/log.hpp"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <utility>

namespace lowtide::residency {

namespace {

/// What cuDNN looks at, at most.
constexpr uintptr_t kCheckedAlignment = 32;

/// A record reads copies of its inputs: where they would lie otherwise than the inputs do, other
/// kernels might compute with them.
bool lieAsCopies(const PassInputs& inputs) {
    return std::all_of(inputs.begin(), inputs.end(), [](const at::Tensor& input) {
        return !input.defined() ||
               (input.is_contiguous() &&
                reinterpret_cast<uintptr_t>(input.const_data_ptr()) % kCheckedAlignment == 0);
    });
}

}  // namespace

std::vector<PassReplay::Outline> PassReplay::outlinesOf(const PassInputs& inputs) {
    std::vector<Outline> outlines;
    for (const at::Tensor& input : inputs) {
        outlines.push_back(input.defined() ? Outline{.isDefined = true,
                                                     .sizes = input.sizes().vec(),
                                                     .type = input.scalar_type()}
                                           : Outline{});
    }
    return outlines;
}

at::Tensor PassReplay::run(const PassInputs& inputs, bool areThere, const PassWork& work) {
    std::vector<Outline> outlines = outlinesOf(inputs);
    const bool isKnown = outlines == outlines_;
    if (!isKnown && !record_) {
        outlines_ = std::move(outlines);
    }
    if (isRefused_ || !isKnown || !areThere || !lieAsCopies(inputs)) {
        return work(inputs);
    }
    if (!record_) {
        record(inputs, work);
    }
    if (!record_) {
        return work(inputs);
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].defined()) {
            inputs_[i].copy_(inputs[i]);
        }
    }
    record_->replay();
    return output_.clone();
}

void PassReplay::record(const PassInputs& inputs, const PassWork& work) {
    Device& device = *device_.device;
    const int64_t failedBefore = device.allocatorState().outOfMemory;
    inputs_.clear();
    try {
        for (const at::Tensor& input : inputs) {
            inputs_.push_back(input.defined() ? input.clone() : input);
        }
        isRecording_ = true;
        record_ = device.record([&] { output_ = work(inputs_); });
        isRecording_ = false;
    } catch (const c10::Error& error) {
        forget();
        device_.check();
        if (device_.isLost) {
            throw;
        }
        isRefused_ = true;
        // Nothing was computed with what could not be allocated.
        device_.failuresAtEnter += device.allocatorState().outOfMemory - failedBefore;
        log(Level::Warning,
            "a pass on " + device_.id + " cannot be recorded and is computed every time: " +
                error.what_without_backtrace());
    } catch (...) {
        forget();
        throw;
    }
}

void PassReplay::forget() {
    isRecording_ = false;
    record_.reset();
    output_.reset();
    inputs_.clear();
    outlines_.clear();
}

}  // namespace lowtide::residency
