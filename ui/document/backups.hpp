#pragma once

#include <QString>

#include <string_view>

namespace lowtide::ui {

/// Keeps what stands in the file now, before `next` is written there, and removes the oldest beyond
/// ten. Nothing when there is no file, or when it or the newest backup would be the same. Errors as
/// files::OutputFile.
void keepBackup(const QString& path, std::string_view next, const QString& backupFolder);

}  // namespace lowtide::ui
