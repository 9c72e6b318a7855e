#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::models {

/// A regular expression over UTF-8 as the tokenizers of the reference mean it (Oniguruma): white
/// space is Unicode's White_Space. Any thread.
class TextPattern {
public:
    /// Error{Unsupported} that begins with `what` when PCRE2 does not take the expression.
    TextPattern(std::string_view expression, const std::string& what);
    ~TextPattern();
    TextPattern(TextPattern&&) noexcept;

    /// A match: its position, and whether the first group took part.
    struct Match {
        size_t begin = 0;
        size_t end = 0;
        bool hasGroup = false;
    };

    /// The matches of one valid UTF-8 text, from front to back.
    class Matches {
    public:
        Matches(const TextPattern& pattern, std::string_view text);
        ~Matches();
        /// The next one that is not empty. Error{InvalidInput} when PCRE2 gives up.
        [[nodiscard]] std::optional<Match> next();

    private:
        struct State;
        std::unique_ptr<State> state_;
    };

private:
    struct Code;
    std::unique_ptr<Code> code_;
};

}  // namespace lowtide::models
