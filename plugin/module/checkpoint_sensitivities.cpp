#include "plugin/module/checkpoint_sensitivities.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/module/answer.hpp"
#include "plugin/module/date.hpp"
#include "plugin/module/runner.hpp"

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

}  // namespace lowtide::module
