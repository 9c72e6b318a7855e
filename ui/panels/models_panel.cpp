#include "ui/panels/models_panel.hpp"

#include "ui/models/model_folders.hpp"
#include "ui/panels/empty_state.hpp"
#include "ui/panels/model_rows.hpp"
#include "ui/panels/offered_models.hpp"
#include "ui/panels/token_colour.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kPlacesHeight = 92;

/// Of a row's verdict: the place of its model in the library's list.
constexpr int kPlace = Qt::UserRole + 1;

QString kindText(ModelKind kind) {
    switch (kind) {
        case ModelKind::Checkpoint:
            return ModelsPanel::tr("checkpoint");
        case ModelKind::Denoiser:
            return ModelsPanel::tr("denoiser");
        case ModelKind::DiffusionModel:
            return ModelsPanel::tr("diffusion model");
        case ModelKind::TextEncoder:
            return ModelsPanel::tr("text encoder");
        case ModelKind::Autoencoder:
            return ModelsPanel::tr("autoencoder");
        case ModelKind::Upscaler:
            return ModelsPanel::tr("upscaler");
        case ModelKind::Lora:
            return ModelsPanel::tr("LoRA");
        case ModelKind::ControlNet:
            return ModelsPanel::tr("ControlNet");
        case ModelKind::IpAdapter:
            return ModelsPanel::tr("IP-Adapter");
        case ModelKind::ImageEncoder:
            return ModelsPanel::tr("image encoder");
        case ModelKind::Embedding:
            return ModelsPanel::tr("embedding");
        case ModelKind::Other:
            break;
    }
    return ModelsPanel::tr("unknown");
}

const char* verdictColour(ModelVerdict verdict) {
    switch (verdict) {
        case ModelVerdict::Fits:
            return "success";
        case ModelVerdict::Streams:
            return "warning";
        case ModelVerdict::TooBig:
            return "error";
        case ModelVerdict::Unknown:
            break;
    }
    return "text.muted";
}

QToolButton* makeIconButton(const char* name,
                            const char* icon,
                            const QString& text,
                            QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(QLatin1String(name));
    button->setIcon(Theme::current().icon(icon));
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    return button;
}

/// The model of a row; nothing where no graph can name it.
std::optional<NamedModel> modelOf(const QTreeWidgetItem* item) {
    const QVariant kind = item ? item->data(ModelColumn::Name, Qt::UserRole) : QVariant();
    if (!kind.isValid()) {
        return std::nullopt;
    }
    return NamedModel{kind.value<ModelKind>(),
                      item->data(ModelColumn::Family, Qt::UserRole).toString().toStdString()};
}

bool isConverted(ModelKind kind) {
    return kind == ModelKind::Checkpoint || kind == ModelKind::Denoiser;
}

bool isPathsFile(const QString& path) {
    return isModelPathsFile(path.toStdString());
}

}  // namespace

