#pragma once

#include "ui/bridge/background.hpp"
#include "ui/panels/sheet_dialog.hpp"
#include "ui/studio/gallery_controller.hpp"
#include "ui/studio/run_commands.hpp"

#include <QHash>
#include <QObject>

namespace lowtide::ui {

/// Sheets from the question to the image: asks what differs, queues a run for each cell, shows
/// them while they come, and writes the image of all when the last has ended, also of sheets of
/// a studio that ended before.
class SheetController : public QObject {
    Q_OBJECT

public:
    /// All must outlive it; there is a sheet.
    SheetController(MainWindowWidgets& widgets, RunCommands& runs, GalleryController& gallery);

    /// The image of all cells, or why there is none.
    struct WrittenSheet {
        QString path;
        QString problem;
    };

private:
    void connectWidgets();
    /// Asks for the parameters and their values, and starts.
    void ask(const SheetRequest& request);
    /// The sheet that a run is, or is a cell of; an empty key: the newest, where there is one.
    void open(const RunKey& key);
    /// Images that were not written because the studio ended, or a run was forgotten.
    void writeMissing();
    void start(const SheetPlan& plan);
    void endRun(quint64 run);
    void endWaiting(const std::vector<quint64>& runs);
    /// As it is kept by now.
    void endCellsOf(const SheetRecord& sheet);
    void reportProgress(quint64 run);
    void take(const SheetRecord& sheet);
    void show(const SheetRecord& sheet);
    /// What is reported to the user about the image of a sheet.
    enum class Reported { All, Success };
    void write(const SheetRecord& sheet, Reported reported);
    void takeWritten(const SheetRecord& sheet, Reported reported, const WrittenSheet& done);
    void useValues(int cell);
    void retry();
    [[nodiscard]] Json optionsOf(const SheetPlan& plan) const;

    MainWindowWidgets& widgets_;
    RunCommands& runs_;
    Workspace& workspace_;
    SheetView& view_;
    NoticeBar& notices_;
    QWidget* window_;
    QHash<RunKey, bool> writing_;  ///< sheets whose image is being made; whether it is old already
    Background planning_;          ///< of sheets that are asked about
    Background drawing_;  ///< one at a time: each needs much memory, and a name that is free
    quint64 times_ = 0;   ///< that a sheet was shown or asked for
};

}  // namespace lowtide::ui
