#pragma once

#include "ui/editors/prompt_weight.hpp"

#include <QString>
#include <QStringView>
#include <QSyntaxHighlighter>

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
        Problem    ///< read as words, or without a partner; `problem` describes it
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

/// In their order, none in another. Any text, linear time. docs/prompts.md describes the syntax.
[[nodiscard]] std::vector<PromptPiece> promptPieces(QStringView text, const PromptSyntax& syntax);

/// Colours a prompt: what means something, what is read as words, and what encoders leave out.
class PromptHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    explicit PromptHighlighter(QTextDocument& document);

    void setSyntax(const PromptSyntax& syntax);
    /// From that place on, in UTF-16 units, encoders leave the text out; -1: nothing.
    void setCut(int from, const QString& reason);

    /// What is wrong at a position; empty: nothing.
    [[nodiscard]] QString problemAt(int index) const;

    [[nodiscard]] const std::vector<PromptPiece>& pieces() const { return pieces_; }

Q_SIGNALS:
    void piecesChanged();

protected:
    void highlightBlock(const QString& text) override;

private:
    void readAgain();
    [[nodiscard]] QTextCharFormat formatOf(const PromptPiece& piece) const;

    PromptSyntax syntax_;
    std::vector<PromptPiece> pieces_;
    int revision_ = -1;  ///< of the document that `pieces_` are of
    bool isPainting_ = false;
    int cutFrom_ = -1;
    QString cutReason_;
};

}  // namespace lowtide::ui
