#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "ui/document/json_members.hpp"

#include <string>

namespace lowtide::ui {

/// What the module answered; a text that is no JSON object becomes an answer with one issue.
[[nodiscard]] Json answerOf(const std::string& text);
/// Of a list of issues as docs/events.md has them; what is no issue is left out.
[[nodiscard]] Issues issuesFromJson(const Json& list);
[[nodiscard]] Issue issueFromJson(const Json& issue);
/// The message of the first issue of an answer, and what to do about it; empty: it has none.
[[nodiscard]] std::string firstMessageIn(const std::string& text);
/// What may be acted on (docs/events.md); an empty object: nothing is known.
[[nodiscard]] Json factsOf(const Issue& issue);
/// Null: there is none.
[[nodiscard]] const Issue* firstErrorIn(const Issues& issues);
[[nodiscard]] bool isSame(const Issue& left, const Issue& right);
/// Adds those of `more` that `issues` does not hold yet.
void addNew(Issues& issues, const Issues& more);

}  // namespace lowtide::ui
