#pragma once

#include "ui/editors/prompt_pieces.hpp"

#include <QSyntaxHighlighter>

#include <vector>

namespace lowtide::ui {

/// Colours a prompt: what means something, what is read as words, and what encoders leave out.
class PromptHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    explicit PromptHighlighter(QTextDocument& document);

    void setSyntax(const PromptSyntax& syntax);
    /// From that place on, in UTF-16 units, encoders leave the text out; -1: nothing.
    void setCut(int from, const QString& reason);

    /// What is wrong at a place; empty: nothing.
    [[nodiscard]] QString problemAt(int place) const;

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
