#pragma once

#include "ui/bridge/model_library.hpp"
#include "ui/bridge/settings.hpp"

#include <QWidget>

#include <optional>

class QAction;
class QLabel;
class QLineEdit;
class QListWidget;
class QStackedWidget;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace lowtide::ui {

/// The person's model folders, and what lies in them. Who owns both gives the library the folders
/// of the settings. `settings` and `library` must outlive it.
class ModelsPanel : public QWidget {
    Q_OBJECT

public:
    ModelsPanel(Settings& settings, ModelLibrary& library, QWidget* parent = nullptr);

    /// Adds a folder of models, or an extra_model_paths.yaml.
    void addPlace(const QString& path);
    /// Offers to write models again (convertAsked).
    void offerConversion();

Q_SIGNALS:
    /// A model was chosen, of a kind that has a place in graphs.
    void useAsked(lowtide::ui::ModelKind kind, const QString& value);
    /// A checkpoint or a denoiser is to be written again, smaller.
    void convertAsked(const lowtide::ui::NamedModel& model);

private:
    QWidget* makePlaces();
    QWidget* makeModels();
    void showPlaces();
    void showModels();
    /// Folders of the person in which nothing was found, a sentence each.
    [[nodiscard]] QStringList emptyPlaces() const;
    void showVerdicts();
    QTreeWidgetItem* addRow(const FoundModel& model);
    void showConversion();
    void removePlace();
    void chooseFolder();
    void choosePathsFile();

    Settings& settings_;
    ModelLibrary& library_;
    QListWidget* places_ = nullptr;
    QToolButton* remove_ = nullptr;
    QLineEdit* search_ = nullptr;
    QTreeWidget* models_ = nullptr;
    QAction* convert_ = nullptr;
    QToolButton* convertButton_ = nullptr;
    QLabel* state_ = nullptr;
    QLabel* problems_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    std::optional<QStringList> shownPlaces_;
};

}  // namespace lowtide::ui
