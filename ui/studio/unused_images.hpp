#pragma once

#include "ui/studio/app_folders.hpp"

#include <QDialog>
#include <QFileInfo>
#include <QString>

#include <set>
#include <string>
#include <string_view>

namespace lowtide::ui {

/// Names of PNG files in texts of graphs. A name counts wherever its folder is: the hash in it
/// tells it from all others, and a graph that misses its mask costs more than a file kept in vain.
class UsedNames {
public:
    void addFrom(std::string_view text);
    /// A file that is gone uses nothing. Other errors as InputFile.
    void addFromFile(const QString& path);
    /// Those that it does not name.
    [[nodiscard]] QFileInfoList unusedOf(const QFileInfoList& files) const;

private:
    std::set<std::string> names_;
};

/// What lies in the folder of a graph's own images, and what on the disk uses it.
struct SiblingImages {
    QFileInfoList written;  ///< that the program wrote there and nobody changed
    UsedNames used;
    bool areRunsLost = false;  ///< some earlier run's graph cannot be read any more
    QString problem;           ///< what could not be read; empty: nothing
};

/// Where the masks, crops and extended images of the graph at `path` lie.
[[nodiscard]] QString imageFolderOf(const QString& path);
/// Looks into the graph at `path`, other graphs of its folder (saved from this one under another
/// name they share its images), its backups, journals and presets. Any thread.
[[nodiscard]] SiblingImages siblingImages(const QString& path, const AppFolders& appFolders);

/// Asks whether files that nothing uses may go to the wastebasket.
class UnusedDialog : public QDialog {
    Q_OBJECT

public:
    /// All of the folder of the graph called `graph`.
    UnusedDialog(const QFileInfoList& files, const QString& graph, QWidget* parent);
};

}  // namespace lowtide::ui
