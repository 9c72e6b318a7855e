#pragma once

#include "plugin/memory/engine.hpp"
#include "plugin/memory/plan.hpp"

#include <map>
#include <string>

namespace lowtide::executor {

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
