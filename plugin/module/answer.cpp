#include "plugin/module/answer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/issues.hpp"

#include <chrono>

namespace lowtide::module {

namespace {

Status statusOf(ErrorKind kind) {
    const bool theirs = kind == ErrorKind::InvalidInput || kind == ErrorKind::Corrupt ||
                        kind == ErrorKind::Unsupported || kind == ErrorKind::NotFound;
    return theirs                         ? Status::Invalid
           : kind == ErrorKind::Cancelled ? Status::Cancelled
                                          : Status::Failed;
}

}  // namespace

Status explainException(std::string& result) noexcept {
    Status status = Status::Failed;
    try {
        Issue issue;
        try {
            throw;
        } catch (const Error& error) {
            issue = {.code = std::string(codeOf(error.kind())),
                     .item = error.item(),
                     .message = error.message(),
                     .hint = error.hint()};
            status = statusOf(error.kind());
        } catch (const std::exception& error) {
            issue = {.code = "internal_error", .message = Message(error.what())};
        }
        result = Json{{"issues", graph::toJson(Issues{issue})}}.dump(
            -1, ' ', false, Json::error_handler_t::replace);
    } catch (...) {
        result = R"({"issues": []})";
    }
    return status;
}

std::string today() {
    const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const std::chrono::year_month_day day(now);
    return zeroPadded(static_cast<uint64_t>(static_cast<int>(day.year())), 4) + "-" +
           zeroPadded(static_cast<unsigned>(day.month()), 2) + "-" +
           zeroPadded(static_cast<unsigned>(day.day()), 2);
}

}  // namespace lowtide::module
