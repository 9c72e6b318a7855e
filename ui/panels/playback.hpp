#pragma once

#include "ui/bridge/video_frames.hpp"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QShortcut;
class QSlider;
class QToolButton;

namespace lowtide::ui {

/// Chooses a frame of a video: a slider, what frame that is, and playing at the video's rate, over
/// and over. Its keys work in all of its parent, while it is seen.
class FrameBar : public QWidget {
    Q_OBJECT

public:
    explicit FrameBar(QWidget* parent);

    /// At `frame` without a signal, and not playing. `rate`: frames a second.
    void setVideo(int frames, double rate, int frame);

    [[nodiscard]] int frame() const;

    [[nodiscard]] bool isPlaying() const { return timer_.isActive(); }

    /// The frame is on the screen: playing goes on only then, so that none is left out.
    void setShown(int frame) { shown_ = frame; }

    void setPlaying(bool isPlaying);

Q_SIGNALS:
    void frameWanted(int frame);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void addKeys();
    void playOn();
    void step(int by);
    void take(int frame);
    [[nodiscard]] QString textOf(int frame) const;

    QToolButton* play_;
    QSlider* slider_;
    QLabel* text_;
    QList<QShortcut*> keys_;
    QTimer timer_;
    QElapsedTimer clock_;
    double due_ = 0;  ///< milliseconds of the clock at which the next frame is
    double rate_ = 1;
    int frames_ = 0;
    int shown_ = 0;
};

/// The video that is shown and the one that it is compared with, in step by the number of the
/// frame: a shorter one remains at its last. What is no video has no part in it.
class FramesInStep : public QObject {
    Q_OBJECT

public:
    /// Bytes of decoded frames, of both together.
    static constexpr Bytes kMostBytes = 256 * kMiB;

    explicit FramesInStep(QObject* parent = nullptr);

    /// What is shown from now on, at its first frame, or at that of the other one where two are
    /// compared. The same once more remains at its frame.
    void open(const LoadedImage& image);
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
    /// Empty: what is there is no video, and is kept.
    void shown(int frame,
               const lowtide::ui::ImageLevels& image,
               const lowtide::ui::ImageLevels& compared);
    void failed(const QString& problem);

private:
    using Video = std::unique_ptr<VideoFrames>;
    [[nodiscard]] Video opened(const LoadedImage& image);
    void divideMemory();
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
