#pragma once

#include "ui/bridge/run_library.hpp"
#include "ui/history/run_record.hpp"

#include <QObject>
#include <QString>

#include <deque>
#include <vector>

namespace lowtide::ui {

/// What became of a file.
struct MovedFile {
    int64_t image = 0;
    QString path;             ///< where it is now; empty: it is gone from its folder
    QString problem;          ///< why it was left as it was; empty: it was not
    QString before;           ///< of a renamed file: its old name
    QString inWastebasket{};  ///< its path there; empty: it is not there
    /// Whether it has both names until endRename(), so that a program that ends in between leaves
    /// an image whose name is known.
    bool hasBoth = false;
};

/// Into the desktop's wastebasket; a file that is not there any more counts as moved.
[[nodiscard]] MovedFile moveToWastebasket(const ImageRecord& image);
/// Back to `path`, where nothing is overwritten; a file that was gone before remains gone. Returns
/// why it remains in the wastebasket, as a sentence; empty: it does not.
[[nodiscard]] QString takeFromWastebasket(const MovedFile& moved, const QString& path);
/// In its folder, with its ending. Nothing is overwritten. endRename() follows, once the new name
/// is kept.
[[nodiscard]] MovedFile renameFile(const ImageRecord& image, const QString& name);
/// Takes the old name away.
void endRename(const MovedFile& moved);

/// Moves images of the gallery to the wastebasket and takes them out of it again, file and
/// record, the last ones first, the newest fifty times for as long as the window is open.
class GalleryRemoval : public QObject {
    Q_OBJECT

public:
    /// `library` must outlive it.
    explicit GalleryRemoval(RunLibrary& library, QObject* parent = nullptr);

    void remove(std::vector<ImageRecord> images);

    [[nodiscard]] bool canUndo() const { return !removed_.empty(); }

    /// Nothing where there is nothing to undo.
    void undo();

Q_SIGNALS:
    /// What was done, as a sentence.
    void removed(const QString& sentence);
    void returned(const QString& sentence);
    /// Something did not go: a sentence.
    void refused(const QString& sentence);

private:
    struct Removed {
        ImageRecord image;
        MovedFile moved;
    };

    void showMessage(std::vector<Removed> images);

    RunLibrary& library_;
    std::deque<std::vector<Removed>> removed_;  ///< what went together
};

}  // namespace lowtide::ui
