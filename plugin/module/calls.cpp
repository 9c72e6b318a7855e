#include "plugin/module/calls.hpp"

#include "nodes/engine/stages.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/convert/storage_form.hpp"
#include "plugin/executor/sensitivity_store.hpp"
#include "plugin/interop/export.hpp"
#include "plugin/interop/import.hpp"
#include "plugin/interop/known_files.hpp"
#include "plugin/memory/engine.hpp"
#include "plugin/module/answer.hpp"
#include "plugin/module/device_calibrator.hpp"
#include "plugin/module/runner.hpp"
#include "plugin/sampling/step_caches/gates/mag_calibration.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

namespace lowtide::module {

namespace {

std::string textOrNone(const JsonReader& request, const char* key) {
    return request.text(key).value_or("");
}

/// Error{InvalidInput} names the key where there is none.
std::string requiredText(const JsonReader& request, const char* key) {
    if (std::optional<std::string> text = request.text(key)) {
        return std::move(*text);
    }
    throw Error(ErrorKind::InvalidInput,
                message("{}: there is no \"{}\"", request.what(), key),
                message("give it as a text; docs/calls.md lists the keys of each call"),
                key);
}

Json calibrate(const CallParts& parts, const JsonReader& request, Watch* /*watch*/) {
    return parts.calibrator.calibrate(
        memory::parseDeviceSpec(request.text("device").value_or("cpu")));
}

/// [{"storage", "tensors", "bytes"}].
Json fractionsJson(const std::vector<models::StoredFraction>& fractions) {
    Json all = Json::array();
    for (const models::StoredFraction& fraction : fractions) {
        all.push_back({{"storage", fraction.storage},
                       {"tensors", fraction.tensors},
                       {"bytes", fraction.bytes}});
    }
    return all;
}

Json recognise(const CallParts& parts, const JsonReader& request, Watch* /*watch*/) {
    const models::Recognised known = parts.stages.recognise(requiredText(request, "path"));
    Json json = {{"kind", known.kind},
                 {"layout", known.layout},
                 {"family", known.family},
                 {"runs", known.isRunnable()},
                 {"state", models::idOf(known.readiness)},
                 {"bytes", known.stored.bytes()},
                 {"largest_bytes", known.largest},
                 {"stored", fractionsJson(known.stored.sorted())}};
    putMessage(json, "needs", known.needs);
    putMessage(json, "problem", known.problem);
    return json;
}

Json conversionChoices(const CallParts& parts, const JsonReader& request, Watch* /*watch*/) {
    const models::ConversionChoices known = parts.stages.conversionChoices(
        requiredText(request, "checkpoint"), textOrNone(request, "graphFolder"));
    Json choices = Json::array();
    for (const models::ConversionChoice& choice : known.choices) {
        choices.push_back({{"storage", choice.storage},
                           {"ending", choice.ending},
                           {"contents", choice.contents},
                           {"bytes", choice.bytes},
                           {"source_bytes", choice.sourceBytes}});
    }
    return {{"path", known.path}, {"choices", choices}};
}

Json convert(const CallParts& parts, const JsonReader& request, Watch* watch) {
    const auto begin = std::chrono::steady_clock::now();
    const models::Conversion conversion = parts.stages.convert(
        {.checkpoint = requiredText(request, "checkpoint"),
         .storage = requiredText(request, "storage"),
         .out = requiredText(request, "out"),
         .graphFolder = textOrNone(request, "graphFolder")},
        [&](Bytes done, Bytes total) { return !watch || watch->goesOn(done, total); });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return {{"contents", conversion.contents},
            {"before", fractionsJson(conversion.before)},
            {"after", fractionsJson(conversion.after)},
            {"rounded_tensors", conversion.rounded},
            {"worst_error", conversion.worstError},
            {"worst_tensor", conversion.worstTensor},
            {"mean_error", conversion.meanError},
            {"seconds", taken.count()}};
}

std::vector<std::filesystem::path> importFolders(
    const std::optional<std::vector<std::string>>& names) {
    return names ? std::vector<std::filesystem::path>(names->begin(), names->end())
                 : std::vector<std::filesystem::path>();
}

Json importGraph(const CallParts& parts, const JsonReader& request, Watch* /*watch*/) {
    interop::ImportNeeds needs{
        .catalog = parts.catalog, .table = parts.runner.classes(), .imageSize = {}, .findFile = {}};
    const auto folders = request.texts("imageFolders");
    const interop::KnownFiles files(importFolders(folders), request.texts("models"));
    if (folders) {
        needs.imageSize = [&](const std::string& name) { return files.sizeOf(name); };
        needs.findFile = [&](const std::string& name, bool isModel) {
            return files.find(name, isModel);
        };
    }
    const interop::Imported imported = interop::importText(
        requiredText(request, "text"), interop::readSamplerNames(parts.resourcesFolder), needs);
    return {{"graph", graph::toJson(imported.document)},
            {"report", interop::toJson(imported.report)}};
}

Json exportGraph(const CallParts& parts, const JsonReader& request, Watch* /*watch*/) {
    const interop::ClassTable& table = parts.runner.classes();
    const interop::Exported exported = interop::exportGraph(
        graph::parseDocument(requiredText(request, "graph")), parts.catalog, table);
    interop::requireComplete(exported);
    return {{"prompt", interop::apiPrompt(exported.prompt)},
            {"workflow", interop::editorWorkflow(exported.prompt, table)},
            {"report", interop::toJson(exported.report)}};
}

Json unload(const CallParts& parts, const JsonReader& request, Watch* /*watch*/) {
    const std::string component = requiredText(request, "component");
    if (!parts.runner.callWhenIdle(
            [&] { static_cast<void>(parts.engine.offload(component, true)); })) {
        throw Error(ErrorKind::Device,
                    message("a run is at work on the devices"),
                    message("unload again when it has finished"));
    }
    return Json::object();
}

Json identify(const CallParts& parts, const JsonReader& request, Watch* /*watch*/) {
    const NodeWork work = parts.runner.workOf(requiredText(request, "graph"),
                                              textOrNone(request, "options"),
                                              requiredText(request, "node"));
    return {{"weights", work.weights}, {"pass", work.key}};
}

Json sensitivities(const CallParts& parts, const JsonReader& request, Watch* /*watch*/) {
    Json known = Json::array();
    for (const executor::MeasuredSensitivity& measured :
         parts.sensitivities.find(requiredText(request, "weights"))) {
        known.push_back({{"setting", measured.setting},
                         {"types", measured.types},
                         {"pass", measured.pass},
                         {"error", measured.error},
                         {"worst", measured.worst},
                         {"class", executor::verdictOn(measured.error)},
                         {"measured_on", measured.measuredOn}});
    }
    return {{"sensitive_from", executor::kSensitiveFrom}, {"sensitivities", std::move(known)}};
}

Json keepSensitivity(const CallParts& parts, const JsonReader& request, Watch* /*watch*/) {
    const auto text = [&](const char* key) {
        std::string value = requiredText(request, key);
        if (value.empty()) {
            throw Error(ErrorKind::InvalidInput,
                        message("a sensitivity without \"{}\" cannot be kept", key));
        }
        return value;
    };
    const auto error = [&](const char* key) {
        return request.number(key).value_or(std::numeric_limits<double>::infinity());
    };
    parts.sensitivities.store({.weights = text("weights"),
                               .setting = text("setting"),
                               .types = text("types"),
                               .pass = text("pass"),
                               .error = error("error"),
                               .worst = error("worst"),
                               .measuredOn = today()},
                              parts.runner.stopToken());
    return Json::object();
}

constexpr const char* kWhat = "records";

[[noreturn]] void refuse(const Message& problem, const Message& hint, const std::string& key = {}) {
    throw Error(ErrorKind::InvalidInput, message("{}: {}", kWhat, problem), hint, key);
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
        refuse(message("the runs are of different checkpoints or schedulers"),
               message("leave checkpoint and sampler as they are between the runs"));
    }
    return run.numbers("ratios").value_or(sampling::MagRatios());
}

std::vector<sampling::MagRatios> takeRuns(const JsonReader& reader,
                                          const char* key,
                                          sampling::MagRecord& record) {
    const Json* list = reader.member(key);
    if (!list || !list->is_array()) {
        refuse(message("\"{}\" is no list", key), message("give the records of runs"), key);
    }
    std::vector<sampling::MagRatios> runs;
    for (const Json& each : *list) {
        runs.push_back(takeRun(each, record));
    }
    return runs;
}

Json makeCurve(const CallParts& /*parts*/, const JsonReader& request, Watch* /*watch*/) {
    const std::optional<double> tolerance = request.number("tolerance");
    if (!tolerance || !std::isfinite(*tolerance) || *tolerance < 0) {
        refuse(tolerance ? message("the tolerance is {}", formatNumber(*tolerance))
                         : message("there is no tolerance"),
               message("give a number from 0 on"),
               "tolerance");
    }
    sampling::MagRecord record;
    record.runs = takeRuns(request, "runs", record);
    record.heldOut = takeRuns(request, "held_out", record);
    const sampling::MagCurve curve = sampling::calibratedCurve(record);
    sampling::requireHolds(curve, *tolerance);
    Json json = sampling::toJson(curve);
    (void)sampling::parseMagCurve(json.dump(), kWhat);  // what is written can be read
    return {{"curve", std::move(json)}};
}

/// A call: the keys that its request may have, and what makes its result.
struct CallRow {
    std::string_view name;
    std::vector<std::string_view> keys;
    Json (*make)(const CallParts& parts, const JsonReader& request, Watch* watch);
};

const std::vector<CallRow>& callRows() {
    static const std::vector<CallRow> rows = {
        {"calibrate", {"device"}, &calibrate},
        {"conversionChoices", {"checkpoint", "graphFolder"}, &conversionChoices},
        {"convert", {"checkpoint", "storage", "out", "graphFolder"}, &convert},
        {"exportGraph", {"graph"}, &exportGraph},
        {"identify", {"graph", "options", "node"}, &identify},
        {"importGraph", {"text", "imageFolders", "models"}, &importGraph},
        {"keepSensitivity",
         {"weights", "setting", "types", "pass", "error", "worst"},
         &keepSensitivity},
        {"makeCurve", {"runs", "held_out", "tolerance"}, &makeCurve},
        {"recognise", {"path"}, &recognise},
        {"sensitivities", {"weights"}, &sensitivities},
        {"unload", {"component"}, &unload}};
    return rows;
}

}  // namespace

std::vector<std::string_view> callNames() {
    std::vector<std::string_view> names;
    for (const CallRow& row : callRows()) {
        names.push_back(row.name);
    }
    return names;
}

std::string answerCall(const CallParts& parts,
                       std::string_view name,
                       std::string_view request,
                       Watch* watch) {
    const auto row = std::ranges::find(callRows(), name, &CallRow::name);
    if (row == callRows().end()) {
        throw Error(ErrorKind::InvalidInput,
                    message("there is no call {}", quotedName(name)),
                    message("use the module of the same version as the program"));
    }
    const Json json = parseJson(request.empty() ? "{}" : request, "request");
    const JsonReader reader(json, "request");
    requireKnownKeys(json, "request", row->keys);
    Json result = row->make(parts, reader, watch);
    result["issues"] = Json::array();
    return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lowtide::module
