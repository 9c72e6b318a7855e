#pragma once
// The small files of a model, whatever it lies in, and whether a tokenizer that was read of them
// fits its encoder.

#include "plugin/base/error.hpp"
#include "plugin/base/json_fwd.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace lowtide::models {

/// Texts of a model by their path in the diffusers layout ("tokenizer/tokenizer.json").
class ModelFiles {
public:
    virtual ~ModelFiles() = default;

    /// What messages call a file: the path where it lies.
    [[nodiscard]] virtual std::string pathOf(const std::string& relative) const = 0;

    /// The parameter of load.checkpoint that states where the component is: "checkpoint", "vae".
    [[nodiscard]] virtual std::string itemOf(std::string_view /*component*/) const {
        return "checkpoint";
    }

    [[nodiscard]] virtual bool has(const std::string& relative) const = 0;
    /// A small file as text or JSON. Error{NotFound}, Error{Corrupt} name it.
    [[nodiscard]] virtual std::string readText(const std::string& relative) = 0;
    [[nodiscard]] virtual Json readJson(const std::string& relative) = 0;
};

/// Whether a tokenizer of so many tokens may be that of an embedding of `rows`: not more, and 95 %
/// of them at least, or all but what fills a small table up to a multiple of 64.
[[nodiscard]] bool fitsRows(int64_t tokens, int64_t rows);

/// Error{Corrupt} with both numbers where the tokenizer that `file` names does not fit the `rows`
/// of the text encoder `role`: it is another model's.
void requireVocabulary(const std::string& file,
                       const std::string& role,
                       int64_t tokens,
                       int64_t rows);

/// What `open` gives, a tokenizer that fits the `rows` of the text encoder `role`. What is wrong
/// with it is reported for the parameter or port that the encoder comes from.
template <class Open>
auto openTokenizer(const ModelFiles& files,
                   const std::string& role,
                   int64_t rows,
                   const Open& open) {
    try {
        auto tokenizer = open();
        requireVocabulary(tokenizer.file(), role, tokenizer.vocabularySize(), rows);
        return tokenizer;
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), files.itemOf(role));
    }
}

}  // namespace lowtide::models
