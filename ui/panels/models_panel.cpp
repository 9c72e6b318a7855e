#include "ui/panels/models_panel.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/models/model_folders.hpp"
#include "ui/panels/model_details.hpp"
#include "ui/panels/model_rows.hpp"
#include "ui/panels/offered_models.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QAction>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>

#include <algorithm>
#include <numeric>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kFoldersHeight = 92;

/// Whether the path is that of the folder, or of something in it.
bool liesIn(const std::string& path, std::string folder) {
    while (!folder.empty() && folder.back() == '/') {
        folder.pop_back();
    }
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool isConverted(ModelKind kind) {
    return kind == ModelKind::Checkpoint || kind == ModelKind::Denoiser;
}

bool isPathsFile(const QString& path) {
    return isModelPathsFile(path.toStdString());
}

/// A row that is dragged brings its file.
class ModelTree final : public QTreeWidget {
public:
    explicit ModelTree(QWidget* parent) : QTreeWidget(parent) {
        setDragEnabled(true);
        setDragDropMode(QAbstractItemView::DragOnly);
    }

protected:
    QStringList mimeTypes() const override { return {QStringLiteral("text/uri-list")}; }

    QMimeData* mimeData(const QList<QTreeWidgetItem*>& items) const override {
        QList<QUrl> files;
        for (const QTreeWidgetItem* item : items) {
            files << QUrl::fromLocalFile(
                item->data(ModelColumn::Name, ModelColumn::Path).toString());
        }
        auto* mime = new QMimeData;
        mime->setUrls(files);
        return mime;
    }
};

}  // namespace

ModelsPanel::ModelsPanel(Settings& settings,
                         ModelLibrary& library,
                         const ModelsParts& parts,
                         QWidget* parent)
    : QWidget(parent), settings_(settings), library_(library), parts_(parts) {
    setObjectName(QStringLiteral("modelsPanel"));
    setAcceptDrops(true);
    QWidget* folders = makeFolderList();
    problems_ = makeText({}, "modelProblems", this);
    columnIn(this, 2, {3, 3, 3, 3}, {folders, problems_, {makeModels(), 1}});
    connect(&library_, &ModelLibrary::changed, this, &ModelsPanel::showModels);
    connect(&library_, &ModelLibrary::budgetChanged, this, &ModelsPanel::showVerdicts);
    connectParts();
    connect(&settings_, &Settings::changed, this, &ModelsPanel::showFolders);
    showFolders();
    showModels();
}

/// A note that was typed is kept while the list is still there to hear of it.
ModelsPanel::~ModelsPanel() {
    delete details_;
}

QWidget* ModelsPanel::makeFolderList() {
    auto* box = new QWidget(this);
    QLabel* label = makeFieldLabel(tr("Model folders"), nullptr, box);
    QToolButton* folder = makeIconButton("folder", tr("Add a folder..."), "addFolder", box);
    QToolButton* file = makeIconButton(
        "file", tr("Add an extra_model_paths.yaml of ComfyUI..."), "addPathsFile", box);
    remove_ = makeIconButton(
        "minus", tr("Remove it from the list; its files are kept"), "removePlace", box);
    folders_ = named("places", new QListWidget(box));
    folders_->setAccessibleName(label->text());
    folders_->setMaximumHeight(kFoldersHeight);
    folders_->setTextElideMode(Qt::ElideMiddle);
    connect(folder, &QToolButton::clicked, this, &ModelsPanel::chooseFolder);
    connect(file, &QToolButton::clicked, this, &ModelsPanel::choosePathsFile);
    connect(remove_, &QToolButton::clicked, this, &ModelsPanel::removeFolder);
    connect(folders_, &QListWidget::currentRowChanged, this, [this](int row) {
        remove_->setEnabled(row >= 0);
    });
    columnIn(box, 1, {rowOf(1, {{label, 1}, folder, file, remove_}), folders_});
    return box;
}

