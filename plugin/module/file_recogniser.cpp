#include "plugin/module/file_recogniser.hpp"

#include "plugin/module/answer.hpp"
#include "plugin/module/shares_json.hpp"

namespace lowtide::module {

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

}  // namespace lowtide::module
