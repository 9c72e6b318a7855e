#include "plugin/text/model_files.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr int64_t kMostUnused = 20;  ///< one row of so many
constexpr int64_t kTableMultiple = 64;

}  // namespace

bool fitsRows(int64_t tokens, int64_t rows) {
    return tokens <= rows && rows - tokens <= std::max(rows / kMostUnused, kTableMultiple - 1);
}

void requireVocabulary(const std::string& file,
                       const std::string& role,
                       int64_t tokens,
                       int64_t rows) {
    if (!fitsRows(tokens, rows)) {
        throw Error(ErrorKind::Corrupt,
                    message("{} has {} tokens, the text encoder ({}) has {} rows for them",
                            file,
                            tokens,
                            role,
                            rows),
                    message("get the tokenizer that this text encoder was published with"));
    }
}

}  // namespace lowtide::models
