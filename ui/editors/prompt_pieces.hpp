#pragma once

#include "ui/editors/prompt_weight.hpp"

#include <QString>
#include <QStringView>

#include <optional>
#include <set>
#include <vector>

namespace lowtide::ui {

/// A stretch of a prompt with a meaning, in UTF-16 units from the start.
struct PromptPiece {
    enum class Kind {
        Bracket,   ///< of a weight
        Number,    ///< a weight
        Keyword,   ///< BREAK
        Name,      ///< embedding:..., <lora:...>
        Choice,    ///< {a|b}: braces and bars
        Wildcard,  ///< __name__
        Problem    ///< read as words, or without a partner; `problem` says it
    };

    int begin = 0;
    int length = 0;
    Kind kind = Kind::Problem;
    QString problem{};           ///< a sentence; only of problems
    bool isReadByA1111 = false;  ///< a problem that the weights A1111 would not have

    bool operator==(const PromptPiece&) const = default;
};

/// How a text is read.
struct PromptSyntax {
    std::optional<WeightSyntax> weights = WeightSyntax::A1111;  ///< nothing: brackets are text
    bool readsTags = false;                                     ///< <lora:name:1>
    /// Wildcards that there are; nothing: nobody knows.
    std::optional<std::set<QString>> wildcards{};

    bool operator==(const PromptSyntax&) const = default;
};

/// In their order, none in another. Any text, linear time. docs/prompts.md says what means what.
[[nodiscard]] std::vector<PromptPiece> promptPieces(QStringView text, const PromptSyntax& syntax);

}  // namespace lowtide::ui
