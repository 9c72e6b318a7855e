#include "ui/bridge/frame_cache.hpp"

#include <iterator>
#include <utility>

namespace lowtide::ui {

Bytes bytesOf(const PictureLevels& levels) {
    Bytes bytes = 0;
    for (const QImage& level : levels) {
        bytes += level.sizeInBytes();
    }
    return bytes;
}

const PictureLevels* FrameCache::find(int frame) const {
    const auto found = frames_.find(frame);
    return found == frames_.end() ? nullptr : &found->second;
}

void FrameCache::put(int frame, PictureLevels levels, int wanted) {
    PictureLevels& place = frames_[frame];
    bytes_ += bytesOf(levels) - bytesOf(place);
    place = std::move(levels);
    shrink(wanted);
}

void FrameCache::setMost(Bytes most, int wanted) {
    most_ = most;
    shrink(wanted);
}

void FrameCache::shrink(int wanted) {
    while (bytes_ > most_ && frames_.size() > 1) {
        const auto first = frames_.begin();
        const auto last = std::prev(frames_.end());
        const auto farthest = wanted - first->first >= last->first - wanted ? first : last;
        bytes_ -= bytesOf(farthest->second);
        frames_.erase(farthest);
    }
}

}  // namespace lowtide::ui
