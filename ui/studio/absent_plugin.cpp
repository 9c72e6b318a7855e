#include "ui/studio/absent_plugin.hpp"

namespace lowtide::ui {

namespace {

constexpr const char* kRefusal =
    R"({"issues":[{"severity":"error","code":"unsupported",)"
    R"("message":"the engine does not run, so this graph can be edited and saved only",)"
    R"("hint":"start the studio again when the module is in its place"}]})";

constexpr const char* kNote =
    R"({"issues":[{"severity":"info","code":"unsupported",)"
    R"("message":"the engine does not run, so nothing of this graph was checked",)"
    R"("hint":"start the studio again when the module is in its place"}]})";

}  // namespace

Status AbsentRunner::check(std::string_view, std::string_view, std::string& result) noexcept {
    result = kNote;
    return Status::Ok;
}

Status AbsentRunner::plan(std::string_view, std::string_view, std::string& result) noexcept {
    result = kNote;
    return Status::Failed;
}

Status AbsentRunner::start(
    std::string_view, std::string_view, Observer&, RunId&, std::string& result) noexcept {
    result = kRefusal;
    return Status::Invalid;
}

Status AbsentRunner::wait(RunId, std::string& result) noexcept {
    result = kRefusal;
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
