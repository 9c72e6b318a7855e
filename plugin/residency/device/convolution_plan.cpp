#include "plugin/residency/device/convolution_plan.hpp"

#include "plugin/base/log.hpp"
#include "plugin/base/units.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace lowtide::residency {

namespace {

std::string textOf(const ConvolutionShape& shape, const std::optional<ConvolutionPlan>& plan) {
    std::string text = "convolution of " + std::string(nameOf(shape.type)) + " " +
                       toText(shape.input) + " with " + toText(shape.weight) + ", stride " +
                       std::to_string(shape.stride) + ": ";
    if (!plan) {
        return text + "cuDNN has no plan";
    }
    return text + "cuDNN's engine " + std::to_string(plan->engine) +
           (plan->tensorCores ? " on tensor cores" : "") +
           (plan->isDeterministic ? "" : ", not the same bits every time") + ", sums in " +
           std::string(nameOf(plan->accumulates)) + ", workspace " + formatBytes(plan->workspace);
}

struct Answers {
    std::mutex mutex;
    std::map<ConvolutionShape, std::optional<Bytes>> known;
};

}  // namespace

ConvolutionQuestion remembered(ConvolutionAnswerer ask) {
    return [ask = std::move(ask),
            answers = std::make_shared<Answers>()](const ConvolutionShape& shape) {
        const std::lock_guard lock(answers->mutex);
        const auto found = answers->known.find(shape);
        if (found != answers->known.end()) {
            return found->second;
        }
        const std::optional<ConvolutionPlan> plan = ask(shape);
        log(Level::Debug, textOf(shape, plan));
        const auto workspace = plan ? std::optional(plan->workspace) : std::nullopt;
        return answers->known.emplace(shape, workspace).first->second;
    };
}

}  // namespace lowtide::residency
