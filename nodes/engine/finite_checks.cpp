#include "nodes/engine/finite_checks.hpp"

#include "nodes/engine/controls.hpp"
#include "nodes/engine/image_prompts.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/controls/control_net.hpp"
#include "plugin/nn/model.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/tensor/stage_values.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <utility>
#include <vector>

namespace lowtide::nodes {

/// The tensors of floating numbers that a value on a wire holds; none where it is a model or
/// unknown.
[[nodiscard]] std::vector<at::Tensor> tensorsOf(const memory::WireRef& value);

namespace {

/// Those that are defined and hold floating numbers.
class FloatingTensors {
public:
    void add(const at::Tensor& value) {
        if (value.defined() && value.is_floating_point()) {
            tensors_.push_back(value);
        }
    }

    void add(const tensor::ImageConditioning* imageConditioning) {
        if (imageConditioning) {
            add(imageConditioning->extraChannels);
            add(imageConditioning->visionEmbeds);
        }
    }

    void add(const tensor::Conditioning& conditioning) {
        for (const tensor::ConditioningEntry& entry : conditioning.entries()) {
            for (const auto& [name, value] : entry.tensors) {
                add(value);
            }
        }
    }

    void add(const tensor::Latents& latents) {
        add(latents.samples());
        add(latents.deviation());
        add(latents.imageConditioning().get());
        if (latents.carry()) {
            for (const at::Tensor& entry : latents.carry()->history) {
                add(entry);
            }
        }
    }

    [[nodiscard]] std::vector<at::Tensor> take() { return std::move(tensors_); }

private:
    std::vector<at::Tensor> tensors_;
};

}  // namespace

std::vector<at::Tensor> tensorsOf(const memory::WireRef& value) {
    FloatingTensors tensors;
    const memory::WireValue* held = value.get();
    if (const auto* conditioning = dynamic_cast<const tensor::Conditioning*>(held)) {
        tensors.add(*conditioning);
    } else if (const auto* latents = dynamic_cast<const tensor::Latents*>(held)) {
        tensors.add(*latents);
    } else if (const auto* empty = dynamic_cast<const tensor::EmptyLatents*>(held)) {
        tensors.add(empty->imageConditioning().get());
    } else if (const auto* images = dynamic_cast<const tensor::Images*>(held)) {
        tensors.add(images->pixels());
    } else if (const auto* masks = dynamic_cast<const tensor::Masks*>(held)) {
        tensors.add(masks->values());
    } else if (const auto* controls = dynamic_cast<const Controls*>(held)) {
        for (const ControlEntry& entry : controls->entries()) {
            tensors.add(entry.hint);
        }
    } else if (const auto* prompts = dynamic_cast<const ImagePrompts*>(held)) {
        for (const ImagePromptEntry& entry : prompts->entries()) {
            tensors.add(entry.tokens);
            tensors.add(entry.mask);
        }
    }
    return tensors.take();
}

namespace {

constexpr const char* kPrecisionItem = "precision";

/// Sums of one device each: a host wait for each of them.
class Totals {
public:
    void add(const at::Tensor& sum) {
        for (at::Tensor& total : totals_) {
            if (total.device() == sum.device()) {
                total = total + sum;
                return;
            }
        }
        totals_.push_back(sum);
    }

