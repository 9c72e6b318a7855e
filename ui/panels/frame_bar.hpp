#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

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

    /// At `frame` without telling, and not playing. `rate`: frames a second.
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

}  // namespace lowtide::ui
