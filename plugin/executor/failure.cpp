#include "plugin/executor/failure.hpp"

#include "plugin/base/coded_error.hpp"
#include "plugin/base/error.hpp"

namespace lowtide::executor {

namespace {

std::string firstLine(std::string_view text) {
    return std::string(text.substr(0, text.find_first_of("\r\n")));
}

}  // namespace

std::optional<Issue> attempt(std::string_view node, const std::function<void()>& action) {
    try {
        action();
        return std::nullopt;
    } catch (const CodedError& error) {
        return Issue{Severity::Error,
                     error.code(),
                     std::string(node),
                     error.item(),
                     error.message(),
                     error.hint(),
                     error.facts()};
    } catch (const Error& error) {
        return Issue{Severity::Error,
                     std::string(codeOf(error.kind())),
                     std::string(node),
                     error.item(),
                     error.message(),
                     error.hint()};
    } catch (const std::exception& error) {
        return nodeBug(node, "", firstLine(error.what()));
    } catch (...) {
        return nodeBug(node, "", "an exception of an unknown type was thrown");
    }
}

bool isCancel(const Issue& issue) {
    return issue.code == codeOf(ErrorKind::Cancelled);
}

Issue nodeBug(std::string_view node, std::string_view item, std::string message) {
    return {Severity::Error,
            std::string(codeOf(ErrorKind::Internal)),
            std::string(node),
            std::string(item),
            std::move(message),
            "this is a bug of the program; please report it with the graph"};
}

}  // namespace lowtide::executor
