#include "plugin/models/calibration/timed_passes.hpp"

#include "plugin/base/error.hpp"
#include "plugin/residency/residency.hpp"

#include <algorithm>
#include <chrono>

namespace lowtide::models {

namespace {

std::shared_ptr<const memory::Plan> planOf(residency::Residency& residency, const SoloRun& solo) {
    const memory::PlanRequest request{
        .nodes = {{.node = "calibration",
                   .policy = memory::parsePolicy(solo.policy),
                   .components = {solo.tree}}},
        .device = solo.device,
        .devices = {{.spec = solo.device,
                     .traits = residency.traits(solo.device),
                     .profile = memory::estimatedProfile(solo.device.kind),
                     .held = residency.ledger().bytesOn(solo.device.id())}}};
    auto decided = memory::makePlan(request);
    if (const auto* infeasible = std::get_if<memory::Infeasible>(&decided)) {
        throw Error(ErrorKind::OutOfMemory,
                    solo.device.id() + " cannot be measured: " + infeasible->reason,
                    "release kept components, or use a larger device");
    }
    return std::make_shared<const memory::Plan>(std::get<memory::Plan>(std::move(decided)));
}

/// The one node of a run, entered; whatever happens it is left, the run ends, and nothing stays
/// pinned.
class Entered {
public:
    Entered(residency::Residency& residency, const SoloRun& solo)
        : residency_(residency),
          own_{.tree = solo.tree->id, .device = solo.device.id(), .bytes = 0} {
        auto plan = planOf(residency, solo);
        residency_.ledger().beginRun();
        residency_.begin(std::move(plan), StopToken());
    }

    ~Entered() {
        residency_.leave(0);
        residency_.end(memory::Outcome::Finished);
        residency_.unpin(own_);
    }

    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

    void enter() { residency_.enter(0); }

private:
    residency::Residency& residency_;
    memory::PinnedComponent own_;
};

}  // namespace

Seconds secondsOfPass(residency::Residency& residency,
                      const SoloRun& solo,
                      int repeats,
                      const std::function<void()>& pass) {
    Entered run(residency, solo);
    run.enter();
    const auto finishedPass = [&] {
        pass();
        residency.finishCompute(solo.device);
    };
    finishedPass();
    std::vector<Seconds> seconds;
    for (int i = 0; i < repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        finishedPass();
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 4];
}

}  // namespace lowtide::models
