#include "ui/studio/dropped_file.hpp"

#include "plugin/base/error.hpp"
#include "ui/document/edits.hpp"
#include "ui/studio/error_dialog.hpp"

#include <QCheckBox>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QUrl>

namespace lowtide::ui {

namespace {

bool isPictureName(const QString& path) {
    return path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive);
}

bool carriesGraph(const QString& path) {
    try {
        static_cast<void>(loadGraph(path));
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

PictureInput pictureInput(const graph::Catalog& catalog) {
    for (const NodeDesc& desc : catalog.nodes()) {
        if (!desc.inputs.empty() || desc.outputs.empty() || desc.outputs.front().type != "IMAGE") {
            continue;
        }
        for (const ParamDesc& param : desc.params) {
            if (param.kind == ParamKind::File) {
                return {&desc, &param};
            }
        }
    }
    return {};
}

QStringList localFiles(const QMimeData* data) {
    QStringList files;
    const QList<QUrl> urls = data->urls();
    for (const QUrl& url : urls) {
        if (url.isLocalFile()) {
            files << url.toLocalFile();
        }
    }
    return files;
}

DroppedFile::DroppedFile(GraphModel& model,
                         FileCommands& files,
                         Settings& settings,
                         QWidget* window)
    : QObject(window), model_(model), files_(files), settings_(settings), window_(window) {}

void DroppedFile::take(const QString& path, QPointF at) {
    if (!isPictureName(path)) {
        files_.openPath(path);
    } else if (!carriesGraph(path)) {
        useAsInput(path, at);
    } else {
        const DroppedPicture chosen = ask(QFileInfo(path).fileName());
        if (chosen == DroppedPicture::OpenGraph) {
            files_.openPath(path);
        } else if (chosen == DroppedPicture::UseAsInput) {
            useAsInput(path, at);
        }
    }
}

DroppedPicture DroppedFile::ask(const QString& name) {
    const DroppedPicture known = settings_.preferences().droppedPicture;
    if (known != DroppedPicture::Ask) {
        return known;
    }
    QMessageBox box(QMessageBox::Question,
                    tr("A picture with a graph"),
                    tr("“%1” carries the graph that made it.").arg(name),
                    QMessageBox::Cancel,
                    window_);
    box.setObjectName(QStringLiteral("droppedPicture"));
    QPushButton* open = box.addButton(tr("Open the graph"), QMessageBox::AcceptRole);
    QPushButton* use = box.addButton(tr("Use as input"), QMessageBox::AcceptRole);
    auto* always = new QCheckBox(tr("Do so from now on (Settings brings the question back)"));
    box.setCheckBox(always);
    box.setDefaultButton(open);
    box.exec();
    const DroppedPicture chosen = box.clickedButton() == open  ? DroppedPicture::OpenGraph
                                  : box.clickedButton() == use ? DroppedPicture::UseAsInput
                                                               : DroppedPicture::Ask;
    if (always->isChecked() && chosen != DroppedPicture::Ask) {
        settings_.change([&](Preferences& preferences) { preferences.droppedPicture = chosen; });
    }
    return chosen;
}

void DroppedFile::useAsInput(const QString& path, QPointF at) {
    const PictureInput input = pictureInput(model_.catalog());
    if (!input.desc) {
        showError(window_,
                  tr("No input for pictures"),
                  tr("no node here reads a picture from a file"),
                  tr("start the studio with its engine"));
        return;
    }
    model_.apply(tr("Use %1").arg(QFileInfo(path).fileName()), [&](graph::Document& document) {
        const std::string id = addNode(document, *input.desc, {at.x(), at.y()});
        document.nodes.at(id).params[input.param->id] = path.toStdString();
    });
}

}  // namespace lowtide::ui
