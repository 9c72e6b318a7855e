#include "ui/studio/unused_images.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/language.hpp"
#include "ui/painting/kept_image.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QCoreApplication>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QDir>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <span>

namespace lowtide::ui {

namespace {

constexpr std::string_view kPngEnding = ".png";
/// Of names that keepImage() gives.
constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-";
constexpr Bytes kPiece = kMiB;
/// No name is longer, so none is cut by the end of a piece.
constexpr Bytes kOverlap = 128;

class UnusedWords {
    Q_DECLARE_TR_FUNCTIONS(UnusedImages)
};

void addFiles(QStringList& files, const QString& folder, const QString& pattern) {
    for (const QFileInfo& file :
         QDir(folder).entryInfoList({pattern}, QDir::Files | QDir::Hidden)) {
        files << file.absoluteFilePath();
    }
}

/// Files that may name images of the graph at `path`.
QStringList graphFiles(const QString& path, const AppFolders& appFolders) {
    QStringList files{path};
    addFiles(files, QFileInfo(path).absolutePath(), QStringLiteral("*.json"));
    for (const Backup& backup : backupsOf(path, appFolders.backups)) {
        files << backup.path;
    }
    addFiles(files, appFolders.journals, QStringLiteral("*"));
    addFiles(files, appFolders.presets, QStringLiteral("*.json"));
    return files;
}

Bytes bytesOf(const QFileInfoList& files) {
    Bytes all = 0;
    for (const QFileInfo& file : files) {
        all += file.size();
    }
    return all;
}

QTreeWidget* listOf(const QFileInfoList& files, QWidget* parent) {
    auto* list = named("list", new QTreeWidget(parent));
    list->setRootIsDecorated(false);
    list->setUniformRowHeights(true);
    list->setHeaderLabels(
        {UnusedDialog::tr("File"), UnusedDialog::tr("Size"), UnusedDialog::tr("Written")});
    for (const QFileInfo& file : files) {
        auto* row = new QTreeWidgetItem(
            list, {file.fileName(), bytesText(file.size()), dateTimeText(file.lastModified())});
        row->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    }
    list->setCurrentItem(list->topLevelItem(0));
    list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list->header()->setStretchLastSection(false);
    return list;
}

}  // namespace

void UsedNames::addFrom(std::string_view text) {
    for (size_t end = text.find(kPngEnding); end != std::string_view::npos;
         end = text.find(kPngEnding, end + 1)) {
        const size_t before = text.substr(0, end).find_last_not_of(kNameCharacters);
        const size_t begin = before == std::string_view::npos ? 0 : before + 1;
        names_.emplace(text.substr(begin, end + kPngEnding.size() - begin));
    }
}

void UsedNames::addFromFile(const QString& path) {
    try {
        const files::InputFile file(encoded(path));
        const Bytes size = file.identity().size;
        std::string piece;
        for (Bytes offset = 0; offset < size; offset += kPiece) {
            piece.resize(static_cast<size_t>(std::min(kPiece + kOverlap, size - offset)));
            file.read(std::as_writable_bytes(std::span(piece)), offset);
            addFrom(piece);
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::NotFound) {
            throw;
        }
    }
}

QFileInfoList UsedNames::unusedOf(const QFileInfoList& files) const {
    QFileInfoList unused;
    for (const QFileInfo& file : files) {
        if (!names_.contains(file.fileName().toStdString())) {
            unused << file;
        }
    }
    return unused;
}

QString imageFolderOf(const QString& path) {
    const QFileInfo graph(path);
    return graph.absolutePath() + u'/' + graph.completeBaseName() + QStringLiteral(".files");
}

SiblingImages siblingImages(const QString& path, const AppFolders& appFolders) {
    const QString own = imageFolderOf(path);
    SiblingImages found;
    for (const QString& folder : {own,
                                  QFileInfo(path).absolutePath(),
                                  appFolders.backups,
                                  appFolders.journals,
                                  appFolders.presets}) {
        if (QFileInfo(folder).isDir() && !QFileInfo(folder).isReadable()) {  // Qt lists no file
            found.problem = UnusedWords::tr("The folder “%1” may not be read.").arg(folder);
            return found;
        }
    }
    try {
        found.written = keptImagesIn(own);
        for (const QString& file : graphFiles(path, appFolders)) {
            found.used.addFromFile(file);
        }
    } catch (const Error& error) {
        found.problem = sentenceOf(error);
    }
    return found;
}

UnusedDialog::UnusedDialog(const QFileInfoList& files, const QString& graph, QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("unused"));
    setWindowTitle(tr("Unused masks"));
    resize(Theme::space(160), Theme::space(110));
    const int count = static_cast<int>(files.size());
    QLabel* head = makeText(tr("%n files next to “%1” are unused: %2.", nullptr, count)
                                .arg(graph, bytesText(bytesOf(files))),
                            "head",
                            this);
    head->setTextFormat(Qt::PlainText);
    QLabel* looked = makeText(
        tr("The studio wrote these masks, crops and extended images. No graph in this folder, undo "
           "step, backup, preset or run uses them; graphs in other folders are not checked."),
        "",
        this);
    QTreeWidget* list = listOf(files, this);
    list->setAccessibleName(tr("Unused masks"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    QPushButton* move =
        buttons->addButton(tr("Move to the wastebasket"), QDialogButtonBox::AcceptRole);
    move->setObjectName(QStringLiteral("move"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(Theme::space(2));
    addAll(*column, {head, looked, {list, 1}, buttons});
    buttons->button(QDialogButtonBox::Cancel)->setDefault(true);
}

}  // namespace lowtide::ui
