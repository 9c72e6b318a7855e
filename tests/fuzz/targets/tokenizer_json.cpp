#include "plugin/checkpoints/single_file/sibling_tokenizer.hpp"
#include "plugin/text/byte_level_tokenizer.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/token_guarantees.hpp"

namespace lowtide::fuzz::tokenizer_json_target {

namespace {

using namespace models;

constexpr std::string_view kText = "A photo of a cat's 42 <|endoftext|> hats!";

/// A file that makes a tokenizer of `tokens` is taken for one that has as many at least.
void checkSize(const std::string& file,
               std::optional<int64_t> (*sizeOf)(const FileDocuments&),
               int64_t tokens) {
    const FileDocuments found{.className = "",
                              .files = {{"tokenizer.json", {"m", [&file] { return file; }}}}};
    (void)takes({ErrorKind::Corrupt}, [&] {
        const std::optional<int64_t> size = sizeOf(found);
        require(size && *size >= tokens, "a tokenizer is not smaller than it is");
    });
}

/// As runInput().
bool readUnigram(const std::string& file) {
    MemoryTokenizer checkpoint({{"tokenizer.json", file}});
    return takes({ErrorKind::Corrupt, ErrorKind::Unsupported}, [&] {
        const UnigramTokenizer tokenizer(checkpoint, "tokenizer");
        checkUnigram(tokenizer, kText);
        checkSize(file, tokensOfUnigramJson, tokenizer.vocabularySize());
    });
}

/// As runInput().
bool readByteLevel(const std::string& file) {
    constexpr int64_t kPositions = 64;
    constexpr size_t kMostAround = 32;
    MemoryTokenizer checkpoint({{"tokenizer.json", file}});
    return takes({ErrorKind::Corrupt, ErrorKind::Unsupported, ErrorKind::InvalidInput}, [&] {
        const ByteLevelTokenizer tokenizer(checkpoint, "tokenizer");
        checkSize(file, tokensOfBytePairJson, tokenizer.vocabularySize());
        const std::vector<TokenId> around = tokenizer.tokensOf("", "prompt");
        const std::vector<TokenId> ids = tokenizer.tokensOf(kText, "prompt");
        require(ids.size() >= around.size() && ids.size() <= around.size() + kText.size(),
                "a byte is at most one token");
        if (around.size() < kMostAround) {
            const TokenizedPrompt prompt = tokenizer.tokenize(kText, kPositions, 0, "prompt");
            require(prompt.ids.size() == kPositions && prompt.mask.size() == kPositions,
                    "a prompt has its length");
        }
    });
}

}  // namespace

/// A tokenizer whose only file is a tokenizer.json, read as CLIP's, as T5's and as one of byte
/// level.
bool runInput(std::span<const std::byte> bytes) {
    const std::string file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    MemoryTokenizer checkpoint({{"tokenizer.json", file}});
    const bool isByteLevel = readByteLevel(file);
    const bool isUnigram = readUnigram(file);
    const bool isClip = takes({ErrorKind::Corrupt, ErrorKind::Unsupported}, [&] {
        constexpr int64_t kDefaultLength = 77;
        const ClipTokenizer tokenizer(checkpoint, "tokenizer", kDefaultLength);
        require(checkTokens(tokenizer, kText), "a text of words is taken");
    });
    return isByteLevel || isUnigram || isClip;
}

[[maybe_unused]] const bool isEntered = enterTarget("tokenizer_json", runInput);

}  // namespace lowtide::fuzz::tokenizer_json_target
