#include "ui/panels/converted_path.hpp"

#include <QDir>
#include <QFileInfo>

namespace lowtide::ui {

QString convertedPath(const QString& source, const StorageChoice& choice) {
    const QFileInfo info(source);
    const QString name =
        info.isDir() ? info.fileName() + QStringLiteral("_unet") : info.completeBaseName();
    const QString start =
        info.dir().filePath(name + QLatin1Char('_') + QString::fromStdString(choice.storage));
    QString path = start + choice.ending;
    for (int number = 2; QFileInfo::exists(path); ++number) {
        path = start + QStringLiteral("_%1").arg(number) + choice.ending;
    }
    return path;
}

QString withEndingOf(const StorageChoice& choice, const QString& path) {
    for (const QLatin1String ending : {QLatin1String(".safetensors"), QLatin1String(".gguf")}) {
        if (path.endsWith(ending, Qt::CaseInsensitive)) {
            return path.left(path.size() - ending.size()) + choice.ending;
        }
    }
    return path;
}

}  // namespace lowtide::ui
