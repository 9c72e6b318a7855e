#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/memory/card.hpp"
#include "plugin/memory/collection.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/engine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::executor {

/// How one run is to be done, in addition to what the graph states.
struct RunOptions {
    std::string outputFolder;
    std::string graphFolder;
    std::string timelineFile;  ///< for every event of the time line; empty: none is written
    std::optional<memory::DeviceSpec> device;  ///< before the graph's own; neither: the cpu
    memory::MemoryBudget memoryBudget{};       ///< for each device before the graph's own
    /// For plans alone: the device is this GPU, as "cuda:0" of a machine that has it.
    std::optional<memory::Card> card;
    std::string numerics;         ///< what changes numbers besides the device: build, threads
    bool forceExecution = false;  ///< kept results are not looked up
    int repeat = 1;               ///< more than one forces execution
    std::optional<int> collectionThreshold;      ///< percent, before the graph's own
    std::optional<memory::LowMemory> lowMemory;  ///< before the graph's own
    bool previews = false;                       ///< the host wants to see what stages are making
    Issues warnings{};  ///< of the graph and the request: they begin the report
    /// The graph as other programs read it, for the files that nodes write.
    std::vector<image::ImageText> foreignTexts{};
};

/// What else happens around a run, for a recorder: called on the run thread. What a hook throws
/// fails the run.
class RunHooks {
public:
    virtual ~RunHooks() = default;

    virtual void beforeRun(int /*repetition*/) {}

    virtual void beforeNode(std::string_view /*node*/) {}

    virtual void afterNode(std::string_view /*node*/, double /*milliseconds*/) {}

    /// Once per beforeRun, after the devices were given back.
    virtual void afterRun(memory::Outcome /*outcome*/) {}

    /// Once, when the run is over: may add to its report. Of a run that was cancelled while it was
    /// queued, on the cancelling thread.
    virtual void addToReport(Json& /*report*/) {}
};

}  // namespace lowtide::executor
