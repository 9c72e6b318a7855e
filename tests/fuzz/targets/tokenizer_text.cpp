#include "plugin/base/text.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/token_guarantees.hpp"

#include <map>

namespace lowtide::fuzz::tokenizer_text_target {

namespace {

using namespace models;

/// The bytes that each token stands for, the end of a word as a space.
std::map<TokenId, std::string> bytesByToken() {
    std::map<std::string, char> byteOf;
    const std::array<std::string, 256> alphabet = byteAlphabet();
    for (size_t byte = 0; byte < alphabet.size(); ++byte) {
        byteOf[alphabet[byte]] = static_cast<char>(byte);
    }
    std::map<TokenId, std::string> all;
    for (const auto& [token, id] : miniVocabulary().items()) {
        const bool endsWord = token.ends_with("</w>");
        std::string bytes;
        for (size_t at = 0; at < token.size() - (endsWord ? 4 : 0);) {
            const size_t length = (static_cast<unsigned char>(token[at]) & 0x80) != 0 ? 2 : 1;
            bytes += byteOf[token.substr(at, length)];
            at += length;
        }
        all[id.get<TokenId>()] = bytes + (endsWord ? " " : "");
    }
    return all;
}

std::string withoutSpaces(std::string_view text) {
    std::string kept;
    for (const char c : text) {
        if (c != ' ') {
            kept += c;
        }
    }
    return kept;
}

/// Tokens spell the letters of the text, without what separates words.
void checkLetters(std::string_view text) {
    static const std::map<TokenId, std::string> bytes = bytesByToken();
    static const ClipWords words;
    const std::string normalized = ClipWords::normalize(text);
    if (normalized.find("<|") != normalized.npos) {
        return;  // special tokens are cut out before
    }
    std::string wanted;
    for (const std::string_view word : words.split(normalized)) {
        wanted += word;
    }
    std::string message;
    for (const TokenId id : miniTokenizer().tokensOf(text, "prompt")) {
        const auto found = bytes.find(id);
        require(found != bytes.end(), "a token is in the vocabulary");
        message += found->second;
    }
    require(withoutSpaces(message) == withoutSpaces(wanted), "tokens say the words of the text");
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool isTaken = checkTokens(miniTokenizer(), text);
    if (isTaken) {
        checkLetters(text);
    }
    return isTaken;
}

[[maybe_unused]] const bool isEntered = enterTarget("tokenizer_text", runInput);

}  // namespace lowtide::fuzz::tokenizer_text_target
