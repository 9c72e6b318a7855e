#include "ui/panels/gallery_removal.hpp"

#include "ui/bridge/later.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

/// Older ones stay in the wastebasket.
constexpr size_t kMostRemovals = 50;

}  // namespace

GalleryRemoval::GalleryRemoval(RunLibrary& library, QObject* parent)
    : QObject(parent), library_(library) {}

void GalleryRemoval::remove(std::vector<PictureRecord> pictures) {
    later(
        this,
        [pictures = std::move(pictures)] {
            std::vector<Removed> removed;
            for (const PictureRecord& picture : pictures) {
                removed.push_back({.picture = picture, .moved = moveToWastebasket(picture)});
            }
            return removed;
        },
        [this](std::vector<Removed> removed) {
            const auto stayed =
                std::stable_partition(removed.begin(), removed.end(), [](const Removed& each) {
                    return each.moved.problem.isEmpty();
                });
            const std::vector<Removed> staying(stayed, removed.end());
            removed.erase(stayed, removed.end());
            if (!removed.empty()) {
                tell(std::move(removed));
            }
            for (const Removed& each : staying) {  // last: it is what a person has to see
                Q_EMIT refused(each.moved.problem);
            }
        });
}

void GalleryRemoval::tell(std::vector<Removed> pictures) {
    std::vector<int64_t> gone;
    for (const Removed& each : pictures) {
        gone.push_back(each.picture.id);
    }
    library_.forgetPictures(gone);
    const auto moved = std::count_if(pictures.begin(), pictures.end(), [](const Removed& each) {
        return !each.moved.inWastebasket.isEmpty();
    });
    removed_.push_back(std::move(pictures));
    if (removed_.size() > kMostRemovals) {
        removed_.pop_front();
    }
    Q_EMIT removed(moved > 0
                       ? tr("%n pictures are in the wastebasket.", nullptr, static_cast<int>(moved))
                       : tr("%n pictures without a file are taken from the list.",
                            nullptr,
                            static_cast<int>(gone.size())));
}

/// A picture whose file stays in the wastebasket stays away from the list, too.
void GalleryRemoval::undo() {
    if (removed_.empty()) {
        return;
    }
    const std::vector<Removed> last = std::move(removed_.back());
    removed_.pop_back();
    later(
        this,
        [last] {
            std::vector<std::pair<PictureRecord, QString>> back;
            for (const Removed& each : last) {
                back.emplace_back(each.picture, takeFromWastebasket(each.moved, each.picture.path));
            }
            return back;
        },
        [this](const std::vector<std::pair<PictureRecord, QString>>& back) {
            std::vector<PictureRecord> pictures;
            for (const auto& [picture, problem] : back) {
                if (problem.isEmpty()) {
                    pictures.push_back(picture);
                }
            }
            if (!pictures.empty()) {
                library_.restorePictures(pictures);
                Q_EMIT returned(tr("%n pictures are back.", nullptr, int(pictures.size())));
            }
            for (const auto& [picture, problem] : back) {
                if (!problem.isEmpty()) {
                    Q_EMIT refused(problem);
                }
            }
        });
}

}  // namespace lowtide::ui
