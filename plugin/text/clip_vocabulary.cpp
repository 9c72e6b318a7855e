#include "plugin/text/clip_vocabulary.hpp"

#include "plugin/base/error.hpp"
#include "plugin/text/byte_pair_encoder.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace lowtide::models {

namespace {

constexpr std::string_view kWordEnd = "</w>";
constexpr int64_t kFixedTokens = 2 * 256 + 2;  ///< bytes, bytes at a word's end, begin and end
constexpr uint8_t kFirstOf0x100 = 0xC4;        ///< of the UTF-8 of U+0100

/// The bytes in the order of their ids: those that stand for themselves come first, then those for
/// which characters from U+0100 stand.
std::vector<std::string> bytesById() {
    std::vector<std::string> all;
    const std::array<std::string, 256> alphabet = byteAlphabet();
    for (const bool itself : {true, false}) {
        std::copy_if(alphabet.begin(),
                     alphabet.end(),
                     std::back_inserter(all),
                     [&](const std::string& character) {
                         return (static_cast<uint8_t>(character[0]) < kFirstOf0x100) == itself;
                     });
    }
    return all;
}

/// "th e</w>" -> "the</w>".
std::string tokenOf(std::string_view line) {
    std::string token(line);
    token.erase(std::remove(token.begin(), token.end(), ' '), token.end());
    return token;
}

}  // namespace

ClipVocabulary clipVocabulary(std::string_view merges, int64_t size, const std::string& what) {
    if (size < kFixedTokens) {
        throw Error(ErrorKind::Unsupported,
                    what + ": the text encoder knows " + std::to_string(size) +
                        " tokens, CLIP's vocabulary begins with " + std::to_string(kFixedTokens),
                    "choose a checkpoint with CLIP's text encoder");
    }
    ClipVocabulary vocabulary{.tokens = Json::object(), .merges = {}};
    int64_t next = 0;
    const auto add = [&](const std::string& token) { vocabulary.tokens[token] = next++; };
    const std::vector<std::string> bytes = bytesById();
    for (const std::string_view ending : {std::string_view(), kWordEnd}) {
        for (const std::string& byte : bytes) {
            add(byte + std::string(ending));
        }
    }
    int64_t left = size - kFixedTokens;
    size_t from = 0;
    while (from < merges.size() && left > 0) {
        const size_t end = std::min(merges.find('\n', from), merges.size());
        const std::string_view line = merges.substr(from, end - from);
        from = end + 1;
        if (!line.empty() && !line.starts_with("#version")) {
            add(tokenOf(line));
            --left;
        }
    }
    vocabulary.merges = std::string(merges.substr(0, std::min(from, merges.size())));
    add("<|startoftext|>");
    add("<|endoftext|>");
    return vocabulary;
}

}  // namespace lowtide::models
