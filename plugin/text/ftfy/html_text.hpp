#pragma once
// Names and numbers of characters that HTML has ("&amp;"), as the characters themselves; the table
// of names has its own licence and is kept separate.

#include <string>
#include <string_view>

namespace lowtide::models {

/// "&amp;", "&amp", "&#38;" and "&#x26" become "&", as browsers read them. Source: CPython 3.11,
/// html.unescape; a decimal number of more than 4300 digits, which Python refuses, is U+FFFD here.
[[nodiscard]] std::u32string unescapedHtml(std::u32string_view text);
/// The same where a semicolon ends the reference, and names in capitals too ("&EACUTE;"): what is
/// no accident in a text that may be no HTML. Source: ftfy 6.3.1, unescape_html.
[[nodiscard]] std::u32string unescapedWholeReferences(std::u32string_view text);

/// "AElig=c6 AMP=26 ...": the names of HTML's characters, sorted, each with its one or two
/// characters ("acE=223e.333"), a space behind each.
extern const std::string_view kHtmlNames;
/// "AElig AMP ...": those that HTML reads without a semicolon too.
extern const std::string_view kBareHtmlNames;

}  // namespace lowtide::models
