#pragma once
// What plans remember of earlier ones in this process: dry runs, and how far off predicted
// times were.

#include "plugin/base/units.hpp"
#include "plugin/executor/graph_spec.hpp"
#include "plugin/memory/engine.hpp"
#include "plugin/memory/plan.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::executor {

/// What dry runs found, so that a plan takes only those that would find something new:
/// of all runs, repetitions and plans of this process. Holds no tree and no file: a dry run is
/// known by ids. Beyond kMostBytes those that were asked for longest ago are forgotten. Run thread
/// only.
class DryRunCache {
public:
    static constexpr Bytes kMostBytes = 16 * kMiB;

    /// What is known by `key`, over the trees of `components`, else what `dryRun` finds now.
    [[nodiscard]] memory::StageWork workOf(
        const std::string& key,
        const std::vector<std::shared_ptr<const memory::ComponentTree>>& components,
        const std::function<memory::StageWork()>& dryRun);

    /// How many it has taken.
    [[nodiscard]] int64_t dryRuns() const { return dryRuns_; }

    /// That it takes, about.
    [[nodiscard]] Bytes bytes() const { return bytes_; }

private:
    struct Known {
        memory::StageWork work;          ///< without trees
        std::vector<std::string> trees;  ///< of its components, their ids
        Bytes bytes = 0;
        int64_t asked = 0;  ///< number of the question
    };

    void remember(const std::string& key, const memory::StageWork& work);
    void forgetOldest();

    std::map<std::string, Known> known_;
    Bytes bytes_ = 0;
    int64_t questions_ = 0;
    int64_t dryRuns_ = 0;
};

/// All that the dry run of a node depends on, as 64 hexadecimal digits: its type and settings but
/// for seeds, its networks and how they compute, the device, and of its inputs shapes and what a
/// stage can learn of them (WireValue::specKey); of those that do not state that, what made them.
/// `position`: of the node in the snapshot.
[[nodiscard]] std::string dryRunKey(
    const graph::Snapshot& snapshot,
    const GraphSpec& graphSpec,
    size_t position,
    const std::vector<std::shared_ptr<const memory::ComponentTree>>& components,
    const memory::StageDevices& devices);

/// How long networks compute on a device, over what was predicted: learned from the runs of this
/// process, so that the times of plans come near to how long a user waits. A rehearsal is not
/// learned from: it states the times of another machine. Run thread only.
class WorkPaces {
public:
    static constexpr size_t kMostKept = 256;

    /// Gives the nodes of `request` the paces of the same networks on the same devices.
    void apply(memory::PlanRequest& request) const;
    /// After a run that finished: what its stages took, and what `plan`, of `request`, predicted.
    void learn(const memory::PlanRequest& request,
               const memory::Plan& plan,
               const memory::Traffic& traffic);

private:
    struct Pace {
        double ratio = 1;
        int64_t learned = 0;  ///< number of the lesson
    };

    void put(const std::string& key, double ratio);

    std::map<std::string, Pace> paces_;  ///< by device and networks
    int64_t lessons_ = 0;
};

}  // namespace lowtide::executor
