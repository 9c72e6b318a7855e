#include "plugin/module/checkpoint_files.hpp"

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/convert/storage_form.hpp"
#include "plugin/module/answer.hpp"

#include <chrono>
#include <vector>

namespace lowtide::module {

/// [{"storage", "tensors", "bytes"}].
[[nodiscard]] inline Json sharesJson(const std::vector<models::StoredShare>& shares) {
    Json all = Json::array();
    for (const models::StoredShare& share : shares) {
        all.push_back(
            {{"storage", share.storage}, {"tensors", share.tensors}, {"bytes", share.bytes}});
    }
    return all;
}

Status FileRecogniser::recognise(std::string_view path, std::string& result) noexcept {
    return answer(result, [&] {
        const models::Recognised known = stages_.recognise(path);
        result = Json{{"issues", Json::array()},
                      {"kind", known.kind},
                      {"layout", known.layout},
                      {"family", known.family},
                      {"runs", known.isRunnable()},
                      {"state", models::idOf(known.readiness)},
                      {"needs", known.needs},
                      {"bytes", known.stored.bytes()},
                      {"largest_bytes", known.largest},
                      {"stored", sharesJson(known.stored.sorted())},
                      {"problem", known.problem}}
                     .dump(-1, ' ', false, Json::error_handler_t::replace);
        return Status::Ok;
    });
}

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