    [[nodiscard]] bool areFinite() const {
        return std::all_of(totals_.begin(), totals_.end(), tensor::isFiniteSum);
    }

private:
    std::vector<at::Tensor> totals_;
};

/// What the user can try, the cheapest first.
std::vector<Message> remedies(const memory::ComponentPrecision& precision,
                              DType compute,
                              bool isAdapted) {
    std::vector<Message> all;
    if (compute == DType::F16) {
        all.push_back(message("compute in bf16 or f32 (the precision quality, or compute=f32)"));
    } else if (compute == DType::BF16) {
        all.push_back(message("compute in f32 (the precision quality, or compute=f32)"));
    }
    const bool isNarrow = precision.storage == DType::F16 || precision.storage == DType::F8E4M3;
    if (!precision.storesAsInFile && isNarrow) {
        all.push_back(message("store in f32 (storage=f32)"));
    }
    if (isAdapted) {
        all.push_back(message("lower the strength of its LoRAs or leave them out"));
    }
    all.push_back(message("get the file again or choose another one"));
    return all;
}

}  // namespace

FiniteChecks::FiniteChecks(const Stage& stage,
                           const std::vector<memory::ComponentPrecision>& precisions,
                           bool isDryRun)
    : stage_(stage), precisions_(precisions), isDryRun_(isDryRun) {}

void FiniteChecks::note(const memory::ComponentTree& network,
                        const at::Tensor& result,
                        const models::NotedStep& step) {
    if (!result.defined() || !result.is_floating_point()) {
        return;
    }
    auto noted = std::find_if(noted_.begin(), noted_.end(), [&](const Noted& each) {
        return each.role == network.role && each.sums.device() == result.device() &&
               each.sums.numel() == step.steps;
    });
    if (noted == noted_.end()) {
        noted_.push_back(
            {.role = network.role,
             .sums =
                 at::zeros({step.steps}, at::TensorOptions(at::kFloat).device(result.device()))});
        noted = std::prev(noted_.end());
    }
    noted->sums.select(0, step.step).add_(tensor::finiteSum(result));
}

void FiniteChecks::look(std::span<const at::Tensor> results) {
    if (!areFinite(results)) {
        blame(results);
    }
}

void FiniteChecks::look(const std::vector<WireRef>& results) {
    std::vector<at::Tensor> tensors;
    for (const WireRef& result : results) {
        for (at::Tensor& each : tensorsOf(result)) {
            tensors.push_back(std::move(each));
        }
    }
    look(tensors);
}

bool FiniteChecks::areFinite(std::span<const at::Tensor> results) const {
    Totals totals;
    for (const Noted& noted : noted_) {
        totals.add(tensor::finiteSum(noted.sums));
    }
    for (const at::Tensor& result : results) {
        if (!isDryRun_ || result.is_meta()) {
            totals.add(tensor::finiteSum(result));
        }
    }
    return totals.areFinite();
}

void FiniteChecks::blame(std::span<const at::Tensor> results) const {
    requireFiniteInputs();
    blameComponent();
    if (std::all_of(results.begin(), results.end(), tensor::isFinite)) {
        return;  // the sum alone was beyond f32
    }
    if (noted_.empty() && precisions_.size() == 1) {
        refuse(precisions_.front().role, precisions_.front().compute, {});
    }
    refuseResult();
}

void FiniteChecks::requireFiniteInputs() const {
    for (const auto& [port, value] : stage_.inputs()) {
        const std::vector<at::Tensor> tensors = tensorsOf(value);
        if (!std::all_of(tensors.begin(), tensors.end(), tensor::isFinite)) {
            const Json facts = {{"stage", stage_.name}, {"port", port}};
            throw CodedError(
                Error(ErrorKind::InvalidInput,
                      message("{}: what comes in at {} is not finite (NaN or infinity)",
                              stage_.name,
                              port),
                      message("look at the node that is connected there: its values were not "
                              "finite before"),
                      port),
                kNotFiniteCode,
                facts.dump());
        }
    }
}

/// The first step with such values, and in it the component that comes first.
void FiniteChecks::blameComponent() const {
    const Noted* first = nullptr;
    models::NotedStep at{.step = INT_MAX};
    for (const Noted& noted : noted_) {
        const at::Tensor sums = tensor::spill(noted.sums).contiguous();
        const float* begin = sums.const_data_ptr<float>();
        const float* end = begin + sums.numel();
        const float* found =
            std::find_if_not(begin, end, [](float sum) { return std::isfinite(sum); });
        if (const int step = static_cast<int>(found - begin); found != end && step < at.step) {
            first = &noted;
            at = {.step = step, .steps = static_cast<int>(sums.numel())};
        }
    }
    if (first) {
        refuse(first->role, precisionOf(first->role).compute, at);
    }
}

void FiniteChecks::refuse(const memory::ComponentTree& network, DType compute) const {
    refuse(network.role, compute, {});
}

void FiniteChecks::refuse(const std::string& role,
                          DType compute,
                          const models::NotedStep& step) const {
    const auto source = stage_.source();
    const auto network = treeIn(*source, role);
    const memory::ComponentPrecision precision = settled(precisionOf(role), *network);
    const std::string stored = precision.storageName();
    Json facts = {{"stage", stage_.name},
                  {"component", role},
                  {"compute", memory::shortNameOf(compute)},
                  {"storage", stored}};
    if (step.steps > 1) {
        facts["step"] = step.step + 1;
        facts["steps"] = step.steps;
    }
    const bool isAdapted = !network->deltas.empty();
    const bool isPrecision = compute == DType::F16 || compute == DType::BF16;
    const std::string computed = memory::shortNameOf(compute);
    const Message problem =
        step.steps > 1
            ? message(
                  "{}: {} of {} gives values that are not finite (NaN or infinity) in step {} "
                  "of {} (storage={}, compute={})",
                  stage_.name,
                  role,
                  source->name(),
                  step.step + 1,
                  step.steps,
                  stored,
                  computed)
            : message(
                  "{}: {} of {} gives values that are not finite (NaN or infinity) "
                  "(storage={}, compute={})",
                  stage_.name,
                  role,
                  source->name(),
                  stored,
                  computed);
    throw CodedError(Error(ErrorKind::InvalidInput,
                           problem,
                           joined(remedies(precision, compute, isAdapted), "; "),
                           isPrecision ? kPrecisionItem : portOf(role)),
                     kNotFiniteCode,
                     facts.dump());
}

void FiniteChecks::refuseResult() const {
    const bool isSampled =
        std::find(stage_.roles.begin(), stage_.roles.end(), models::kDenoisers) !=
        stage_.roles.end();
    const Json facts = {{"stage", stage_.name}};
    throw CodedError(
        isSampled
            ? Error(ErrorKind::InvalidInput,
                    message("{}: the sampler gives values that are not finite (NaN or infinity), "
                            "though every prediction is finite",
                            stage_.name),
                    message(
                        "choose another sampler, spacing or number of steps, or a lower guidance"),
                    "sampler")
            : Error(
                  ErrorKind::InvalidInput,
                  message("{}: the result is not finite (NaN or infinity), though what comes in is",
                          stage_.name),
                  message("choose other settings of this node")),
        kNotFiniteCode,
        facts.dump());
}

const memory::ComponentPrecision& FiniteChecks::precisionOf(const std::string& role) const {
    const auto found = std::find_if(precisions_.begin(), precisions_.end(), [&](const auto& each) {
        return each.role == role;
    });
    LOWTIDE_ASSERT(found != precisions_.end());
    return *found;
}

/// By which the component came in.
std::string FiniteChecks::portOf(const std::string& role) const {
    const bool isControl = memory::matchesRole(models::kControlNets, role);
    for (const auto& [port, value] : stage_.inputs()) {
        const auto* source = dynamic_cast<const models::ComponentSource*>(value.get());
        if (isControl ? value && value->type() == "CONTROL" : source && hasRole(*source, role)) {
            return port;
        }
    }
    return kPrecisionItem;
}

FiniteResult::FiniteResult(models::StageContext& context,
                           const StageCall& call,
                           const memory::ComponentTree& network)
    : context_(context), call_(call), network_(network) {}

at::Tensor FiniteResult::of(const std::function<at::Tensor(models::StageContext&)>& run) {
    if (context_.exact.empty()) {
        return run(context_);
    }
    models::ResultChecks* const checks = context_.finite;
    models::StageContext own = context_;
    own.finite = nullptr;  // a first result that is computed again is nobody's fault
    if (isExact_) {
        own.typed = context_.exact;
    }
    at::Tensor result = run(own);
    bool isFinite = tensor::isFiniteSum(tensor::finiteSum(result));
    if (!isFinite && !isExact_) {
        checks->requireFiniteInputs();
        isExact_ = true;
        call_.issue(
            {.severity = Severity::Warning,
             .code = "precision_retry",
             .node = call_.node,
             .item = "precision",
             .message = message("the autoencoder gave values that are not finite in half "
                                "precision; it computes them once more in f32"),
             .hint = message("choose the precision quality, or compute=f32, for this node")});
        own.typed = context_.exact;
        result = run(own);
        isFinite = tensor::isFiniteSum(tensor::finiteSum(result));
    }
    if (!isFinite) {
        checks->refuse(network_, DType::F32);
    }
    checks->note(network_, result, {});
    return result;
}

void FiniteResult::describe(tensor::Provenance& provenance, const char* field) const {
    if (isExact_) {
        provenance.set(field, "f32 after an overflow");
    }
}

}  // namespace lowtide::nodes
