#include "plugin/base/text.hpp"
#include "plugin/text/byte_level_tokenizer.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/token_guarantees.hpp"

namespace lowtide::fuzz::tokenizer_files_target {

namespace {

using namespace models;

/// Stands between the files of an input.
constexpr char kSeparator = '\x1e';
constexpr const char* kNames[] = {"merges.txt",
                                  "vocab.json",
                                  "tokenizer_config.json",
                                  "special_tokens_map.json",
                                  "added_tokens.json"};
constexpr std::string_view kText = "A photo of a cat's 42 <|endoftext|> hats!";

/// CLIP's own vocabulary of these merges has as many tokens as it was asked for, or fewer.
void checkVocabulary(const std::string& merges) {
    constexpr int64_t kSize = 530;
    const ClipVocabulary made = clipVocabulary(merges, kSize, "m");
    require(static_cast<int64_t>(made.tokens.size()) <= kSize, "a vocabulary has its size");
    require(merges.starts_with(made.merges), "its merges are the first ones");
}

/// The same files as Qwen's. As runInput().
bool readQwen(MemoryTokenizer& checkpoint) {
    return takes({ErrorKind::Corrupt, ErrorKind::Unsupported, ErrorKind::NotFound}, [&] {
        const ByteLevelTokenizer tokenizer(checkpoint, "tokenizer");
        for (const TokenId id : tokenizer.tokensOf(kText, "prompt")) {
            require(id >= 0 && id < tokenizer.vocabularySize(), "ids are the vocabulary's");
        }
    });
}

}  // namespace

/// Merges, vocabulary, config, special and added tokens, with a separator between them; what is
/// empty is not there.
bool runInput(std::span<const std::byte> bytes) {
    const std::string_view input(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::vector<std::string> parts = split(input, kSeparator);
    std::map<std::string, std::string> files;
    for (size_t i = 0; i < std::min(parts.size(), std::size(kNames)); ++i) {
        if (!parts[i].empty()) {
            files[kNames[i]] = parts[i];
        }
    }
    checkVocabulary(parts.front());
    MemoryTokenizer checkpoint(std::move(files));
    const bool isQwen = readQwen(checkpoint);
    const bool isClip =
        takes({ErrorKind::Corrupt, ErrorKind::Unsupported, ErrorKind::NotFound}, [&] {
            constexpr int64_t kDefaultLength = 77;
            const ClipTokenizer tokenizer(checkpoint, "tokenizer", kDefaultLength);
            require(tokenizer.length() >= 3, "there is space for a token");
            require(checkTokens(tokenizer, kText), "a text of words is taken");
        });
    return isQwen || isClip;
}

[[maybe_unused]] const bool isEntered = enterTarget("tokenizer_files", runInput);

}  // namespace lowtide::fuzz::tokenizer_files_target
