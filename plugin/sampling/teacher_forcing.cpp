#include "plugin/sampling/teacher_forcing.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace lowtide::sampling {

namespace {

[[noreturn]] void refuseForcing(const Message& problem) {
    throw Error(
        ErrorKind::InvalidInput,
        problem,
        message("record the pass again: the graph, its seed and its files must be the same"));
}

std::span<const float> numbersOf(const at::Tensor& value) {
    LOWTIDE_ASSERT(value.is_contiguous() && value.scalar_type() == at::kFloat);
    return {value.const_data_ptr<float>(), static_cast<size_t>(value.numel())};
}

CallError errorOf(std::span<const float> made, std::span<const float> recorded) {
    double difference = 0;
    double product = 0;
    double madeSquared = 0;
    double recordedSquared = 0;
    for (size_t i = 0; i < made.size(); ++i) {
        const double own = made[i];
        const double other = recorded[i];
        difference += (own - other) * (own - other);
        product += own * other;
        madeSquared += own * own;
        recordedSquared += other * other;
    }
    if (difference == 0) {
        return {};
    }
    const double relative = std::sqrt(difference / recordedSquared);
    return {
        .relative = std::isfinite(relative) ? relative : std::numeric_limits<double>::infinity(),
        .cosine = product / std::sqrt(madeSquared * recordedSquared)};
}

}  // namespace

TeacherForcing::TeacherForcing(std::shared_ptr<const RecordedRun> recorded, size_t calls)
    : recorded_(std::move(recorded)) {
    if (recorded_->size() != calls) {
        refuseForcing(message("the recorded pass has {} calls of the network, this one makes {}",
                              recorded_->size(),
                              calls));
    }
}

RecordedCall TeacherForcing::take(size_t branches) {
    const RecordedCall& first = recorded_->at(taken_);
    taken_ += branches;
    if (branches == 1) {
        return first;
    }
    const RecordedCall& second = recorded_->at(taken_ - 1);
    return {.input = at::cat({second.input, first.input}),
            .output = at::cat({second.output, first.output})};
}

at::Tensor TeacherForcing::replace(const at::Tensor& input,
                                   const at::Tensor& output,
                                   size_t branches) {
    const RecordedCall call = take(branches);
    const bool isAlike =
        input.scalar_type() == call.input.scalar_type() && output.sizes() == call.output.sizes();
    if (!isAlike || !at::equal(tensor::spill(input), call.input)) {
        refuseForcing(message("call {} of the network gets other latents than in the recorded pass",
                              errors_.size() + 1));
    }
    const at::Tensor made = tensor::spill(output).contiguous();
    errors_.push_back(errorOf(numbersOf(made), numbersOf(call.output)));
    return tensor::upload(call.output, output.device());
}

Json toJson(const std::vector<CallError>& errors) {
    Json relative = Json::array();
    Json cosines = Json::array();
    double sum = 0;
    double worst = 0;
    for (const CallError& error : errors) {
        relative.push_back(error.relative);
        cosines.push_back(error.cosine);
        sum += error.relative;
        worst = std::max(worst, error.relative);
    }
    const double mean = errors.empty() ? 0 : sum / static_cast<double>(errors.size());
    return {{"errors", std::move(relative)},
            {"cosines", std::move(cosines)},
            {"mean", mean},
            {"worst", worst}};
}

}  // namespace lowtide::sampling
