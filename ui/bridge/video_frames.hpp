#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/base/units.hpp"
#include "ui/bridge/image_load.hpp"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <optional>

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
    [[nodiscard]] const ImageLevels* find(int frame) const;
    void put(int frame, ImageLevels levels, int wanted);
    void setMost(Bytes most, int wanted);

private:
    void shrink(int wanted);

    Bytes most_;
    Bytes bytes_ = 0;
    std::map<int, ImageLevels> frames_;
};

/// Bytes of all its pixels.
[[nodiscard]] Bytes bytesOf(const ImageLevels& levels);

/// Frames of a video file, read on other threads and kept in bounded memory. GUI thread only, which
/// it never blocks.
class VideoFrames : public QObject {
    Q_OBJECT

public:
    /// `video`: a file that was loaded as one, whose first frame is known by that.
    VideoFrames(const LoadedImage& video, Bytes most, QObject* parent = nullptr);
    /// What is being read is cancelled; nobody waits for it.
    ~VideoFrames() override;

    [[nodiscard]] int count() const;

    [[nodiscard]] double rate() const { return header_->rate; }

    /// nullptr: it is not there now: want() it. Valid until the event loop goes on.
    [[nodiscard]] const ImageLevels* find(int frame) const { return cache_.find(frame); }

    /// Reads that frame, then those behind it as far as memory reaches. The newest wish counts.
    void want(int frame);

    /// Bytes that its frames may take.
    void setMost(Bytes most);

    [[nodiscard]] Bytes bytes() const { return cache_.bytes(); }

    [[nodiscard]] bool isOf(const LoadedImage& video) const { return video.video == header_; }

Q_SIGNALS:
    /// The wanted frame is there.
    void arrived(int frame);
    /// The wanted frame cannot be read.
    void failed(const QString& problem);

private:
    struct Reading;
    struct ReadFrame;
    [[nodiscard]] std::optional<int> missing() const;
    [[nodiscard]] int beginFor(int frame) const;
    [[nodiscard]] int ahead() const;
    void readOn();
    void take(ReadFrame read);
    /// `begin`: where a new reader begins; empty: the one that is there goes on.
    static ReadFrame readNext(Reading& reading, std::optional<int> begin, const StopToken& stop);

    std::shared_ptr<const video::VideoHeader> header_;
    FrameCache cache_;
    Bytes frameBytes_;
    std::shared_ptr<Reading> reading_;  ///< the other thread's while isReading_
    StopSource stop_;
    bool isReading_ = false;
    bool isAwaited_ = false;  ///< somebody waits for the wanted frame
    int wanted_ = 0;
    int before_ = 0;               ///< what was wanted before that
    std::optional<int> brokenAt_;  ///< from this frame on none can be read
    QString problem_;              ///< why
};

}  // namespace lowtide::ui
