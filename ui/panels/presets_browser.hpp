#pragma once

#include "ui/bridge/planning.hpp"
#include "ui/bridge/preset_store.hpp"

#include <QWidget>

#include <functional>
#include <map>

class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QStackedWidget;
class QTreeWidget;
class QTreeWidgetItem;

namespace lowtide::ui {

class PresetCards;

/// What is known of one preset: image, text, the files it needs, what it needs on this device.
class PresetDetails : public QWidget {
    Q_OBJECT

public:
    explicit PresetDetails(QWidget* parent = nullptr);

    /// nullptr: none is chosen.
    void setEntry(const PresetEntry* entry);
    void setNeeds(const Planned& needs);
    /// What can be done with the preset, as entries of a menu.
    void addTo(QMenu& menu) const;

Q_SIGNALS:
    void openAsked();
    void renameAsked();
    void removeAsked();
    void exportAsked();
    /// A missing file was clicked.
    void locateAsked(const QString& kind, const QString& value);

private:
    void showFiles(const PresetEntry& entry);
    void askFor(const QTreeWidgetItem& item);

    QLabel* image_ = nullptr;
    QLabel* title_ = nullptr;
    QLabel* tags_ = nullptr;
    QLabel* description_ = nullptr;
    QLabel* needs_ = nullptr;
    QLabel* problem_ = nullptr;
    QTreeWidget* files_ = nullptr;
    QPushButton* locate_ = nullptr;
    QPushButton* open_ = nullptr;
    QPushButton* rename_ = nullptr;
    QPushButton* remove_ = nullptr;
    QPushButton* export_ = nullptr;
};

/// The presets as cards, searched and filtered by tag, with what is known of the chosen one.
/// `store` must outlive it.
class PresetsBrowser : public QWidget {
    Q_OBJECT

public:
    explicit PresetsBrowser(PresetStore& store, QWidget* parent = nullptr);

    /// What the preset would need on this device, as an answer to needsAsked().
    void setNeeds(const QString& id, const Planned& needs);
    [[nodiscard]] QString chosen() const;
    /// Shows that preset as the chosen one; what was searched for is cleared where it hides it.
    void choose(const QString& id);

    /// What is searched for, to be shown in another browser.
    struct Search {
        QString words;
        QString tag;  ///< empty: all
    };

    [[nodiscard]] Search search() const;
    void setSearch(const Search& search);

Q_SIGNALS:
    void openAsked(const QString& id);
    /// The current graph shall become a preset.
    void saveAsked();
    void needsAsked(const QString& id);
    void locateAsked(const QString& id, const QString& kind, const QString& value);
    /// A preset was exported, imported, or is there already.
    void reported(const QString& sentence);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeBar();
    void connectDetails();
    void reload();
    void searchAgain();
    void filter();
    /// Orders the cards by what is usable now.
    void settle();
    [[nodiscard]] bool wasUsable(const PresetEntry& entry);
    void showChosen(const QString& id);
    void rename();
    void remove();
    void restore();
    void importFile();
    void exportFile();
    /// Does it, or reports why it cannot be done.
    void attempt(const std::function<void()>& what);

    PresetStore& store_;
    std::map<QString, bool> usable_;  ///< by id, when the order was settled
    bool isSettled_ = false;
    PresetCards* cards_ = nullptr;
    PresetDetails* details_ = nullptr;
    QLineEdit* search_ = nullptr;
    QComboBox* tag_ = nullptr;
    QLabel* message_ = nullptr;
    QPushButton* restore_ = nullptr;
    QStackedWidget* pages_ = nullptr;
};

}  // namespace lowtide::ui
