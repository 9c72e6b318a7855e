#include "plugin/sampling/schedule_range.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/sampler.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <string>

namespace lowtide::sampling {

namespace {

/// Of `total` parts, those that lie behind a fraction; halves are rounded to the even number, as
/// Python does.
int64_t partsBehind(double fraction, int64_t total) {
    const auto parts = static_cast<double>(total);
    return std::llrint(std::nearbyint(parts - fraction * parts));
}

/// Calls from `first` on whose timesteps are `cutoff` or above.
int callsAbove(const Sampler& sampler, int64_t cutoff, int first) {
    int above = 0;
    for (int call = first; call < sampler.callCount(); ++call) {
        const double timestep = timestepIn(sampler.schedule().timesteps.select(0, call));
        above += timestep >= static_cast<double>(cutoff) ? 1 : 0;
    }
    return above;
}

/// The first call of the steps behind a fraction of them all.
int callAfterSteps(const Sampler& sampler, double fraction) {
    constexpr int64_t kParts = 1000;
    const int64_t behind = partsBehind(fraction, kParts) * sampler.stepCount() / kParts;
    return sampler.firstCall(sampler.stepCount() - static_cast<int>(behind));
}

int startCall(const Sampler& sampler, double startAt) {
    const auto trainSteps = sampler.schedule().trainSteps;
    return trainSteps ? sampler.beginOf(callsAbove(sampler, partsBehind(startAt, *trainSteps), 0))
                      : callAfterSteps(sampler, startAt);
}

int endCall(const Sampler& sampler, double endAt, int first) {
    const auto trainSteps = sampler.schedule().trainSteps;
    return trainSteps ? first + callsAbove(sampler, partsBehind(endAt, *trainSteps), first)
                      : callAfterSteps(sampler, endAt);
}

[[noreturn]] void refuseRange(const Sampler& sampler, const ScheduleRange& part) {
    const bool isStart = part.startAt > 0;
    const bool isEnd = part.endAt < 1;
    const std::string start = formatNumber(part.startAt);
    const std::string end = formatNumber(part.endAt);
    const int steps = sampler.stepCount();
    throw Error(ErrorKind::InvalidInput,
                isStart && isEnd
                    ? message("start_at {} and end_at {} leave no step of {}", start, end, steps)
                : isStart ? message("start_at {} leaves no step of {}", start, steps)
                          : message("end_at {} leaves no step of {}", end, steps),
                message("choose fractions that lie further apart, from 0 to 1, or more steps"),
                isStart ? "start_at" : "end_at");
}

[[noreturn]] void refuseSteps(int steps, const ScheduleRange& part, bool toTheEnd) {
    throw Error(ErrorKind::InvalidInput,
                message("there is no step from {} to {} in a schedule of {}",
                        part.startStep,
                        toTheEnd ? steps : part.endStep,
                        steps),
                message("choose start_step from 0 to {} and end_step above it, or -1", steps - 1),
                "start_step");
}

CallRange callsBySteps(const Sampler& sampler, const ScheduleRange& part) {
    const int steps = sampler.stepCount();
    const bool toTheEnd = part.endStep < 0 || part.endStep >= steps;
    const int early =
        part.keepNoise ? sampler.firstCall(part.endStep) : sampler.cleanEnd(part.endStep);
    const CallRange calls{.first = part.startStep < 0 ? -1 : sampler.firstCall(part.startStep),
                          .last = toTheEnd ? sampler.callCount() : early};
    if (calls.first < 0 || calls.first >= calls.last) {
        refuseSteps(steps, part, toTheEnd);
    }
    return calls;
}

}  // namespace

CallRange callsOf(const Sampler& sampler, const ScheduleRange& part) {
    CallRange calls = callsBySteps(sampler, part);
    if (part.startAt > 0) {
        calls.first = startCall(sampler, part.startAt);
    }
    if (part.endAt < 1) {
        calls.last = endCall(sampler, part.endAt, calls.first);
    }
    if (calls.first >= calls.last) {
        refuseRange(sampler, part);
    }
    return calls;
}

at::Tensor blended(const at::Tensor& mask, const at::Tensor& made, const at::Tensor& kept) {
    return (1 - mask) * kept + mask * made;
}

at::Tensor inpaintingChannels(const at::Tensor& mask, const at::Tensor& masked, int64_t batch) {
    const auto forBatch = [&](const at::Tensor& part) {
        return part.expand({batch, part.size(1), part.size(2), part.size(3)});
    };
    return at::cat({forBatch(mask), forBatch(masked)}, 1);
}

}  // namespace lowtide::sampling
