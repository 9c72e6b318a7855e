// What a selected row of the models panel shows, and what happens to dropped files.
#include "plugin/base/error.hpp"
#include "ui/bridge/later.hpp"
#include "ui/bridge/picture_load.hpp"
#include "ui/panels/model_details.hpp"
#include "ui/panels/model_rows.hpp"
#include "ui/panels/models_panel.hpp"
#include "ui/theme/menu_text.hpp"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QTreeWidget>
#include <QUrl>

#include <utility>

namespace lowtide::ui {

void ModelsPanel::connectParts() {
    if (parts_.pictures) {
        connect(parts_.pictures, &ModelPictures::made, this, [this](const std::string&) {
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
        if (parts_.pictures) {
            parts_.pictures->forgetAll();
        }
        if (QTreeWidgetItem* item = awaited_.empty() ? nullptr : itemOf(awaited_)) {
            awaited_.clear();
            models_->setCurrentItem(item);
            models_->scrollToItem(item);
        }
    });
}

const FoundModel* ModelsPanel::modelAt(const QTreeWidgetItem* item) const {
    const QVariant place = item ? item->data(ModelColumn::Verdict, ModelColumn::Place) : QVariant();
    const auto at = static_cast<size_t>(place.toULongLong());
    return place.isValid() && at < library_.models().size() ? &library_.models()[at] : nullptr;
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

/// Of a row that is painted: only then its picture is read, and the model planned, but not by the
/// painting itself.
QImage ModelsPanel::pictureOf(const QModelIndex& index) {
    const FoundModel* model = modelAt(models_->topLevelItem(index.row()));
    if (!model) {
        return {};
    }
    const std::optional<QImage> picture = parts_.pictures->known(*model);
    const bool isPlanned =
        !parts_.plans || !ModelPlans::canPlan(*model) || parts_.plans->known(*model);
    if (!picture || !isPlanned) {
        if (seen_.empty()) {
            QMetaObject::invokeMethod(this, &ModelsPanel::askForSeen, Qt::QueuedConnection);
        }
        seen_.insert(model->file.path);
    }
    return picture.value_or(QImage());
}

void ModelsPanel::askForSeen() {
    for (const std::string& path : std::exchange(seen_, {})) {
        const FoundModel* model = modelAt(itemOf(path));
        if (!model) {
            continue;
        }
        static_cast<void>(parts_.pictures->find(*model));
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

void ModelsPanel::choosePicture() {
    const FoundModel* chosen = modelAt(models_->currentItem());
    if (!chosen) {
        return;
    }
    auto* dialog = new QFileDialog(
        this, tr("The picture of %1").arg(QString::fromStdString(chosen->file.name)));
    dialog->setObjectName(QStringLiteral("modelPictureDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Pictures (*.png *.jpg *.jpeg *.webp)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this, model = *chosen](const QString& path) {
        loadPictureLater(path, this, [this, model](const LoadedPicture& picture) {
            if (!picture.levels.empty()) {
                parts_.shelf->setPicture(model, picture.levels.back());
            }
        });
    });
    dialog->open();
}

void ModelsPanel::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) {
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
        addPlace(dropped.absoluteFilePath());
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
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("dropMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(
        tr("Add the folder %1").arg(menuText(dropped.dir().dirName())), this, [this, dropped] {
            awaited_ = dropped.absoluteFilePath().toStdString();
            addPlace(dropped.absolutePath());
        });
    menu->addAction(tr("Use %1 in the graph").arg(menuText(dropped.fileName())),
                    this,
                    [this, path] { Q_EMIT fileUseAsked(path); });
    menu->popup(mapToGlobal(at));
}

}  // namespace lowtide::ui
