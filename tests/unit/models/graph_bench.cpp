#include "tests/unit/models/graph_bench.hpp"

#include "nodes/node_list.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/residency/device/cpu/cpu_device.hpp"
#include "plugin/residency/device/device_source.hpp"
#include "plugin/tensor/value_codecs.hpp"
#include "tests/fixtures/folders.hpp"

#include <c10/core/InferenceMode.h>

#include <optional>
#include <utility>

namespace lowtide::testing {

namespace {

class SilentObserver final : public Observer {
public:
    void event(std::string_view) noexcept override {}

    void preview(RunId, std::string_view, const Image8&) noexcept override {}
};

/// What the module does once on the run thread.
void setUpThread() {
    thread_local std::optional<c10::InferenceMode> inference;
    inference.emplace(true);
    residency::CpuAllocations::attachThread();
}

}  // namespace

GraphBench::GraphBench(std::span<const models::Family* const> families)
    : residency_(residency::makeDeviceSource(buildPath("lib").toStdString())),
      stages_(std::make_unique<nodes::Stages>(
          nodes::StagesSettings{.residency = residency_,
                                .resourcesFolder = sourcePath("resources").toStdString(),
                                .modelFolders = {},
                                .recorder = [this] { return recorder_.get(); },
                                .families = families})),
      types_(nodes::makeNodeTypes(*stages_)),
      queue_(types_,
             residency_,
             {.threadSetUp = setUpThread, .keepFolder = {}, .codecs = tensor::stageValueCodecs()}) {
}

std::shared_ptr<const graph::Snapshot> GraphBench::snapshot(
    const Json& graph, const graph::Overrides& overrides) const {
    return graph::makeSnapshot(
        graph::applyOverrides(graph::documentFromJson(graph), types_.catalog(), overrides),
        types_.catalog());
}

executor::RunResult GraphBench::run(std::shared_ptr<const graph::Snapshot> snapshot,
                                    const executor::RunOptions& options) {
    recorder_ = std::make_unique<tensor::Recorder>();
    SilentObserver observer;
    return queue_.wait(
        queue_.start({.snapshot = std::move(snapshot), .options = options, .observer = &observer}));
}

at::Tensor GraphBench::recorded(const std::string& name) const {
    return recorder_->tensors().at(name);
}

}  // namespace lowtide::testing
