#pragma once

#include "ui/bridge/sheet_plan.hpp"

#include <QFont>
#include <QImage>
#include <QString>
#include <QStringList>

#include <vector>

namespace lowtide::ui {

/// A cell as it is drawn.
struct DrawnCell {
    QString file;         ///< image or video, of which the first frame; empty: there is none
    QStringList caption;  ///< lines below it
    QString problem;      ///< in place of the image
};

/// All cells in one image, with the names and values of the axes.
struct SheetDrawing {
    SheetPlan plan;
    QString title;
    std::vector<DrawnCell> cells;  ///< row by row
    QFont font;
};

/// Most pixels of a drawing: larger images are shrunk, all by the same factor.
inline constexpr double kMostSheetPixels = 1 << 26;

/// Images at their own size, labels as large as they can be read next to them, dark on white; no
/// side is longer than the viewer shows. RGB888 without padding. Takes a while: not for the GUI
/// thread. Error{OutOfMemory}.
[[nodiscard]] QImage drawSheet(const SheetDrawing& drawing);

/// `<folder>/<name>_sheet_00001.png`, the next that is free. An empty file of that name is made, so
/// that nobody else takes it; where none can be made, writing the sheet reports why. `name` loses
/// what no file takes.
[[nodiscard]] QString claimedSheetName(const QString& folder, const QString& name);

}  // namespace lowtide::ui
