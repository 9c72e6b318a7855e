#include "plugin/module/checkpoint_converter.hpp"

#include "plugin/base/json_options.hpp"
#include "plugin/module/answer.hpp"
#include "plugin/module/shares_json.hpp"

#include <chrono>

namespace lowtide::module {

namespace {

Json conversionJson(const models::Conversion& conversion, double seconds) {
    return {{"issues", Json::array()},
            {"contents", conversion.contents},
            {"before", sharesJson(conversion.before)},
            {"after", sharesJson(conversion.after)},
            {"rounded_tensors", conversion.rounded},
            {"worst_error", conversion.worstError},
            {"worst_tensor", conversion.worstTensor},
            {"mean_error", conversion.meanError},
            {"seconds", seconds}};
}

Json choicesJson(const models::ConversionChoices& known) {
    Json choices = Json::array();
    for (const models::ConversionChoice& choice : known.choices) {
        choices.push_back({{"storage", choice.storage},
                           {"ending", choice.ending},
                           {"contents", choice.contents},
                           {"bytes", choice.bytes},
                           {"source_bytes", choice.sourceBytes}});
    }
    return {{"issues", Json::array()}, {"path", known.path}, {"choices", choices}};
}

constexpr std::string_view kChoicesKeys[] = {"checkpoint", "graphFolder"};
constexpr std::string_view kConversionKeys[] = {"checkpoint", "storage", "out", "graphFolder"};

/// Of JSON for a host: names of files need not be UTF-8.
std::string hostText(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Status CheckpointConverter::choices(std::string_view request, std::string& result) noexcept {
    return answer(result, [&] {
        const Json asked = parseJson(request, "request");
        const JsonReader reader(asked, "request");
        requireKnownKeys(asked, "request", kChoicesKeys);
        result = hostText(choicesJson(stages_.conversionChoices(
            reader.text("checkpoint").value_or(""), reader.text("graphFolder").value_or(""))));
        return Status::Ok;
    });
}

Status CheckpointConverter::convert(std::string_view request,
                                    ConversionWatch& watch,
                                    std::string& result) noexcept {
    return answer(result, [&] {
        const Json asked = parseJson(request, "request");
        const JsonReader reader(asked, "request");
        requireKnownKeys(asked, "request", kConversionKeys);
        const auto begin = std::chrono::steady_clock::now();
        const models::Conversion conversion =
            stages_.convert({.checkpoint = reader.text("checkpoint").value_or(""),
                             .storage = reader.text("storage").value_or(""),
                             .out = reader.text("out").value_or(""),
                             .graphFolder = reader.text("graphFolder").value_or("")},
                            [&](Bytes done, Bytes total) { return watch.goesOn(done, total); });
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        result = hostText(conversionJson(conversion, taken.count()));
        return Status::Ok;
    });
}

}  // namespace lowtide::module
