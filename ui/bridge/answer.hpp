#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/host.hpp"

#include <string>

namespace lowtide::ui {

/// What the module answered; a text that is no JSON object becomes an answer with one issue.
[[nodiscard]] Json answerOf(const std::string& text);
/// Of a list of issues as docs/events.md has them; what is no issue is left out.
[[nodiscard]] Issues issuesFromJson(const Json& list);
[[nodiscard]] Issue issueFromJson(const Json& issue);
/// What may be acted on (docs/events.md); an empty object: nothing is known.
[[nodiscard]] Json factsOf(const Issue& issue);
[[nodiscard]] bool isSame(const Issue& left, const Issue& right);
/// Adds those of `more` that `issues` does not hold yet.
void addNew(Issues& issues, const Issues& more);
/// A member that is a text, a number or a list; else the other value. For JSON from outside, whose
/// types nobody promised.
[[nodiscard]] std::string textIn(const Json& object, const char* key);
[[nodiscard]] double numberIn(const Json& object, const char* key);
[[nodiscard]] int64_t bytesIn(const Json& object, const char* key);
[[nodiscard]] const Json& memberIn(const Json& object, const char* key);

}  // namespace lowtide::ui
