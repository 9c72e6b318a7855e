#include "plugin/sampling/step_caches/deepcache/deepcache_schedule.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/step_caches/gates/mask_gate.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <set>

namespace lowtide::sampling {

namespace {

constexpr double kPowerStep = 0.02;

/// One try: the calls that this power gives. Before the centre the roots are complex; numpy takes
/// the principal ones and drops the imaginary part at the end.
std::vector<int> callsOfPower(int total, int count, int centre, double power) {
    using Complex = std::complex<double>;
    const Complex from = std::pow(Complex(-centre, 0), 1 / power);
    const Complex to = std::pow(Complex(total - centre, 0), 1 / power);
    const Complex stride = (to - from) / static_cast<double>(count);
    std::set<int> offsets;
    for (int i = 0; i <= count; ++i) {
        const Complex point = i == count ? to : from + stride * static_cast<double>(i);
        offsets.insert(static_cast<int>(std::pow(point, power).real()));
    }
    std::vector<int> calls = {0};
    for (auto offset = offsets.begin(); offset != offsets.end(); ++offset) {
        const bool isInner = offset != offsets.begin() && std::next(offset) != offsets.end();
        if (isInner) {
            calls.push_back(*offset + centre);
        }
    }
    return calls;
}

std::vector<bool> uniformCalls(int interval, int count) {
    std::vector<bool> isFull(static_cast<size_t>(count), false);
    for (int call = 0; call < count; call += interval) {
        isFull[static_cast<size_t>(call)] = true;
    }
    return isFull;
}

std::vector<bool> powerCentreFlags(const DeepCacheSettings& settings, int count) {
    const int full = (count + settings.interval - 1) / settings.interval;
    std::vector<bool> isFull(static_cast<size_t>(count), settings.interval == 1);
    if (settings.interval == 1) {
        return isFull;
    }
    for (const int call : powerCentreCalls(count, full, settings.centre, settings.power)) {
        if (call >= 0 && call < count) {
            isFull[static_cast<size_t>(call)] = true;
        }
    }
    return isFull;
}

std::vector<bool> spreadCalls(const DeepCacheSettings& settings, int count) {
    switch (settings.spread) {
        case FullCalls::PowerCentre:
            return powerCentreFlags(settings, count);
        case FullCalls::Mask:
            checkStepMask(settings.mask, count);
            return settings.mask;
        case FullCalls::Uniform:
            break;
    }
    return uniformCalls(settings.interval, count);
}

}  // namespace

std::vector<int> powerCentreCalls(int total, int count, int centre, double power) {
    for (double tried = power; tried > 1; tried -= kPowerStep) {
        std::vector<int> calls = callsOfPower(total, count, centre, tried);
        if (calls.size() == static_cast<size_t>(count)) {
            return calls;
        }
    }
    throw Error(ErrorKind::InvalidInput,
                "no power up to " + formatNumber(power) + " gives " + std::to_string(count) +
                    " of " + std::to_string(total) + " calls around " + std::to_string(centre),
                "choose another interval, a centre nearer to the first call, or the uniform "
                "spread",
                "power");
}

std::vector<bool> fullCalls(const DeepCacheSettings& settings, const CachedRun& run) {
    const int count = run.callCount();
    const bool hasStages =
        std::any_of(run.stages.begin(), run.stages.end(), [](int stage) { return stage > 0; });
    std::vector<bool> isFull = spreadCalls(settings, count);
    for (int call = 0; call < count; ++call) {
        const double share = static_cast<double>(run.firstCall + call) / run.scheduleCalls;
        const bool isOutside = share < settings.start || share >= settings.end;
        const bool isFirstStage =
            settings.isFirstStageFull && hasStages && run.stages[static_cast<size_t>(call)] == 0;
        if (isOutside || isFirstStage || call >= count - settings.keepLast) {
            isFull[static_cast<size_t>(call)] = true;
        }
    }
    return isFull;
}

}  // namespace lowtide::sampling
