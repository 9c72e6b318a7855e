#pragma once

#include "plugin/base/units.hpp"
#include "ui/bridge/picture_load.hpp"

#include <map>

namespace lowtide::ui {

/// Decoded frames of a video in bounded memory. What is farthest from the frame that is wanted goes
/// first: whoever scrubs or plays comes back to neighbours.
class FrameCache {
public:
    /// `most`: bytes of pixels. One frame is kept also where it alone is larger.
    explicit FrameCache(Bytes most) : most_(most) {}

    [[nodiscard]] Bytes most() const { return most_; }

    [[nodiscard]] Bytes bytes() const { return bytes_; }

    /// nullptr: it is not kept. Valid until the next change.
    [[nodiscard]] const PictureLevels* find(int frame) const;
    void put(int frame, PictureLevels levels, int wanted);
    void setMost(Bytes most, int wanted);

private:
    void shrink(int wanted);

    Bytes most_;
    Bytes bytes_ = 0;
    std::map<int, PictureLevels> frames_;
};

/// Bytes of all its pixels.
[[nodiscard]] Bytes bytesOf(const PictureLevels& levels);

}  // namespace lowtide::ui
