#pragma once
// One run of a snapshot, from runStarted to runFinished, and the file of its time line.

#include "plugin/base/stop_token.hpp"
#include "plugin/executor/events.hpp"
#include "plugin/executor/kept_values.hpp"
#include "plugin/executor/memory_relief.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/executor/plan_memory.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/executor/run_options.hpp"
#include "plugin/graph/snapshot.hpp"

namespace lowtide::executor {

/// What all runs of a module use; used by one run at a time.
struct RunServices {
    const NodeTypes& types;
    memory::Engine& engine;
    ResultCache& cache;
    DiskCache& disk;
    CollectionHistory& collections;
    WorkPaces& paces;
    DryRunCache& dryRuns;
};

/// One run of a snapshot, from runStarted to runFinished: specs, devices, then each repetition.
/// Never throws: the report's status and issues describe how it went. A run that is refused before
/// its first node (invalid input, a file that is not there, a plan that does not fit) is Invalid;
/// after that it is Failed. Run thread only.
[[nodiscard]] RunReport evaluate(RunId run,
                                 const graph::Snapshot& snapshot,
                                 const RunOptions& options,
                                 const StopToken& stop,
                                 RunHooks& hooks,
                                 EventSink& events,
                                 const RunServices& services);

}  // namespace lowtide::executor
