#pragma once
// What a node sees and may do while it runs: its view of the run, and the controls of control
// nodes.

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/executor/events.hpp"
#include "plugin/executor/memory_relief.hpp"
#include "plugin/executor/node.hpp"
#include "plugin/executor/run_options.hpp"
#include "plugin/executor/wires.hpp"
#include "plugin/graph/snapshot.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::executor {

/// What one control node does to memory, listed in the run's report.
class RunControls final : public Controls {
public:
    /// `device` is the node's; entries are appended to `report`. Everything must outlive this.
    RunControls(memory::Engine& engine,
                Collections& collections,
                const graph::SnapshotNode& node,
                memory::DeviceSpec device,
                Json& report);

    void offload(std::span<const std::string> components, bool dropHost) override;
    void collect(std::optional<int> threshold, bool isForced) override;

private:
    [[nodiscard]] Json held();

    memory::Engine& engine_;
    Collections& collections_;
    const graph::SnapshotNode& node_;
    memory::DeviceSpec device_;
    Json& report_;
};

/// A node's view of the run while it executes; collects what the node gives.
class NodeContext final : public Context {
public:
    /// Everything must outlive the context.
    NodeContext(const graph::Snapshot& snapshot,
                const graph::SnapshotNode& node,
                const Wires& wires,
                const RunOptions& options,
                const StopToken& stop,
                EventSink& events,
                Controls& controls,
                const std::string& precisionText);

    const Scalar& value(std::string_view id) const override;

    const memory::PrecisionChoice& precision() const override { return node_.precision; }

    std::string_view nodeId() const override { return node_.id; }

    memory::WireRef input(std::string_view port) const override;
    void output(std::string_view port, memory::WireRef value) override;

    const StopToken& stop() const override { return stop_; }

    void progress(std::string_view phase, double done, double total) override;
    void preview(const Image8& image) override;

    bool wantsPreviews() const override { return options_.previews; }

    void previewStep(const Image8& image, const PreviewStep& step) override;
    void issue(Issue issue) override;

    void notify(std::string_view name, Json reported) override {
        facts[name] = std::move(reported);
    }

    void wroteFile(std::string_view path) override { files.emplace_back(path); }

    std::string_view outputFolder() const override { return options_.outputFolder; }

    std::string_view graphFolder() const override { return options_.graphFolder; }

    const std::string& graphText() const override { return snapshot_.graphText; }

    const std::vector<image::ImageText>& foreignTexts() const override {
        return options_.foreignTexts;
    }

    const std::string& precisionText() const override { return precisionText_; }

    Controls& controls() override { return controls_; }

    /// Error{Internal} when a declared output was not given.
    void requireOutputs() const;

    Wires::Outputs outputs;
    std::vector<std::string> files;
    Issues issues;
    Json facts = Json::object();

private:
    using Clock = std::chrono::steady_clock;

    const graph::Snapshot& snapshot_;
    const graph::SnapshotNode& node_;
    const Wires& wires_;
    const RunOptions& options_;
    const StopToken& stop_;
    EventSink& events_;
    Controls& controls_;
    const std::string& precisionText_;
    std::string phase_;
    Clock::time_point phaseBegan_;
    Clock::time_point lastSent_;
};

}  // namespace lowtide::executor
