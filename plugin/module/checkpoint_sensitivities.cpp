#include "plugin/module/checkpoint_sensitivities.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/module/answer.hpp"
#include "plugin/module/runner.hpp"
#include "plugin/sampling/step_caches/gates/mag_calibration.hpp"

#include <cmath>
#include <limits>

namespace lowtide::module {

namespace {

Json toJson(const executor::MeasuredSensitivity& measured) {
    return {{"setting", measured.setting},
            {"types", measured.types},
            {"pass", measured.pass},
            {"error", measured.error},
            {"worst", measured.worst},
            {"class", executor::verdictOn(measured.error)},
            {"measured_on", measured.measuredOn}};
}

std::string textIn(const JsonReader& reader, const char* key) {
    const auto value = reader.text(key);
    if (!value || value->empty()) {
        throw Error(ErrorKind::InvalidInput,
                    "a sensitivity without \"" + std::string(key) + "\" cannot be kept");
    }
    return *value;
}

}  // namespace

Status CheckpointSensitivities::identify(std::string_view graph,
                                         std::string_view options,
                                         std::string_view node,
                                         std::string& result) noexcept {
    return answer(result, [&] {
        const NodeWork work = runner_.workOf(graph, options, node);
        result =
            Json{{"weights", work.weights}, {"pass", work.key}, {"issues", Json::array()}}.dump();
        return Status::Ok;
    });
}

Status CheckpointSensitivities::find(std::string_view weights, std::string& result) noexcept {
    return answer(result, [&] {
        Json known = Json::array();
        for (const executor::MeasuredSensitivity& measured : store_.find(std::string(weights))) {
            known.push_back(toJson(measured));
        }
        result = Json{{"sensitive_from", executor::kSensitiveFrom},
                      {"sensitivities", std::move(known)},
                      {"issues", Json::array()}}
                     .dump();
        return Status::Ok;
    });
}

Status CheckpointSensitivities::keep(std::string_view measured, std::string& result) noexcept {
    return answer(result, [&] {
        const Json json = parseJson(measured, "sensitivity");
        const JsonReader reader(json, "sensitivity");
        const auto error = [&](const char* key) {
            return reader.number(key).value_or(std::numeric_limits<double>::infinity());
        };
        store_.store({.weights = textIn(reader, "weights"),
                      .setting = textIn(reader, "setting"),
                      .types = textIn(reader, "types"),
                      .pass = textIn(reader, "pass"),
                      .error = error("error"),
                      .worst = error("worst"),
                      .measuredOn = today()});
        result = R"({"issues": []})";
        return Status::Ok;
    });
}

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
