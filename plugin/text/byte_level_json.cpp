#include "plugin/text/byte_level_json.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr BytePairKind kBytePairKinds[] = {
    {.name = "llama-bpe",
     .expression = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
                   R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     .takesWholeWords = true,
     .begins = true},
    {.name = "qwen2",
     .expression = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
                   R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     .composes = true}};

}  // namespace

const BytePairKind* bytePairKind(std::string_view name) {
    const auto* known = std::find_if(std::begin(kBytePairKinds),
                                     std::end(kBytePairKinds),
                                     [&](const BytePairKind& kind) { return kind.name == name; });
    return known == std::end(kBytePairKinds) ? nullptr : known;
}

Json byteLevelJson(const BytePairKind& kind, Json vocabulary, Json merges, Json added) {
    return {{"added_tokens", std::move(added)},
            {"normalizer", kind.composes ? Json{{"type", "NFC"}} : Json()},
            {"pre_tokenizer",
             {{"type", "Sequence"},
              {"pretokenizers",
               {{{"type", "Split"},
                 {"pattern", {{"Regex", kind.expression}}},
                 {"behavior", "Isolated"},
                 {"invert", false}},
                {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}}},
            {"model",
             {{"type", "BPE"},
              {"vocab", std::move(vocabulary)},
              {"merges", std::move(merges)},
              {"ignore_merges", kind.takesWholeWords}}}};
}

}  // namespace lowtide::models
