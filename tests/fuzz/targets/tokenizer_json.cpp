#include "tests/fuzz/promises.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/token_promises.hpp"

namespace lowtide::fuzz::tokenizer_json_target {

namespace {

using namespace models;

constexpr std::string_view kText = "A photo of a cat's 42 <|endoftext|> hats!";

}  // namespace

/// A tokenizer whose only file is a tokenizer.json.
bool runInput(std::span<const std::byte> bytes) {
    const std::string file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    MemoryTokenizer checkpoint({{"tokenizer.json", file}});
    return takes({ErrorKind::Corrupt, ErrorKind::Unsupported}, [&] {
        constexpr int64_t kDefaultLength = 77;
        const ClipTokenizer tokenizer(checkpoint, "tokenizer", kDefaultLength);
        require(checkTokens(tokenizer, kText), "a text of words is taken");
    });
}

[[maybe_unused]] const bool isEntered = enterTarget("tokenizer_json", runInput);

}  // namespace lowtide::fuzz::tokenizer_json_target
