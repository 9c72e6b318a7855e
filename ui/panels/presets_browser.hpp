#pragma once

#include "ui/bridge/planning.hpp"
#include "ui/bridge/preset_store.hpp"

#include <QWidget>

#include <functional>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;

namespace lowtide::ui {

class PresetCards;
class PresetDetails;

/// The presets as cards, searched and filtered by tag, with what is known of the chosen one.
/// `store` must outlive it.
class PresetsBrowser : public QWidget {
    Q_OBJECT

public:
    explicit PresetsBrowser(PresetStore& store, QWidget* parent = nullptr);

    /// What the preset would need on this device, as an answer to needsAsked().
    void setNeeds(const QString& id, const Planned& needs);
    [[nodiscard]] QString chosen() const;
    /// Shows that preset as the chosen one, where the search leaves it in.
    void choose(const QString& id);

Q_SIGNALS:
    void openAsked(const QString& id);
    /// The current graph shall become a preset.
    void saveAsked();
    void needsAsked(const QString& id);
    void locateAsked(const QString& id, const QString& kind, const QString& value);

private:
    QWidget* makeBar();
    void connectDetails();
    void reload();
    void search();
    void filter();
    void showChosen(const QString& id);
    void rename();
    void remove();
    void restore();
    void importFile();
    void exportFile();
    /// Does it, or says why it cannot be done.
    void attempt(const std::function<void()>& what);

    PresetStore& store_;
    PresetCards* cards_ = nullptr;
    PresetDetails* details_ = nullptr;
    QLineEdit* search_ = nullptr;
    QComboBox* tag_ = nullptr;
    QLabel* message_ = nullptr;
    QPushButton* restore_ = nullptr;
    QStackedWidget* pages_ = nullptr;
};

}  // namespace lowtide::ui
