#pragma once
// The runner of this module: JSON in and out over the executor's queue, and what a call asks for.

#include "plugin/base/issue.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/executor/run_options.hpp"
#include "plugin/executor/run_queue.hpp"
#include "plugin/files/file_digests.hpp"
#include "plugin/graph/overrides.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/host_api/runner.hpp"
#include "plugin/interop/class_table.hpp"
#include "plugin/memory/engine.hpp"
#include "plugin/module/cuda_facts.hpp"
#include "plugin/module/run_recording.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::module {

/// A graph text and options of a Runner call, read and checked.
struct RequestedGraph {
    graph::Document document;
    Issues issues;  ///< of validation
    executor::RunOptions options;
    std::string dump;
    std::string teacher;
};

/// Options: graphFolder, out, device, as (one of `cards`, or what else a card is written as), set,
/// policies, precisions, exact (lossy choices are refused), until (nodes with which the run ends),
/// repeat, timeline (file), dump, teacher (a dump that denoisers go along), forceExecution,
/// gcThreshold (percent), lowMemory (auto, on, off), previews. Error{InvalidInput} or
/// Error{Corrupt} names what is wrong; findings of validation are in `issues`.
[[nodiscard]] RequestedGraph readRequest(std::string_view graph,
                                         std::string_view options,
                                         const graph::Catalog& catalog,
                                         const std::string& numerics,
                                         std::span<const memory::Card> cards);

/// What a node of a graph runs.
struct NodeWork {
    std::string weights;  ///< files::FileDigests::of its networks' files
    std::string key;      ///< of its result
};

/// The runner of this module: JSON in and out over the executor's queue. Nothing throws across.
class ModuleRunner final : public Runner {
public:
    /// `types`, `engine` and `slot` must outlive the runner. `keepFolder`: for results that nodes
    /// keep on disk; empty: none can be. `cudnnApi` and `cuda`: what reports state about them.
    /// `cards`: that plans may be for. `classes`: those of ComfyUI.
    ModuleRunner(const executor::NodeTypes& types,
                 memory::Engine& engine,
                 RecorderSlot& slot,
                 int threads,
                 std::string keepFolder,
                 std::string cudnnApi,
                 CudaFacts cuda,
                 std::vector<memory::Card> cards,
                 interop::ClassTable classes,
                 std::shared_ptr<files::FileDigests> digests);

    Status check(std::string_view graph,
                 std::string_view options,
                 std::string& result) noexcept override;
    Status plan(std::string_view graph,
                std::string_view options,
                std::string& result) noexcept override;
    Status start(std::string_view graph,
                 std::string_view options,
                 Observer& observer,
                 RunId& run,
                 std::string& result) noexcept override;
    Status cancel(RunId run, CancelMode mode) noexcept override;
    Status wait(RunId run, std::string& result) noexcept override;
    Status memory(std::string& result) noexcept override;
    Status release(std::string_view component) noexcept override;
    Status devices(std::string& result) noexcept override;
    Status stop() noexcept override;

    /// Of a node that runs networks; reads their files whole. Ends as check() and plan() do.
    /// Error{InvalidInput} when the graph cannot be run or the node runs none.
    [[nodiscard]] NodeWork workOf(std::string_view graph,
                                  std::string_view options,
                                  std::string_view node);

    /// As executor::RunQueue::tryCall.
    bool callWhenIdle(const std::function<void()>& action) { return queue_.tryCall(action); }

    /// Of what stop() alone ends.
    [[nodiscard]] StopToken stopToken() const { return stopped_.token(); }

    /// What besides graph and files decides about bits.
    [[nodiscard]] const std::string& numerics() const { return numerics_; }

    /// Those that plans may be for.
    [[nodiscard]] const std::vector<memory::Card>& knownCards() const { return cards_; }

    /// Those of ComfyUI, and what stands for them here.
    [[nodiscard]] const interop::ClassTable& classes() const { return classes_; }

private:
    /// Of a check, a plan or a workOf() that begins now; what ends it is cancel() of run 0, or
    /// stop().
    [[nodiscard]] StopToken newCall();
    void cancelCalls();
    [[nodiscard]] RequestedGraph requestOf(std::string_view graph, std::string_view options) const;
    /// The graph as it will run, with the cards on which its nodes compute.
    [[nodiscard]] std::shared_ptr<const graph::Snapshot> snapshotOf(
        const RequestedGraph& request) const;
    /// What files carry of the graph for other programs.
    [[nodiscard]] std::vector<image::ImageText> foreignTextsOf(const graph::Snapshot& snapshot,
                                                               const RequestedGraph& request) const;

    const executor::NodeTypes& types_;
    memory::Engine& engine_;
    RecorderSlot& slot_;
    std::string numerics_;
    std::string cudnnApi_;
    CudaFacts cuda_;
    std::vector<memory::Card> cards_;
    interop::ClassTable classes_;
    std::shared_ptr<files::FileDigests> digests_;
    executor::RunQueue queue_;
    std::mutex callsMutex_;
    StopSource calls_;  ///< checks and plans that go on
    StopSource stopped_;
};

}  // namespace lowtide::module
