#pragma once

#include "ui/history/run_record.hpp"

#include <QString>

namespace lowtide::ui {

/// What became of a file.
struct MovedFile {
    int64_t picture = 0;
    QString path;             ///< where it is now; empty: it is gone from its folder
    QString problem;          ///< why it stays as it was; empty: it does not
    QString before;           ///< of a renamed file: its old name
    QString inWastebasket{};  ///< its path there; empty: it is not there
    /// Whether it has both names until endRename(), so that a program that ends in between leaves a
    /// picture whose name is known.
    bool hasBoth = false;
};

/// Into the desktop's wastebasket; a file that is not there any more counts as moved.
[[nodiscard]] MovedFile moveToWastebasket(const PictureRecord& picture);
/// Back to `path`, where nothing is overwritten; a file that was gone before stays gone. Why it
/// stays in the wastebasket, as a sentence; empty: it does not.
[[nodiscard]] QString takeFromWastebasket(const MovedFile& moved, const QString& path);
/// In its folder, with its ending. Nothing is overwritten. endRename() follows, once the new name
/// is kept.
[[nodiscard]] MovedFile renameFile(const PictureRecord& picture, const QString& name);
/// Takes the old name away.
void endRename(const MovedFile& moved);

}  // namespace lowtide::ui