ModelsPanel::ModelsPanel(Settings& settings, ModelLibrary& library, QWidget* parent)
    : QWidget(parent), settings_(settings), library_(library) {
    setObjectName(QStringLiteral("modelsPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::space(3), Theme::space(3), Theme::space(3), Theme::space(3));
    column->setSpacing(Theme::space(2));
    column->addWidget(makePlaces());
    problems_ = new QLabel(this);
    problems_->setObjectName(QStringLiteral("modelProblems"));
    problems_->setWordWrap(true);
    column->addWidget(problems_);
    column->addWidget(makeModels(), 1);
    connect(&library_, &ModelLibrary::changed, this, &ModelsPanel::showModels);
    connect(&library_, &ModelLibrary::budgetChanged, this, &ModelsPanel::showVerdicts);
    connect(&settings_, &Settings::changed, this, &ModelsPanel::showPlaces);
    showPlaces();
    showModels();
}

QWidget* ModelsPanel::makePlaces() {
    auto* box = new QWidget(this);
    auto* label = new QLabel(tr("Model folders"), box);
    label->setFont(Theme::current().font("label"));
    QToolButton* folder = makeIconButton("addFolder", "folder", tr("Add a folder..."), box);
    QToolButton* file = makeIconButton(
        "addPathsFile", "file", tr("Add an extra_model_paths.yaml of ComfyUI..."), box);
    remove_ =
        makeIconButton("removePlace", "minus", tr("Remove it from the list; its files stay"), box);
    places_ = new QListWidget(box);
    places_->setObjectName(QStringLiteral("places"));
    places_->setAccessibleName(label->text());
    places_->setMaximumHeight(kPlacesHeight);
    places_->setTextElideMode(Qt::ElideMiddle);
    connect(folder, &QToolButton::clicked, this, &ModelsPanel::chooseFolder);
    connect(file, &QToolButton::clicked, this, &ModelsPanel::choosePathsFile);
    connect(remove_, &QToolButton::clicked, this, &ModelsPanel::removePlace);
    connect(places_, &QListWidget::currentRowChanged, this, [this](int row) {
        remove_->setEnabled(row >= 0);
    });
    auto* row = new QHBoxLayout;
    row->setSpacing(Theme::space(1));
    row->addWidget(label, 1);
    for (QToolButton* each : {folder, file, remove_}) {
        row->addWidget(each);
    }
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(1));
    column->addLayout(row);
    column->addWidget(places_);
    return box;
}

QWidget* ModelsPanel::makeModels() {
    auto* box = new QWidget(this);
    search_ = new QLineEdit(box);
    search_->setObjectName(QStringLiteral("modelSearch"));
    search_->setPlaceholderText(tr("Search models"));
    QToolButton* again =
        makeIconButton("rescan", "refresh", tr("Look through the folders again"), box);
    state_ = new QLabel(box);
    state_->setObjectName(QStringLiteral("modelState"));
    models_ = new QTreeWidget(box);
    models_->setObjectName(QStringLiteral("models"));
    models_->setAccessibleName(tr("Models"));
    models_->setHeaderLabels({tr("Model"), tr("Family"), tr("Size"), tr("This budget")});
    models_->setRootIsDecorated(false);
    models_->setUniformRowHeights(true);
    models_->setItemDelegate(new ModelRowDelegate(models_));
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
    connect(search_, &QLineEdit::textChanged, this, &ModelsPanel::showModels);
    connect(again, &QToolButton::clicked, &library_, &ModelLibrary::rescan);
    connect(models_, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        if (const auto model = modelOf(item)) {
            Q_EMIT useAsked(model->kind, QString::fromStdString(model->value));
        }
    });
    connect(models_, &QTreeWidget::currentItemChanged, this, &ModelsPanel::showConversion);
    convert_ = new QAction(tr("Convert..."), models_);
    convert_->setIconText(convert_->text());  // a button would leave the dots out
    convert_->setObjectName(QStringLiteral("convertModel"));
    convert_->setVisible(false);
    convertButton_ = new QToolButton(box);
    convertButton_->setObjectName(QStringLiteral("convertButton"));
    convertButton_->setDefaultAction(convert_);
    convertButton_->hide();
    models_->addAction(convert_);
    models_->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(convert_, &QAction::triggered, this, [this] {
        if (const auto model = modelOf(models_->currentItem())) {
            Q_EMIT convertAsked(*model);
        }
    });
    auto* row = new QHBoxLayout;
    row->setSpacing(Theme::space(2));
    row->addWidget(search_, 1);
    row->addWidget(state_);
    row->addWidget(again);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(2));
    column->addLayout(row);
    column->addWidget(pages_, 1);
    column->addWidget(convertButton_, 0, Qt::AlignRight);
    return box;
}

void ModelsPanel::offerConversion() {
    convert_->setVisible(true);
    convertButton_->show();
    showConversion();
}

void ModelsPanel::showConversion() {
    const auto model = modelOf(models_->currentItem());
    convert_->setEnabled(model && isConverted(model->kind));
    convert_->setToolTip(convert_->isEnabled()
                             ? tr("Write this model again, as a smaller file")
                             : tr("Select a checkpoint or a denoiser to write it again, smaller"));
}

void ModelsPanel::addPlace(const QString& path) {
    settings_.change([&](Preferences& preferences) {
        QStringList& list =
            isPathsFile(path) ? preferences.modelPathsFiles : preferences.modelFolders;
        if (!list.contains(path)) {
            list.push_back(path);
        }
    });
}

void ModelsPanel::showPlaces() {
    const Preferences& preferences = settings_.preferences();
    const QStringList all = preferences.modelFolders + preferences.modelPathsFiles;
    if (shownPlaces_ == all) {
        return;
    }
    shownPlaces_ = all;
    places_->clear();
    for (const QString& place : all) {
        auto* item = new QListWidgetItem(
            Theme::current().icon(isPathsFile(place) ? "file" : "folder"), place, places_);
        item->setToolTip(place);
    }
    places_->setVisible(!all.isEmpty());
    remove_->setEnabled(places_->currentRow() >= 0);
}

