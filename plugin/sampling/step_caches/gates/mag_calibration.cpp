#include "plugin/sampling/step_caches/gates/mag_calibration.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <cmath>
#include <span>
#include <string>

namespace lowtide::sampling {

namespace {

[[noreturn]] void refuseCalibration(const Message& problem, const Message& hint) {
    throw Error(
        ErrorKind::InvalidInput, message("a MagCache curve cannot be made: {}", problem), hint);
}

void checkRuns(std::span<const MagRatios> runs, size_t steps) {
    for (const MagRatios& run : runs) {
        if (run.size() != steps) {
            refuseCalibration(message("a pass has {} steps, the first one {}", run.size(), steps),
                              message("record all passes with the same steps"));
        }
        for (size_t step = 0; step < steps; ++step) {
            if (!isMagRatio(run[step])) {
                refuseCalibration(
                    message("the ratio of step {} is {}", step, formatNumber(run[step])),
                    message(
                        "look at the checkpoint and its precision: its blocks give no numbers"));
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
        refuseCalibration(message("no pass was recorded"), message("give one seed or more"));
    }
    if (record.heldOut.empty()) {
        refuseCalibration(message("no pass is left to check it with"),
                          message("hold out one seed or more"));
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
                message("the curve misses held-out seeds by {} at step {}, more than {}",
                        formatNumber(check.worstDeviation),
                        check.worstStep,
                        formatNumber(tolerance)),
                message("record more seeds, or use the first-block gate, which needs no curve"),
                "curve");
}

}  // namespace lowtide::sampling
