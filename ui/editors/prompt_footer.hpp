#pragma once

#include "ui/bridge/prompt_library.hpp"

#include <QLabel>
#include <QString>
#include <QToolButton>
#include <QWidget>

namespace lowtide::ui {

/// How long a prompt is, for a user.
struct CountText {
    QString text;     ///< "31 / 75", "87 in 2 × 75", "CLIP 31 / 75 · T5 40 / 511"
    QString tooltip;  ///< a line for each encoder
    bool isCut = false;

    bool operator==(const CountText&) const = default;
};

[[nodiscard]] CountText countText(const TextCounts& counts);

/// The line below a prompt: how long it is, and what can be put into it.
class PromptFooter : public QWidget {
    Q_OBJECT

public:
    explicit PromptFooter(QWidget* parent);

    void setCounts(const CountText& counts);

    void setKeys(const PromptLibrary::Keys& keys);

    void setHasPast(bool hasPast) { past_->setVisible(hasPast); }

    /// Offers to read what is marked as words.
    void setReadsMore(bool canRead) { read_->setVisible(canRead); }

Q_SIGNALS:
    void stylesAsked();
    void pastAsked();
    void readAsked();

private:
    void colour();

    bool isCut_ = false;
    QLabel* counts_;
    QToolButton* read_;
    QToolButton* styles_;
    QToolButton* past_;
};

}  // namespace lowtide::ui