void ModelsPanel::showModels() {
    models_->clear();
    const std::vector<FoundModel>& models = library_.models();
    for (size_t place = 0; place < models.size(); ++place) {
        const QString name = QString::fromStdString(models[place].relative);
        if (name.contains(search_->text(), Qt::CaseInsensitive)) {
            addRow(models[place])->setData(ModelColumn::Verdict, kPlace, qulonglong{place});
        }
    }
    showVerdicts();
    const bool isEmpty = models.empty() && !library_.isScanning();
    pages_->setCurrentIndex(isEmpty ? 1 : 0);
    state_->setText(library_.isScanning() ? tr("Looking...") : tr("%1 found").arg(models.size()));
    setTextColour(*problems_, "warning");
    const QStringList problems = library_.problems() + emptyPlaces();
    problems_->setText(problems.join(QLatin1Char('\n')));
    problems_->setVisible(!problems.isEmpty());
}

QStringList ModelsPanel::emptyPlaces() const {
    QStringList sentences;
    for (const QString& place : settings_.preferences().modelFolders) {
        const std::string folder = place.toStdString();
        const bool hasModel = std::any_of(
            library_.models().begin(), library_.models().end(), [&](const FoundModel& model) {
                return model.file.path.starts_with(folder);
            });
        if (!hasModel && !library_.isScanning() && QFileInfo(place).isDir()) {
            sentences << tr("No models were found in %1.").arg(place);
        }
    }
    return sentences;
}

/// Rows, selection and place of the list stay: the budget changes with nearly every edit.
void ModelsPanel::showVerdicts() {
    for (int row = 0; row < models_->topLevelItemCount(); ++row) {
        QTreeWidgetItem* item = models_->topLevelItem(row);
        const auto place =
            static_cast<size_t>(item->data(ModelColumn::Verdict, kPlace).toULongLong());
        const FoundModel& model = library_.models().at(place);
        const bool isBroken = !model.file.problem.empty();
        const bool isRun = !isBroken && model.file.isRunnable;
        const ModelVerdict verdict = library_.verdictOf(model);
        item->setText(
            ModelColumn::Verdict,
            !isBroken && !model.file.isRunnable ? tr("not run here") : verdictText(verdict));
        item->setData(ModelColumn::Verdict,
                      Qt::UserRole,
                      QLatin1String(isRun ? verdictColour(verdict) : "text.muted"));
    }
}

QTreeWidgetItem* ModelsPanel::addRow(const FoundModel& model) {
    const bool isBroken = !model.file.problem.empty();
    const QString family = model.file.family.empty() ? kindText(model.file.kind)
                                                     : QString::fromStdString(model.file.family);
    auto* item = new QTreeWidgetItem(models_,
                                     {QString::fromStdString(model.relative),
                                      isBroken ? tr("cannot be read") : family,
                                      isBroken ? QString() : bytesText(model.file.weights)});
    item->setToolTip(
        ModelColumn::Name,
        isBroken ? QString::fromStdString(model.file.problem)
                 : tr("%1\n\n%2").arg(QString::fromStdString(model.file.path), verdictRule()));
    if (isBroken) {
        item->setIcon(ModelColumn::Name, Theme::current().icon("warning", "warning"));
    }
    if (model.file.isRunnable) {
        item->setData(ModelColumn::Name, Qt::UserRole, QVariant::fromValue(model.file.kind));
        item->setData(ModelColumn::Family, Qt::UserRole, QString::fromStdString(model.value));
    }
    return item;
}

void ModelsPanel::removePlace() {
    const QListWidgetItem* item = places_->currentItem();
    if (item == nullptr) {
        return;
    }
    settings_.change([place = item->text()](Preferences& preferences) {
        preferences.modelFolders.removeAll(place);
        preferences.modelPathsFiles.removeAll(place);
    });
}

void ModelsPanel::chooseFolder() {
    auto* dialog = new QFileDialog(this, tr("Add a folder of models"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, &ModelsPanel::addPlace);
    dialog->open();
}

void ModelsPanel::choosePathsFile() {
    auto* dialog = new QFileDialog(
        this, tr("Add an extra_model_paths.yaml"), {}, tr("Paths of models (*.yaml *.yml)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ModelsPanel::addPlace);
    dialog->open();
}

}  // namespace lowtide::ui
