#pragma once

#include "ui/bridge/video_frames.hpp"

#include <memory>
#include <optional>

namespace lowtide::ui {

/// The video that is shown and the one that it is compared with, in step by the number of the
/// frame: a shorter one stays at its last. What is no video has no part in it.
class FramesInStep : public QObject {
    Q_OBJECT

public:
    /// Bytes of decoded frames, of both together.
    static constexpr Bytes kMostBytes = 256 * kMiB;

    explicit FramesInStep(QObject* parent = nullptr);

    /// What is shown from now on, at its first frame, or at that of the other one where two are
    /// compared. The same once more stays at its frame.
    void open(const LoadedPicture& picture);
    /// What is shown becomes the one that the next is compared with.
    void keep();
    /// Nothing is compared.
    void drop();

    /// Frames of the longer one; 0: no video is shown.
    [[nodiscard]] int count() const;
    /// Frames a second; never 0.
    [[nodiscard]] double rate() const;

    /// That was shown last.
    [[nodiscard]] int frame() const { return frame_; }

    /// Shows that frame when it is read. While one is read the newest wish waits, so that a drag
    /// shows some of the frames that it passes.
    void want(int frame);

Q_SIGNALS:
    /// Empty: what is there is no video, and stays.
    void shown(int frame,
               const lowtide::ui::PictureLevels& picture,
               const lowtide::ui::PictureLevels& compared);
    void failed(const QString& problem);

private:
    using Video = std::unique_ptr<VideoFrames>;
    [[nodiscard]] Video opened(const LoadedPicture& picture);
    void share();
    void begin();
    void showWhatIsThere();
    void fail(const QString& problem);

    Video shown_;
    Video compared_;
    int frame_ = 0;
    int wanted_ = 0;
    std::optional<int> awaited_;
};

}  // namespace lowtide::ui
