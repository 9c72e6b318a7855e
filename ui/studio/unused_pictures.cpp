#include "ui/studio/unused_pictures.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/bridge/picture_load.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/painting/kept_picture.hpp"

#include <QCoreApplication>
#include <QDir>

#include <algorithm>
#include <span>

namespace lowtide::ui {

namespace {

constexpr std::string_view kPngEnding = ".png";
/// Of names that keepPicture() gives.
constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-";
constexpr Bytes kPiece = kMiB;
/// No name is longer, so none is cut by the end of a piece.
constexpr Bytes kOverlap = 128;

class UnusedWords {
    Q_DECLARE_TR_FUNCTIONS(UnusedPictures)
};

void addFiles(QStringList& files, const QString& folder, const QString& pattern) {
    for (const QFileInfo& file :
         QDir(folder).entryInfoList({pattern}, QDir::Files | QDir::Hidden)) {
        files << file.absoluteFilePath();
    }
}

/// Files that may name pictures of the graph at `path`.
QStringList graphFiles(const QString& path, const Places& places) {
    QStringList files{path};
    addFiles(files, QFileInfo(path).absolutePath(), QStringLiteral("*.json"));
    for (const Backup& backup : backupsOf(path, places.backups)) {
        files << backup.path;
    }
    addFiles(files, places.journals, QStringLiteral("*"));
    addFiles(files, places.presets, QStringLiteral("*.json"));
    return files;
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

QString pictureFolderOf(const QString& path) {
    const QFileInfo graph(path);
    return graph.absolutePath() + u'/' + graph.completeBaseName() + QStringLiteral(".files");
}

PicturesBeside picturesBeside(const QString& path, const Places& places) {
    const QString own = pictureFolderOf(path);
    PicturesBeside found;
    for (const QString& folder :
         {own, QFileInfo(path).absolutePath(), places.backups, places.journals, places.presets}) {
        if (QFileInfo(folder).isDir() && !QFileInfo(folder).isReadable()) {  // Qt lists no file
            found.problem = UnusedWords::tr("The folder “%1” may not be read.").arg(folder);
            return found;
        }
    }
    try {
        found.written = keptPicturesIn(own);
        for (const QString& file : graphFiles(path, places)) {
            found.used.addFromFile(file);
        }
    } catch (const Error& error) {
        found.problem = sentenceOf(error);
    }
    return found;
}

}  // namespace lowtide::ui
