#pragma once

#include "ui/bridge/model_shelf.hpp"

#include <QDialog>

#include <optional>
#include <string>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;

namespace lowtide::ui {

/// A model that is missing, of which the hash is known.
struct WantedModel {
    std::string value;               ///< as the graph names it
    std::string digits;              ///< the first ones of its SHA-256; empty: not known
    std::vector<FoundModel> unread;  ///< where it may be: models without a hash so far
};

/// Asks whether to look for a missing model by its hash, shows how much is to be read and how far
/// that is, and reports the result. Made for show(): the graph can be worked on meanwhile. Nothing
/// is read unasked; closing it while it reads cancels.
class HashSearchDialog : public QDialog {
    Q_OBJECT

public:
    /// `shelf` must outlive it.
    HashSearchDialog(ModelShelf& shelf, WantedModel wanted, QWidget* parent = nullptr);

    [[nodiscard]] bool isAtWork() const { return search_.isAtWork(); }

    void reject() override;

Q_SIGNALS:
    /// The graph is to name this model in place of `wanted`.
    void useAsked(const QString& wanted, const QString& value);
    /// The user will state where `wanted` is.
    void chooseAsked(const QString& wanted);

private:
    void makeLayout();
    void begin();
    void showProgress(const QString& name, qint64 done, qint64 total);
    void end(const SearchedModel& found);
    void showMessage(const char* colour, const QString& text);
    void showState();

    ModelSearch search_;
    const WantedModel wanted_;
    std::optional<QString> found_;  ///< how a graph names it
    bool hasEnded_ = false;
    QLabel* message_;
    QProgressBar* bar_;
    QPushButton* choose_;
    QPushButton* close_;
    QPushButton* go_;  ///< searches, then uses what was found
};

}  // namespace lowtide::ui
