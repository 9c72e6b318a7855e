#include "ui/studio/absent_plugin.hpp"

#include "plugin/base/json.hpp"
#include "plugin/graph/issues.hpp"

#include <string>

namespace lowtide::ui {

namespace {

std::string answerOf(Severity severity, const Message& problem) {
    const Issue issue{.severity = severity,
                      .code = "unsupported",
                      .message = problem,
                      .hint = message("start the studio again when the module is in its place")};
    return Json{{"issues", graph::toJson(Issues{issue})}}.dump();
}

std::string refusal() {
    return answerOf(Severity::Error,
                    message("the engine does not run, so this graph can be edited and saved only"));
}

std::string note() {
    return answerOf(Severity::Info,
                    message("the engine does not run, so nothing of this graph was checked"));
}

}  // namespace

Status AbsentRunner::check(std::string_view, std::string_view, std::string& result) noexcept {
    result = note();
    return Status::Ok;
}

Status AbsentRunner::plan(std::string_view, std::string_view, std::string& result) noexcept {
    result = note();
    return Status::Failed;
}

Status AbsentRunner::start(
    std::string_view, std::string_view, Observer&, RunId&, std::string& result) noexcept {
    result = refusal();
    return Status::Invalid;
}

Status AbsentRunner::wait(RunId, std::string& result) noexcept {
    result = refusal();
    return Status::Invalid;
}

Status AbsentRunner::memory(std::string& result) noexcept {
    result = "{}";
    return Status::Ok;
}

Status AbsentRunner::devices(std::string& result) noexcept {
    result = R"({"devices":[]})";
    return Status::Ok;
}

}  // namespace lowtide::ui
