#include "plugin/checkpoints/single_file/sibling_tokenizer.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/token_guarantees.hpp"

namespace lowtide::fuzz::tokenizer_pieces_target {

namespace {

using namespace models;

constexpr std::string_view kText =
    "A  photo of \xE2\x96\x81 a cat's 42 </s> h\xC3\xA4ts \xEF\xAC\x81";

}  // namespace

/// A tokenizer whose only file is a spiece.model.
bool runInput(std::span<const std::byte> bytes) {
    const std::string file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    MemoryTokenizer checkpoint({{"spiece.model", file}});
    return takes({ErrorKind::Corrupt, ErrorKind::Unsupported}, [&] {
        const UnigramTokenizer tokenizer(checkpoint, "tokenizer");
        checkUnigram(tokenizer, kText);
        const FileDocuments found{.className = "",
                                  .files = {{"spiece.model", {"m", [&file] { return file; }}}}};
        require(tokensOfPieces(found) == tokenizer.vocabularySize(), "a tokenizer has its size");
    });
}

[[maybe_unused]] const bool isEntered = enterTarget("tokenizer_pieces", runInput);

}  // namespace lowtide::fuzz::tokenizer_pieces_target
