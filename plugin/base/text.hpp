#pragma once

#include "plugin/base/message.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide {

/// Without white space (space, tab, CR, LF) at both ends.
[[nodiscard]] std::string trim(std::string_view text);
/// The text before its first CR or LF.
[[nodiscard]] std::string_view firstLine(std::string_view text);
/// ASCII letters only.
[[nodiscard]] std::string toLower(std::string_view text);
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
/// "a, b, c and 7 more": names or clauses in messages, at most `limit` of them.
[[nodiscard]] Message listSome(std::span<const std::string> names, size_t limit = 10);
[[nodiscard]] Message listSome(std::span<const Message> clauses, size_t limit = 10);
/// Shortest text that reads back as the same double ("7.5", "4", "1e-05").
[[nodiscard]] std::string formatNumber(double value);
[[nodiscard]] bool isValidUtf8(std::string_view text);
/// The bytes of base64 with its padding (RFC 4648, section 4); nothing: it is none.
[[nodiscard]] std::optional<std::string> fromBase64(std::string_view text);
/// A name from outside inside a message: in double quotes, cut at a character near `limit` bytes,
/// with "?" for control characters and bytes that are not UTF-8.
[[nodiscard]] std::string quotedName(std::string_view name, size_t limit = 80);
/// As std::format("{:0{width}}") of a non-negative number: "007".
[[nodiscard]] std::string zeroPadded(uint64_t value, int width);
/// The entry of `known` that is nearest to `name` by edit distance, empty when none is near; for
/// "did you mean".
[[nodiscard]] std::string nearestName(std::string_view name, std::span<const std::string> known);

}  // namespace lowtide
