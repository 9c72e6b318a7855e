#pragma once

#include "ui/history/run_record.hpp"

#include <QString>

namespace lowtide::ui {

/// What became of a file.
struct MovedFile {
    int64_t picture = 0;
    QString path;     ///< where it is now; empty: it is gone from its folder
    QString problem;  ///< why it stays as it was; empty: it does not
};

/// Into the desktop's wastebasket; a file that is not there any more counts as moved.
[[nodiscard]] MovedFile moveToWastebasket(const PictureRecord& picture);
/// In its folder, with its ending. Nothing is overwritten.
[[nodiscard]] MovedFile renameFile(const PictureRecord& picture, const QString& name);

}  // namespace lowtide::ui
