#pragma once
// Texts that commands print.

#include "plugin/base/json.hpp"

#include <string>
#include <vector>

namespace lowtide::cli {

/// A row of a table, each cell UTF-8. Rows may end early.
using Cells = std::vector<std::string>;

/// Lines in which the columns stand under each other: those before `firstNumber` at the left, the
/// others at the right.
[[nodiscard]] std::string aligned(const std::vector<Cells>& rows, size_t firstNumber);

/// The text that std::printf would print, up to 255 bytes of it.
[[nodiscard, gnu::format(printf, 1, 2)]] std::string formatted(const char* form, ...);

/// The text that `json` surely has under `key`.
[[nodiscard]] std::string memberText(const Json& json, const char* key);
/// The same of a number of bytes: "1.5 GiB".
[[nodiscard]] std::string memberBytes(const Json& json, const char* key);

/// Prints it over several lines on standard output.
void printJson(const Json& json);

}  // namespace lowtide::cli