QWidget* ModelsPanel::makeModels() {
    auto* box = new QWidget(this);
    filter_ = new ModelFilter(box);
    QToolButton* again =
        makeIconButton("refresh", tr("Look through the folders again"), "rescan", box);
    state_ = named("modelState", new QLabel(box));
    models_ = named("models", new ModelTree(box));
    models_->setAccessibleName(tr("Models"));
    models_->setHeaderLabels({tr("Model"), tr("Family"), tr("Size"), tr("This budget")});
    models_->setRootIsDecorated(false);
    models_->setUniformRowHeights(true);
    auto* delegate = new ModelRowDelegate(models_);
    if (parts_.images) {
        delegate->setImages([this](const QModelIndex& index) { return imageOf(index); });
    }
    models_->setItemDelegate(delegate);
    models_->setMouseTracking(true);
    models_->setHeaderHidden(true);
    models_->header()->setStretchLastSection(true);
    for (const int column : {ModelColumn::Family, ModelColumn::Size, ModelColumn::Verdict}) {
        models_->hideColumn(column);  // their texts stand below the name
    }
    pages_ = new QStackedWidget(box);
    pages_->addWidget(models_);
    pages_->addWidget(
        makeEmptyState({.icon = "library",
                        .title = tr("No models yet"),
                        .text = tr("Add the folder of your checkpoints. Folders of ComfyUI work as "
                                   "they are. Until then, use the built-in mini model.")},
                       pages_));
    connect(filter_, &ModelFilter::changed, this, &ModelsPanel::showModels);
    connect(again, &QToolButton::clicked, &library_, &ModelLibrary::rescan);
    connect(models_, &QTreeWidget::itemActivated, this, &ModelsPanel::use);
    auto* used = named("useModel", new QAction(tr("Use in the graph"), models_));
    models_->addAction(used);
    connect(used, &QAction::triggered, this, [this] { use(models_->currentItem()); });
    connect(models_, &QTreeWidget::currentItemChanged, this, &ModelsPanel::showConversion);
    connect(models_, &QTreeWidget::currentItemChanged, this, &ModelsPanel::showDetails);
    if (parts_.shelf && parts_.images) {
        details_ = new ModelDetails(*parts_.shelf, *parts_.images, box);
        connect(details_, &ModelDetails::imageAsked, this, &ModelsPanel::chooseImage);
    }
    convert_ = new QAction(tr("Convert..."), models_);
    convert_->setIconText(convert_->text());  // a button would leave the dots out
    convert_->setObjectName(QStringLiteral("convertModel"));
    convert_->setVisible(false);
    convertButton_ = named("convertButton", new QToolButton(box));
    convertButton_->setDefaultAction(convert_);
    convertButton_->hide();
    models_->addAction(convert_);
    models_->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(convert_, &QAction::triggered, this, [this] {
        if (const FoundModel* model = modelAt(models_->currentItem())) {
            Q_EMIT convertAsked({model->file.kind, model->value});
        }
    });
    columnIn(box,
             2,
             {filter_,
              rowOf(2, {{state_, 1}, again}),
              {pages_, 1},
              details_,
              {convertButton_, 0, Qt::AlignRight}});
    return box;
}

void ModelsPanel::use(const QTreeWidgetItem* item) {
    const FoundModel* model = modelAt(item);
    if (model && model->file.isRunnable) {
        Q_EMIT useAsked(model->file.kind, QString::fromStdString(model->value));
    } else if (model) {
        Q_EMIT unusableChosen(model->file);
    }
}

void ModelsPanel::offerConversion() {
    convert_->setVisible(true);
    convertButton_->show();
    showConversion();
}

void ModelsPanel::showConversion() {
    const FoundModel* model = modelAt(models_->currentItem());
    convert_->setEnabled(model && model->file.isRunnable && isConverted(model->file.kind));
    convert_->setToolTip(convert_->isEnabled()
                             ? tr("Write this model again, as a smaller file")
                             : tr("Select a checkpoint or a denoiser to write it again, smaller"));
}

