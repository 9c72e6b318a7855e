#pragma once

#include "ui/bridge/model_images.hpp"
#include "ui/bridge/model_library.hpp"
#include "ui/bridge/model_plans.hpp"
#include "ui/bridge/model_shelf.hpp"
#include "ui/bridge/settings.hpp"

#include <QWidget>

#include <optional>
#include <set>
#include <string>

class QAction;
class QLabel;
class QListWidget;
class QStackedWidget;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace lowtide::ui {

class ModelDetails;
class ModelFilter;
struct FitText;

/// What a panel of models knows in addition to the library; each may be missing.
struct ModelsParts {
    ModelShelf* shelf = nullptr;    ///< notes, chosen images, hashes
    ModelImages* images = nullptr;  ///< thumbnails
    ModelPlans* plans = nullptr;    ///< how checkpoints fit
};

/// The user's model folders, and what lies in them. Who owns both gives the library the folders
/// of the settings. All must outlive it.
class ModelsPanel : public QWidget {
    Q_OBJECT

public:
    ModelsPanel(Settings& settings,
                ModelLibrary& library,
                const ModelsParts& parts = {},
                QWidget* parent = nullptr);

    ~ModelsPanel() override;

    /// Adds a folder of models, or an extra_model_paths.yaml.
    void addModelFolder(const QString& path);
    /// What was dropped on it: a folder is added; for a model the user is asked.
    void takeDropped(const QString& path, QPoint at);
    /// Offers to write models again (convertAsked).
    void offerConversion();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

Q_SIGNALS:
    /// A dropped file is to be used in the graph.
    void fileUseAsked(const QString& path);
    /// A model was chosen, of a kind that has a place in graphs.
    void useAsked(lowtide::ui::ModelKind kind, const QString& value);
    /// One was chosen that this version cannot use.
    void unusableChosen(const lowtide::ui::ModelFile& model);
    /// A checkpoint or a denoiser is to be written again, smaller.
    void convertAsked(const lowtide::ui::NamedModel& model);

private:
    QWidget* makeFolderList();
    QWidget* makeModels();
    void use(const QTreeWidgetItem* item);
    void showFolders();
    void showModels();
    /// Folders of the user in which nothing was found, a sentence each.
    [[nodiscard]] QStringList emptyFolders() const;
    [[nodiscard]] std::vector<size_t> shownIndices() const;
    void connectParts();
    void showVerdicts();
    void showVerdict(QTreeWidgetItem& item);
    void showDetails();
    [[nodiscard]] const FoundModel* modelAt(const QTreeWidgetItem* item) const;
    [[nodiscard]] QTreeWidgetItem* itemOf(const std::string& path) const;
    [[nodiscard]] std::string pathOf(const QTreeWidgetItem* item) const;
    [[nodiscard]] FitText fitOf(const FoundModel& model) const;
    [[nodiscard]] QImage imageOf(const QModelIndex& index);
    void askForSeen();
    void chooseImage();
    QTreeWidgetItem* addRow(const FoundModel& model);
    void showConversion();
    void removeFolder();
    void chooseFolder();
    void choosePathsFile();

    Settings& settings_;
    ModelLibrary& library_;
    const ModelsParts parts_;
    QListWidget* folders_ = nullptr;
    QToolButton* remove_ = nullptr;
    ModelFilter* filter_ = nullptr;
    ModelDetails* details_ = nullptr;
    QTreeWidget* models_ = nullptr;
    QAction* convert_ = nullptr;
    QToolButton* convertButton_ = nullptr;
    QLabel* state_ = nullptr;
    QLabel* problems_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    std::optional<QStringList> shownFolders_;
    std::set<std::string> seen_;  ///< painted rows of which something is to be asked
    std::string awaited_;         ///< path of a model to select once its folder was looked through
};

}  // namespace lowtide::ui
