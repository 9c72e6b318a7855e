#include "plugin/sampling/step_caches/gates/mag_calibration.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <cmath>
#include <span>
#include <string>

namespace lowtide::sampling {

namespace {

[[noreturn]] void refuseCalibration(const std::string& problem, const std::string& hint) {
    throw Error(ErrorKind::InvalidInput, "a MagCache curve cannot be made: " + problem, hint);
}

void checkRuns(std::span<const MagRatios> runs, size_t steps) {
    for (const MagRatios& run : runs) {
        if (run.size() != steps) {
            refuseCalibration("a pass has " + std::to_string(run.size()) +
                                  " steps, the first one " + std::to_string(steps),
                              "record all passes with the same steps");
        }
        for (size_t step = 0; step < steps; ++step) {
            if (!isMagRatio(run[step])) {
                refuseCalibration(
                    "the ratio of step " + std::to_string(step) + " is " + formatNumber(run[step]),
                    "look at the checkpoint and its precision: its blocks give no numbers");
            }
        }
    }
}

MagRatios meanOf(std::span<const MagRatios> runs) {
    MagRatios mean(runs.front().size(), 0);
    for (const MagRatios& run : runs) {
        for (size_t step = 0; step < run.size(); ++step) {
            mean[step] += run[step];
        }
    }
    for (double& ratio : mean) {
        ratio /= static_cast<double>(runs.size());
    }
    return mean;
}

MagCheck checkOf(const MagRatios& curve, std::span<const MagRatios> heldOut) {
    MagCheck check{.runs = static_cast<int>(heldOut.size())};
    for (const MagRatios& run : heldOut) {
        for (size_t step = 0; step < run.size(); ++step) {
            const double deviation = std::abs(run[step] / curve[step] - 1);
            check.meanDeviation += deviation;
            if (deviation > check.worstDeviation) {
                check.worstDeviation = deviation;
                check.worstStep = static_cast<int>(step);
            }
        }
    }
    check.meanDeviation /= static_cast<double>(heldOut.size() * curve.size());
    return check;
}

}  // namespace

MagCurve calibratedCurve(const MagRecord& record) {
    if (record.runs.empty() || record.runs.front().empty()) {
        refuseCalibration("no pass was recorded", "give one seed or more");
    }
    if (record.heldOut.empty()) {
        refuseCalibration("no pass is left to check it with", "hold out one seed or more");
    }
    const size_t steps = record.runs.front().size();
    checkRuns(record.runs, steps);
    checkRuns(record.heldOut, steps);
    MagCurve curve{.checkpoint = record.checkpoint,
                   .scheduler = record.scheduler,
                   .ratios = meanOf(record.runs),
                   .check = {}};
    curve.check = checkOf(curve.ratios, record.heldOut);
    return curve;
}

void requireHolds(const MagCurve& curve, double tolerance) {
    const MagCheck& check = curve.check;
    if (check.worstDeviation <= tolerance) {
        return;
    }
    throw Error(ErrorKind::InvalidInput,
                "the curve misses held-out seeds by " + formatNumber(check.worstDeviation) +
                    " at step " + std::to_string(check.worstStep) + ", more than " +
                    formatNumber(tolerance),
                "record more seeds, or use the first-block gate, which needs no curve",
                "curve");
}

}  // namespace lowtide::sampling
