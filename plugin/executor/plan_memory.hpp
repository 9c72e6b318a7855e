#pragma once
// What plans remember of earlier ones in this process: walks over shapes, and how far off predicted
// times were.

#include "plugin/base/units.hpp"
#include "plugin/executor/outline_pass.hpp"
#include "plugin/memory/engine.hpp"
#include "plugin/memory/plan.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::executor {

/// What the walks over shapes found, so that a plan takes only those that would find something new:
/// of all runs, repetitions and plans of this process. Holds no tree and no file: a walk is known
/// by ids. Beyond kMostBytes those that were asked for longest ago are forgotten. Run thread only.
class WalkMemory {
public:
    static constexpr Bytes kMostBytes = 16 * kMiB;

    /// What is known by `key`, over the trees of `components`, else what `walk` finds now.
    [[nodiscard]] memory::StageWork workOf(
        const std::string& key,
        const std::vector<std::shared_ptr<const memory::ComponentTree>>& components,
        const std::function<memory::StageWork()>& walk);

    /// How many it has taken.
    [[nodiscard]] int64_t walks() const { return walks_; }

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
    int64_t walks_ = 0;
};

/// All that the walk of a node depends on, as 64 hexadecimal digits: its type and settings but for
/// seeds, its networks and how they compute, the place, and of its inputs shapes and what a stage
/// can learn of them (WireValue::outlineKey); of those that do not say that, what made them.
/// `position`: of the node in the snapshot.
[[nodiscard]] std::string walkKey(
    const graph::Snapshot& snapshot,
    const OutlinedGraph& outlined,
    size_t position,
    const std::vector<std::shared_ptr<const memory::ComponentTree>>& components,
    const memory::StagePlace& place);

/// How long networks compute on a device, over what was predicted: learned from the runs of this
/// process, so that the times of plans come near to what a person waits. A rehearsal is not
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
