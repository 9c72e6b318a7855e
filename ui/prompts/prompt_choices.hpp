#pragma once

#include "plugin/base/message.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::ui {

/// The lines of wildcard files by their names ("hair", "animals/cats").
using Wildcards = std::map<std::string, std::vector<std::string>, std::less<>>;

/// One part of a prompt, of which each run has its own: text, alternatives, or a line of a file.
struct PromptPart {
    struct Option {
        double weight = 1;
        std::vector<PromptPart> parts;
    };

    enum class Kind : uint8_t { Text, Choice, Wildcard };

    Kind kind = Kind::Text;
    std::string text{};             ///< of Text; of Wildcard the name
    std::vector<Option> options{};  ///< of Choice, two or more
};

/// A prompt with alternatives, which each run resolves: {a|b}, {2::a|b} with weights, nested ones,
/// __name__ for a line of a file. Braces without a bar are text, like an opening brace without a
/// closing one and braces nested more than 64 deep. A backslash before {, }, | or __ makes it text
/// and goes; before any other character it is kept. Takes any bytes; linear time.
class PromptChoices {
public:
    explicit PromptChoices(std::string_view text);

    /// Whether a run's text is another one than what is written.
    [[nodiscard]] bool isTemplate() const { return isTemplate_; }

    /// Names of the wildcards in it, each once, in their order.
    [[nodiscard]] std::vector<std::string> wildcards() const;

    /// One text, drawn with `seed`: the same seed and files give the same text.
    /// Error{NotFound} for a wildcard that is not there, Error{InvalidInput} for one without lines,
    /// one that comes back to itself, weights that are all 0, and texts above kMostBytes.
    [[nodiscard]] std::string drawn(const Wildcards& wildcards, uint64_t seed) const;

    [[nodiscard]] const std::vector<PromptPart>& parts() const { return parts_; }

    static constexpr uint64_t kEndless = UINT64_MAX;
    static constexpr size_t kMostBytes = size_t{1} << 20U;

private:
    std::vector<PromptPart> parts_;
    bool isTemplate_ = false;
};

/// What is drawn as `text` itself, whatever braces it has; `text` where there is no such prompt (a
/// backslash before a brace, or it is too long).
[[nodiscard]] std::string literalPrompt(const std::string& text);

/// A line of a wildcard file, or an alternative: its weight and its parts.
[[nodiscard]] PromptPart::Option parseOption(std::string_view line);
/// The weight alone.
[[nodiscard]] double weightOfOption(std::string_view line);

/// Whether text is the name of a wildcard, between its underscores: letters, digits, bytes beyond
/// ASCII at both ends; between them also spaces, dots, hyphens, slashes and single underscores.
[[nodiscard]] bool isWildcardName(std::string_view name);

/// What lies in a folder of wildcards.
struct WildcardFiles {
    Wildcards lists;
    std::vector<Message> problems;  ///< files that are left out, and why
};

/// Files of at most so many bytes are read, and so many bytes of all together.
inline constexpr int64_t kMostWildcardBytes = int64_t{16} << 20;
inline constexpr int64_t kMostBytesOfWildcards = int64_t{64} << 20;

/// Reads NAME.txt of `folder` and of the folders in it, up to 8 deep: "animals/cats". A folder that
/// is not there has none. Never throws on what lies there.
[[nodiscard]] WildcardFiles readWildcards(const std::string& folder);

/// The lines of such a file: without white space at their ends, empty ones and those that begin
/// with # left out.
[[nodiscard]] std::vector<std::string> wildcardLines(std::string_view text);

}  // namespace lowtide::ui
