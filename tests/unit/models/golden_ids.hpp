#pragma once

#include "plugin/base/json.hpp"
#include "plugin/text/model_files.hpp"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lowtide::testing {

/// The ids of a text in so many positions, without padding.
using TokenIds = std::function<std::vector<int64_t>(const std::string& text, int64_t positions)>;

/// The tokenizer in `folder`/tokenizer, read by the reader of `kind`, whose name has "clip" or "t5"
/// in it, or else is of byte level.
[[nodiscard]] TokenIds openGoldenTokenizer(const QString& folder, const std::string& kind);

/// The tokenizer that an opened model has in tokenizer/.
[[nodiscard]] TokenIds goldenTokenizerOf(models::ModelFiles& files, const std::string& kind);

/// How many of the texts get other ids than `rows` have; shows the first five.
[[nodiscard]] int countOtherIds(const TokenIds& tokens, const Json& texts, const Json& rows);

/// The operation of a JSON patch that puts another value at `path`, or nothing.
[[nodiscard]] QByteArray replaced(const char* path, const QByteArray& value);
[[nodiscard]] QByteArray removed(const char* path);

}  // namespace lowtide::testing