void ModelsPanel::addModelFolder(const QString& path) {
    settings_.change([&](Preferences& preferences) {
        QStringList& list =
            isPathsFile(path) ? preferences.modelPathsFiles : preferences.modelFolders;
        if (!list.contains(path)) {
            list.push_back(path);
        }
    });
}

void ModelsPanel::showFolders() {
    const Preferences& preferences = settings_.preferences();
    const QStringList all = preferences.modelFolders + preferences.modelPathsFiles;
    if (shownFolders_ == all) {
        return;
    }
    shownFolders_ = all;
    folders_->clear();
    for (const QString& folder : all) {
        auto* item = new QListWidgetItem(
            Theme::current().icon(isPathsFile(folder) ? "file" : "folder"), folder, folders_);
        item->setToolTip(folder);
    }
    folders_->setVisible(!all.isEmpty());
    remove_->setEnabled(folders_->currentRow() >= 0);
}

/// The indices of models in the library's list that are shown, in their order.
std::vector<size_t> ModelsPanel::shownIndices() const {
    const std::vector<FoundModel>& models = library_.models();
    std::vector<size_t> indices(models.size());
    std::iota(indices.begin(), indices.end(), size_t{0});
    const std::optional<ModelVerdict> verdict = filter_->verdict();
    std::erase_if(indices, [&](size_t index) {
        const QString note = parts_.shelf ? parts_.shelf->noteOf(models[index]) : QString();
        return !filter_->accepts(models[index], note) ||
               (verdict && fitOf(models[index]).verdict != *verdict);
    });
    std::ranges::stable_sort(indices, [&](size_t first, size_t second) {
        return filter_->isBefore(models[first], models[second]);
    });
    return indices;
}

void ModelsPanel::showModels() {
    const std::vector<FoundModel>& models = library_.models();
    const QTreeWidgetItem* before = models_->currentItem();
    const std::string selected = before ? pathOf(before) : std::string();
    filter_->setModels(models);
    models_->setUpdatesEnabled(false);
    {
        const QSignalBlocker quiet(models_);  // for a moment nothing is chosen: a note may be typed
        models_->clear();
        QTreeWidgetItem* again = nullptr;
        for (const size_t index : shownIndices()) {
            QTreeWidgetItem* item = addRow(models[index]);
            item->setData(ModelColumn::Verdict, ModelColumn::Index, qulonglong{index});
            again = models[index].file.path == selected ? item : again;
        }
        showVerdicts();
        models_->setCurrentItem(again);
    }
    models_->setUpdatesEnabled(true);
    showConversion();
    showDetails();
    const bool isEmpty = models.empty() && !library_.isScanning();
    pages_->setCurrentIndex(isEmpty ? 1 : 0);
    const int shown = models_->topLevelItemCount();
    const int all = static_cast<int>(models.size());
    state_->setText(library_.isScanning() ? tr("Looking...")
                    : shown == all        ? tr("%n found", nullptr, all)
                                          : tr("%1 of %2").arg(shown).arg(all));
    setTextColour(*problems_, "warning");
    const QStringList problems = library_.problems() + emptyFolders();
    showText(*problems_, problems.join(QLatin1Char('\n')));
}

/// The last look through the folders shows which are there: a disk may take its time to answer.
QStringList ModelsPanel::emptyFolders() const {
    QStringList sentences;
    for (const QString& location : settings_.preferences().modelFolders) {
        const std::string folder = location.toStdString();
        const bool hasModel = std::ranges::any_of(library_.models(), [&](const FoundModel& model) {
            return liesIn(model.file.path, folder);
        });
        const bool isThere = std::ranges::any_of(
            library_.folders(), [&](const ModelFolder& each) { return liesIn(each.path, folder); });
        if (!hasModel && !library_.isScanning() && isThere) {
            sentences << tr("No models were found in %1.").arg(location);
        }
    }
    return sentences;
}

/// Rows, selection and scroll position are kept: the budget changes with nearly every edit.
void ModelsPanel::showVerdicts() {
    for (int row = 0; row < models_->topLevelItemCount(); ++row) {
        showVerdict(*models_->topLevelItem(row));
    }
}

