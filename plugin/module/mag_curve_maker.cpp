#include "plugin/module/mag_curve_maker.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/module/answer.hpp"
#include "plugin/sampling/step_caches/gates/mag_calibration.hpp"

#include <cmath>

namespace lowtide::module {

namespace {

constexpr const char* kWhat = "records";

[[noreturn]] void refuse(const std::string& problem, const std::string& hint) {
    throw Error(ErrorKind::InvalidInput, std::string(kWhat) + ": " + problem, hint);
}

/// Takes the record of one run; all must be of one checkpoint and scheduler.
sampling::MagRatios takeRun(const Json& json, sampling::MagRecord& record) {
    const JsonReader run(json, kWhat);
    const std::string checkpoint = run.text("checkpoint").value_or("");
    const std::string scheduler = run.text("scheduler").value_or("");
    if (record.checkpoint.empty()) {
        record.checkpoint = checkpoint;
        record.scheduler = scheduler;
    }
    if (checkpoint != record.checkpoint || scheduler != record.scheduler) {
        refuse("the runs are of different checkpoints or schedulers",
               "leave checkpoint and sampler as they are between the runs");
    }
    return run.numbers("ratios").value_or(sampling::MagRatios());
}

std::vector<sampling::MagRatios> takeRuns(const JsonReader& reader,
                                          const char* key,
                                          sampling::MagRecord& record) {
    const Json* list = reader.member(key);
    if (!list || !list->is_array()) {
        refuse(std::string("\"") + key + "\" is no list", "give the records of runs");
    }
    std::vector<sampling::MagRatios> runs;
    for (const Json& each : *list) {
        runs.push_back(takeRun(each, record));
    }
    return runs;
}

sampling::MagCurve curveOf(const Json& records) {
    const JsonReader reader(records, kWhat);
    const double tolerance = reader.number("tolerance").value_or(-1);
    if (!std::isfinite(tolerance) || tolerance < 0) {
        refuse("the tolerance is " + formatNumber(tolerance), "give a number from 0 on");
    }
    sampling::MagRecord record;
    record.runs = takeRuns(reader, "runs", record);
    record.heldOut = takeRuns(reader, "held_out", record);
    sampling::MagCurve curve = sampling::calibratedCurve(record);
    sampling::requireHolds(curve, tolerance);
    return curve;
}

}  // namespace

Status MagCurveMaker::makeCurve(std::string_view records, std::string& result) noexcept {
    return answer(result, [&] {
        const Json curve = sampling::toJson(curveOf(parseJson(records, kWhat)));
        (void)sampling::parseMagCurve(curve.dump(), kWhat);  // what is written can be read
        result = Json{{"issues", Json::array()}, {"curve", curve}}.dump();
        return Status::Ok;
    });
}

}  // namespace lowtide::module
