#pragma once

#include "ui/bridge/prompt_library.hpp"

#include <QListWidget>
#include <QObject>
#include <QPlainTextEdit>

#include <vector>

namespace lowtide::ui {

/// Offers what a word may become, below the cursor of a prompt, once two of its letters are
/// written. The field keeps the focus: Up and Down choose, Tab and Return take, Escape closes.
class PromptCompletion : public QObject {
    Q_OBJECT

public:
    static constexpr int kMostRows = 8;

    /// Both must outlive it.
    PromptCompletion(QPlainTextEdit& field, PromptLibrary& library);
    ~PromptCompletion() override;

    /// Tags of LoRAs are offered where they are read.
    void setReadsTags(bool readsTags) { readsTags_ = readsTags; }

    /// Something was typed. `isAsked`: with one letter too.
    void update(bool isAsked = false);
    void close();

    [[nodiscard]] bool isOpen() const;

    /// Whether the key is for the list, which has taken it then.
    bool takeKey(int key);

Q_SIGNALS:
    void styleChosen(const QString& name);

private:
    /// A word and how many letters before the cursor it takes the place of.
    struct Offer {
        PromptWord word;
        int typed = 0;
    };

    [[nodiscard]] std::vector<Offer> offersFor(const QString& before, int least) const;
    void addOffers(std::vector<Offer>& offers, const QString& typed) const;
    void show(std::vector<Offer> offers);
    void accept(int row);

    QPlainTextEdit& field_;
    PromptLibrary& library_;
    QListWidget* list_;
    std::vector<Offer> offers_;
    bool readsTags_ = false;
};

}  // namespace lowtide::ui
