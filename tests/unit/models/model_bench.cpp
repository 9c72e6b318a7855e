#include "tests/unit/models/model_bench.hpp"

#include "nodes/engine/spec_parts.hpp"
#include "nodes/engine/stage_precision.hpp"
#include "plugin/checkpoints/adapters/adapter_math.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/plan.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/residency/device/device_source.hpp"
#include "plugin/tensor/value_codecs.hpp"
#include "tests/fixtures/folders.hpp"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <stdexcept>

namespace lowtide::testing {

ModelBench::ModelBench(memory::DeviceSpec device, std::shared_ptr<files::FileDigests> digests)
    : device_(std::move(device)),
      residency_(std::make_unique<residency::Residency>(
          residency::makeDeviceSource(buildPath("lib").toStdString()),
          std::make_shared<models::AdapterMath>())),
      stages_(std::make_unique<nodes::Stages>(
          nodes::StagesSettings{.residency = *residency_,
                                .resourcesFolder = sourcePath("resources").toStdString(),
                                .modelFolders = {sourcePath("resources/mini").toStdString()},
                                .recorder = [this] { return recorder_.get(); },
                                .teacher = [this] { return teacher_ ? &*teacher_ : nullptr; },
                                .previewPace = {.interval = 0, .fraction = 1},
                                .digests = std::move(digests)})) {
    (void)residency_->open(memory::DeviceSpec{});
    (void)residency_->open(device_);
}

ModelBench::~ModelBench() = default;

const models::Model& ModelBench::modelOf(const nodes::WireRef& model) {
    return dynamic_cast<const models::Model&>(*model);
}

Shape ModelBench::wordsShape(const nodes::WireRef& model) {
    return modelOf(model).promptsSpec({}).positive.shape();
}

nodes::StageCall ModelBench::call(const std::string& node) const {
    return {.node = node,
            .stop = {},
            .progress = [](std::string_view, double, double) {},
            .issue = [](const Issue&) {}};
}

void ModelBench::runWith(const nodes::WireRef& model,
                         std::string_view role,
                         const std::function<void()>& work) {
    runWith(modelOf(model).tree(role), work);
}

void ModelBench::runWith(const std::shared_ptr<const memory::ComponentTree>& tree,
                         const std::function<void()>& work) {
    runWith(std::vector{tree}, work);
}

void ModelBench::runWith(std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
                         const std::function<void()>& work) {
    for (size_t i = trees.size(); i-- > 0;) {  // as it was opened, and as stages compute with it
        const memory::ComponentPrecision usual{
            .role = trees[i]->role, .multipliesHalves = nodes::cpuTraits().multipliesHalves};
        auto typed = std::make_shared<const memory::ComponentTree>(inPrecision(*trees[i], usual));
        if (typed->id != trees[i]->id) {
            trees.push_back(std::move(typed));
        }
    }
    const memory::PlanRequest request{
        .nodes = {{.node = "node", .policy = policy_, .components = std::move(trees)}},
        .device = device_,
        .devices = {{.spec = device_, .traits = residency_->traits(device_)}},
    };
    const auto plan =
        std::make_shared<const memory::Plan>(std::get<memory::Plan>(memory::makePlan(request)));
    const c10::InferenceMode inference;
    residency_->ledger().beginRun();
    residency_->begin(plan, StopToken());
    try {
        residency_->enter(0);
        work();
    } catch (...) {
        residency_->leave(0);
        residency_->end(memory::Outcome::Failed);
        throw;
    }
    residency_->leave(0);
    residency_->end(memory::Outcome::Finished);
}

Bytes ModelBench::activationPeak() {
    const auto devices = residency_->ledger().snapshot();
    return devices.at(device_.id()).peakByTag[static_cast<size_t>(memory::Tag::Activations)];
}

void ModelBench::record() {
    recorder_ = std::make_unique<tensor::Recorder>();
}

void ModelBench::goAlongRecorded() {
    teacher_ = recorder_->tensors();
    recorder_.reset();
}

TensorFile ModelBench::recorded() const {
    TensorFile file;
    for (const auto& [name, tensor] : recorder_->tensors()) {
        const auto* bytes = static_cast<const char*>(tensor.const_data_ptr());
        file[name] = {.type = tensor::elementTypeOf(tensor.scalar_type()).value(),
                      .shape = tensor.sizes().vec(),
                      .bytes = std::string(bytes, tensor.nbytes())};
    }
    return file;
}

nodes::WireRef emptyLatentSpec(int64_t width, int64_t height, int64_t batch) {
    return std::make_shared<const nodes::LatentSpec>(
        nodes::EmptyLatentSpec{.size = {.width = width, .height = height}, .batch = batch});
}

std::string miniModel() {
    return sourcePath("resources/mini/model").toStdString();
}

}  // namespace lowtide::testing
