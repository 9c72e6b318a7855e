#pragma once

#include <QString>

namespace lowtide::testing {

/// Folder with published tokenizers, ten thousand texts and transformers' ids, as
/// make_tokenizer_ids.py states. Made once and kept under the hash of its scripts.
[[nodiscard]] QString publishedTokenizers();

}  // namespace lowtide::testing
