#include "plugin/module/checkpoint_converter.hpp"

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

}  // namespace

Status CheckpointConverter::convert(std::string_view request,
                                    ConversionWatch& watch,
                                    std::string& result) noexcept {
    return answer(result, [&] {
        const Json asked = parseJson(request, "request");
        const JsonReader reader(asked, "request");
        const auto begin = std::chrono::steady_clock::now();
        const models::Conversion conversion =
            stages_.convert({.checkpoint = reader.text("checkpoint").value_or(""),
                             .storage = reader.text("storage").value_or(""),
                             .out = reader.text("out").value_or("")},
                            [&](Bytes done, Bytes total) { return watch.goesOn(done, total); });
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        result = conversionJson(conversion, taken.count())
                     .dump(-1, ' ', false, Json::error_handler_t::replace);
        return Status::Ok;
    });
}

}  // namespace lowtide::module