void ModelsPanel::showVerdict(QTreeWidgetItem& item) {
    const FoundModel* model = modelAt(&item);
    const FitText fit = model ? fitOf(*model) : FitText();
    item.setText(ModelColumn::Verdict, fit.text);
    item.setData(ModelColumn::Verdict, Qt::UserRole, QLatin1String(fit.colour));
    if (details_ && &item == models_->currentItem()) {
        details_->setFit(fit.text);
    }
}

QTreeWidgetItem* ModelsPanel::addRow(const FoundModel& model) {
    const bool isBroken = !model.file.problem.empty();
    const QString family = familyText(model.file);
    auto* item = new QTreeWidgetItem(models_,
                                     {QString::fromStdString(model.relative),
                                      isBroken ? tr("cannot be read") : family,
                                      isBroken ? QString() : bytesText(model.file.weights)});
    item->setToolTip(
        ModelColumn::Name,
        isBroken ? moduleSentence(model.file.problem)
                 : tr("%1\n\n%2").arg(QString::fromStdString(model.file.path), verdictRule()));
    if (isBroken) {
        item->setIcon(ModelColumn::Name, Theme::current().icon("warning", "warning"));
    }
    item->setData(ModelColumn::Name, ModelColumn::Path, QString::fromStdString(model.file.path));
    return item;
}

void ModelsPanel::removeFolder() {
    const QListWidgetItem* item = folders_->currentItem();
    if (item == nullptr) {
        return;
    }
    settings_.change([folder = item->text()](Preferences& preferences) {
        preferences.modelFolders.removeAll(folder);
        preferences.modelPathsFiles.removeAll(folder);
    });
}

