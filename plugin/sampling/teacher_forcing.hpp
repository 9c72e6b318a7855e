#pragma once

#include "plugin/base/json.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace lowtide::sampling {

/// A call of the network in a pass that was recorded: f32, in host memory.
struct RecordedCall {
    at::Tensor input;   ///< as the network got it, [N, C, h, w]
    at::Tensor output;  ///< what it made of it, before guidance
};

using RecordedRun = std::vector<RecordedCall>;

/// How far a call's output is from the recorded one of the very same input.
struct CallError {
    double relative = 0;  ///< relative L2; infinite where the output is not finite
    double cosine = 1;
};

/// A pass along a recorded one: every call gets the recorded input, because the sampler steps on
/// with the recorded outputs, so that an error is that of its call and not of the way there.
/// Source: teacher forcing, Williams and Zipser 1989.
class TeacherForcing {
public:
    /// Error{InvalidInput} unless the recorded pass has `calls` of them; two where both prompts of
    /// a guided call are recorded one by one.
    TeacherForcing(std::shared_ptr<const RecordedRun> recorded, size_t calls);

    /// Compares the next call's output; gives the recorded one, on the device of `output`. Two host
    /// waits. `branches`: recorded calls that it is, the positive one first. Error{InvalidInput}
    /// when the input is not the recorded one, bit for bit.
    [[nodiscard]] at::Tensor replace(const at::Tensor& input,
                                     const at::Tensor& output,
                                     size_t branches);

    [[nodiscard]] const std::vector<CallError>& errors() const { return errors_; }

private:
    /// What is next, [uncond, cond] where it has two prompts.
    [[nodiscard]] RecordedCall take(size_t branches);

    std::shared_ptr<const RecordedRun> recorded_;
    size_t taken_ = 0;
    std::vector<CallError> errors_;
};

/// {"errors": [of each call], "cosines", "mean", "worst"}; what is not finite is written as null.
[[nodiscard]] Json toJson(const std::vector<CallError>& errors);

}  // namespace lowtide::sampling
