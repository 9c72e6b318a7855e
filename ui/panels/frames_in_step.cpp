#include "ui/panels/frames_in_step.hpp"

#include <algorithm>
#include <array>

namespace lowtide::ui {

namespace {

constexpr double kUsualRate = 16;  ///< of a file that states no time

int within(const VideoFrames& video, int frame) {
    return std::min(frame, video.count() - 1);
}

}  // namespace

FramesInStep::FramesInStep(QObject* parent) : QObject(parent) {}

FramesInStep::Video FramesInStep::opened(const LoadedPicture& picture) {
    if (!picture.video) {
        return nullptr;
    }
    auto video = std::make_unique<VideoFrames>(picture, kMostBytes);
    connect(video.get(), &VideoFrames::arrived, this, &FramesInStep::showWhatIsThere);
    connect(video.get(), &VideoFrames::failed, this, &FramesInStep::fail);
    return video;
}

void FramesInStep::open(const LoadedPicture& picture) {
    if (shown_ && shown_->isOf(picture)) {
        return;
    }
    awaited_.reset();
    shown_ = opened(picture);
    frame_ = compared_ ? std::clamp(frame_, 0, std::max(0, count() - 1)) : 0;
    share();
}

void FramesInStep::keep() {
    awaited_.reset();
    compared_ = std::move(shown_);
}

void FramesInStep::drop() {
    awaited_.reset();
    compared_.reset();
    frame_ = std::min(frame_, std::max(0, count() - 1));
    share();
}

void FramesInStep::share() {
    const Bytes most = shown_ && compared_ ? kMostBytes / 2 : kMostBytes;
    for (const Video* video : {&shown_, &compared_}) {
        if (*video) {
            (*video)->setMost(most);
        }
    }
}

int FramesInStep::count() const {
    return std::max(shown_ ? shown_->count() : 0, compared_ ? compared_->count() : 0);
}

double FramesInStep::rate() const {
    const double rate = shown_ ? shown_->rate() : compared_ ? compared_->rate() : 0;
    return rate > 0 ? rate : kUsualRate;
}

void FramesInStep::want(int frame) {
    wanted_ = std::clamp(frame, 0, std::max(0, count() - 1));
    if (!awaited_ && count() > 0) {
        begin();
    }
}

void FramesInStep::begin() {
    awaited_ = wanted_;
    for (const Video* video : {&shown_, &compared_}) {
        if (*video && awaited_) {
            (*video)->want(within(**video, *awaited_));
        }
    }
    showWhatIsThere();
}

void FramesInStep::showWhatIsThere() {
    if (!awaited_) {
        return;
    }
    std::array<PictureLevels, 2> levels;
    const std::array<const Video*, 2> videos = {&shown_, &compared_};
    for (size_t i = 0; i < videos.size(); ++i) {
        if (const VideoFrames* video = videos[i]->get()) {
            const PictureLevels* found = video->find(within(*video, *awaited_));
            if (!found) {
                return;
            }
            levels[i] = *found;
        }
    }
    frame_ = *awaited_;
    awaited_.reset();
    Q_EMIT shown(frame_, levels[0], levels[1]);
    if (!awaited_ && wanted_ != frame_) {
        begin();
    }
}

void FramesInStep::fail(const QString& problem) {
    if (awaited_) {
        frame_ = *awaited_;
        awaited_.reset();
        wanted_ == frame_ ? Q_EMIT failed(problem) : begin();
    }
}

}  // namespace lowtide::ui
