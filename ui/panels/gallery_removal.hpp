#pragma once

#include "ui/bridge/run_library.hpp"
#include "ui/panels/gallery_files.hpp"

#include <QObject>

#include <deque>
#include <vector>

namespace lowtide::ui {

/// Moves pictures of the gallery to the wastebasket and takes them out of it again, file and
/// record, the last ones first, the newest fifty times for as long as the window is open.
class GalleryRemoval : public QObject {
    Q_OBJECT

public:
    /// `library` must outlive it.
    explicit GalleryRemoval(RunLibrary& library, QObject* parent = nullptr);

    void remove(std::vector<PictureRecord> pictures);

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
        PictureRecord picture;
        MovedFile moved;
    };

    void tell(std::vector<Removed> pictures);

    RunLibrary& library_;
    std::deque<std::vector<Removed>> removed_;  ///< what went together
};

}  // namespace lowtide::ui
