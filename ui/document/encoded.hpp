#pragma once

#include <QFile>

#include <string>

namespace lowtide::ui {

/// A path as the system has it, for files::InputFile and files::OutputFile.
[[nodiscard]] inline std::string encoded(const QString& path) {
    return QFile::encodeName(path).toStdString();
}

}  // namespace lowtide::ui
