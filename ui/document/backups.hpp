#pragma once

#include <QString>

namespace lowtide::ui {

/// Keeps what stands in the file now, before something else is written there, and removes the
/// oldest beyond ten. Nothing when there is no file, or when the newest backup is the same. Errors
/// as files::OutputFile.
void keepBackup(const QString& path, const QString& backupFolder);

}  // namespace lowtide::ui