void ModelsPanel::chooseFolder() {
    auto* dialog = new QFileDialog(this, tr("Add a folder of models"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, &ModelsPanel::addModelFolder);
    dialog->open();
}

void ModelsPanel::choosePathsFile() {
    auto* dialog = new QFileDialog(
        this, tr("Add an extra_model_paths.yaml"), {}, tr("Paths of models (*.yaml *.yml)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ModelsPanel::addModelFolder);
    dialog->open();
}

void ModelsPanel::connectParts() {
    if (parts_.images) {
        connect(parts_.images, &ModelImages::made, this, [this](const std::string&) {
            models_->viewport()->update();
        });
    }
    if (parts_.plans) {
        connect(parts_.plans, &ModelPlans::answered, this, [this](const std::string& path) {
            if (filter_->verdict()) {
                showModels();
            } else if (QTreeWidgetItem* item = itemOf(path)) {
                showVerdict(*item);
            }
        });
        connect(&library_, &ModelLibrary::scanned, parts_.plans, &ModelPlans::forgetAll);
    }
    connect(&library_, &ModelLibrary::scanned, this, [this] {
        if (parts_.images) {
            parts_.images->forgetAll();
        }
        if (QTreeWidgetItem* item = awaited_.empty() ? nullptr : itemOf(awaited_)) {
            awaited_.clear();
            models_->setCurrentItem(item);
            models_->scrollToItem(item);
        }
    });
}

const FoundModel* ModelsPanel::modelAt(const QTreeWidgetItem* item) const {
    const QVariant index = item ? item->data(ModelColumn::Verdict, ModelColumn::Index) : QVariant();
    const auto at = static_cast<size_t>(index.toULongLong());
    return index.isValid() && at < library_.models().size() ? &library_.models()[at] : nullptr;
}

std::string ModelsPanel::pathOf(const QTreeWidgetItem* item) const {
    return item->data(ModelColumn::Name, ModelColumn::Path).toString().toStdString();
}

QTreeWidgetItem* ModelsPanel::itemOf(const std::string& path) const {
    for (int row = 0; row < models_->topLevelItemCount(); ++row) {
        if (pathOf(models_->topLevelItem(row)) == path) {
            return models_->topLevelItem(row);
        }
    }
    return nullptr;
}

/// With a filter for it every model is planned, else those that are seen.
FitText ModelsPanel::fitOf(const FoundModel& model) const {
    std::optional<ModelFit> planned;
    if (parts_.plans && ModelPlans::canPlan(model)) {
        planned = filter_->verdict() ? parts_.plans->find(model) : parts_.plans->known(model);
    }
    return fitTextOf(model, planned, library_.verdictOf(model));
}

/// Called for a row that is painted: only then its thumbnail is read, and the model planned, but
/// not by the painting itself.
QImage ModelsPanel::imageOf(const QModelIndex& index) {
    const FoundModel* model = modelAt(models_->topLevelItem(index.row()));
    if (!model) {
        return {};
    }
    const std::optional<QImage> image = parts_.images->known(*model);
    const bool isPlanned =
        !parts_.plans || !ModelPlans::canPlan(*model) || parts_.plans->known(*model);
    if (!image || !isPlanned) {
        if (seen_.empty()) {
            QMetaObject::invokeMethod(this, &ModelsPanel::askForSeen, Qt::QueuedConnection);
        }
        seen_.insert(model->file.path);
    }
    return image.value_or(QImage());
}

void ModelsPanel::askForSeen() {
    for (const std::string& path : std::exchange(seen_, {})) {
        const FoundModel* model = modelAt(itemOf(path));
        if (!model) {
            continue;
        }
        static_cast<void>(parts_.images->find(*model));
        if (parts_.plans && ModelPlans::canPlan(*model)) {
            static_cast<void>(parts_.plans->find(*model));
        }
    }
}

void ModelsPanel::showDetails() {
    if (!details_) {
        return;
    }
    const FoundModel* model = modelAt(models_->currentItem());
    details_->show(model ? std::optional(*model) : std::nullopt);
    if (model) {
        details_->setFit(fitOf(*model).text);
    }
}

void ModelsPanel::chooseImage() {
    const FoundModel* chosen = modelAt(models_->currentItem());
    if (!chosen) {
        return;
    }
    auto* dialog =
        new QFileDialog(this, tr("The image of %1").arg(QString::fromStdString(chosen->file.name)));
    dialog->setObjectName(QStringLiteral("modelPictureDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Images (*.png *.jpg *.jpeg *.webp)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this, model = *chosen](const QString& path) {
        loadImageLater(path, this, [this, model](const LoadedImage& image) {
            if (!image.levels.empty()) {
                parts_.shelf->setImage(model, image.levels.back());
            }
        });
    });
    dialog->open();
}

void ModelsPanel::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls() && event->source() != models_) {
        event->acceptProposedAction();
    }
}

void ModelsPanel::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    const QPoint at = event->position().toPoint();
    const QList<QUrl> urls = event->mimeData()->urls();
    for (const QUrl& url : urls) {
        if (url.isLocalFile()) {
            takeDropped(url.toLocalFile(), at);
        }
    }
}

void ModelsPanel::takeDropped(const QString& path, QPoint at) {
    const QFileInfo dropped(path);
    if (dropped.isDir() || isModelPathsFile(path.toStdString())) {
        addModelFolder(dropped.absoluteFilePath());
        return;
    }
    if (!isModelName(path.toStdString())) {
        return;
    }
    if (QTreeWidgetItem* item = itemOf(path.toStdString())) {
        models_->setCurrentItem(item);
        models_->scrollToItem(item);
        return;
    }
    auto* menu = named("dropMenu", new QMenu(this));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(
        tr("Add the folder %1").arg(menuText(dropped.dir().dirName())), this, [this, dropped] {
            awaited_ = dropped.absoluteFilePath().toStdString();
            addModelFolder(dropped.absolutePath());
        });
    menu->addAction(tr("Use %1 in the graph").arg(menuText(dropped.fileName())),
                    this,
                    [this, path] { Q_EMIT fileUseAsked(path); });
    menu->popup(mapToGlobal(at));
}

}  // namespace lowtide::ui
