#pragma once

#include <string_view>

namespace lowtide::models {

/// "AElig=c6 AMP=26 ...": the names of HTML's characters, sorted, each with its one or two
/// characters ("acE=223e.333"), a space behind each.
extern const std::string_view kHtmlNames;
/// "AElig AMP ...": those that HTML reads without a semicolon too.
extern const std::string_view kBareHtmlNames;

}  // namespace lowtide::models
