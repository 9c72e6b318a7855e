#include "ui/bridge/video_frames.hpp"

#include "plugin/files/input_file.hpp"
#include "plugin/video/video_file.hpp"
#include "ui/bridge/background.hpp"

#include <QFileInfo>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace lowtide::ui {

namespace {

/// So many frames are rather read through than sought behind: a start of ffmpeg costs about as
/// much.
constexpr int kReadThrough = 32;
/// Who steps back once does it again, and each seek begins at a key frame.
constexpr int kStepBack = 8;
constexpr int kMostAhead = 512;

}  // namespace

Bytes bytesOf(const ImageLevels& levels) {
    Bytes bytes = 0;
    for (const QImage& level : levels) {
        bytes += level.sizeInBytes();
    }
    return bytes;
}

const ImageLevels* FrameCache::find(int frame) const {
    const auto found = frames_.find(frame);
    return found == frames_.end() ? nullptr : &found->second;
}

void FrameCache::put(int frame, ImageLevels levels, int wanted) {
    ImageLevels& entry = frames_[frame];
    bytes_ += bytesOf(levels) - bytesOf(entry);
    entry = std::move(levels);
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

/// A reader and where it is; one job at a time has it, and jobs alone end one, which may take time.
struct VideoFrames::Reading {
    QString path;
    std::shared_ptr<const video::VideoHeader> header;
    std::unique_ptr<video::VideoReader> reader{};
    int next = 0;  ///< frame that the reader gives next, or where one is opened
};

struct VideoFrames::ReadFrame {
    int frame = 0;
    ImageLevels levels{};
    QString problem{};
};

VideoFrames::VideoFrames(const LoadedImage& video, Bytes most, QObject* parent)
    : QObject(parent),
      header_(video.video),
      cache_(most),
      frameBytes_(std::max<Bytes>(1, bytesOf(video.levels))),
      reading_(std::make_shared<Reading>(Reading{.path = video.path, .header = video.video})) {
    cache_.put(0, video.levels, 0);
}

VideoFrames::~VideoFrames() {
    stop_.cancel(CancelMode::Now);
    later(
        QCoreApplication::instance(),
        [reading = std::move(reading_)]() mutable {
            reading.reset();
            return true;
        },
        [](bool) {});
}

int VideoFrames::count() const {
    return static_cast<int>(std::min<int64_t>(header_->frames, std::numeric_limits<int>::max()));
}

void VideoFrames::want(int frame) {
    before_ = std::exchange(wanted_, frame);
    isAwaited_ = !cache_.find(frame);
    if (isAwaited_ && brokenAt_ && frame >= *brokenAt_) {
        Q_EMIT failed(problem_);
        return;
    }
    readOn();
}

void VideoFrames::setMost(Bytes most) {
    cache_.setMost(most, wanted_);
    readOn();
}

/// Frames behind the wanted one that are read without being asked for: all where all can be kept,
/// else less than what lies on one side of it in a full cache, so that none drives out another.
int VideoFrames::ahead() const {
    const Bytes capacity = cache_.most() / frameBytes_;
    const Bytes frames = capacity >= count() ? count() : std::max<Bytes>(0, capacity / 2 - 1);
    return static_cast<int>(std::min<Bytes>(frames, kMostAhead));
}

std::optional<int> VideoFrames::missing() const {
    const int end = std::min(brokenAt_.value_or(count()), count());
    const int64_t last = std::min<int64_t>(end - 1, int64_t{wanted_} + ahead());
    for (int frame = wanted_; frame <= last; ++frame) {
        if (!cache_.find(frame)) {
            return frame;
        }
    }
    return std::nullopt;
}

/// Where a reader begins that shall give this frame.
int VideoFrames::beginFor(int frame) const {
    if (header_->times.empty()) {
        return 0;
    }
    const bool isStepBack = frame < before_ && before_ - frame <= kStepBack;
    return isStepBack ? std::max(0, frame - kStepBack) : frame;
}

void VideoFrames::readOn() {
    const std::optional<int> frame = isReading_ ? std::nullopt : missing();
    if (!frame) {
        return;
    }
    const bool canSeek = !header_->times.empty();
    const int skipped = *frame - reading_->next;
    const bool goesOn = reading_->reader && skipped >= 0 && (!canSeek || skipped <= kReadThrough);
    const std::optional<int> begin = goesOn ? std::nullopt : std::optional(beginFor(*frame));
    isReading_ = true;
    later(
        this,
        [reading = reading_, begin, stop = stop_.token()] {
            return readNext(*reading, begin, stop);
        },
        [this](ReadFrame read) {
            isReading_ = false;
            take(std::move(read));
            readOn();
        });
}

VideoFrames::ReadFrame VideoFrames::readNext(Reading& reading,
                                             std::optional<int> begin,
                                             const StopToken& stop) {
    if (begin) {
        reading.reader.reset();
        reading.next = *begin;
    }
    ReadFrame read{.frame = reading.next};
    try {
        if (!reading.reader) {
            const files::InputFile file(reading.path.toStdString());
            reading.reader = video::openFramesFrom(file, *reading.header, reading.next, "");
        }
        if (const std::optional<Image8> image = reading.reader->next(stop)) {
            read.levels = levelsOf(*image);
            ++reading.next;
        } else {
            read.problem = tr("%1 ends after frame %2, its header states %3")
                               .arg(QFileInfo(reading.path).fileName(),
                                    QString::number(reading.next),
                                    QString::number(reading.header->frames));
        }
    } catch (const Error& error) {
        read.problem = sentenceOf(error);
    } catch (const std::bad_alloc&) {
        read.problem = tr("There is not enough memory to show %1.").arg(reading.path);
    }
    if (!read.problem.isEmpty() || reading.next >= reading.header->frames) {
        reading.reader.reset();
    }
    return read;
}

void VideoFrames::take(ReadFrame read) {
    if (read.problem.isEmpty()) {
        frameBytes_ = std::max<Bytes>(1, bytesOf(read.levels));
        cache_.put(read.frame, std::move(read.levels), wanted_);
    } else {
        brokenAt_ = std::min(read.frame, brokenAt_.value_or(read.frame));
        problem_ = read.problem;
    }
    const bool isBroken = brokenAt_ && wanted_ >= *brokenAt_;
    if (isAwaited_ && cache_.find(wanted_)) {
        isAwaited_ = false;
        Q_EMIT arrived(wanted_);
    } else if (isAwaited_ && isBroken) {
        isAwaited_ = false;
        Q_EMIT failed(problem_);
    }
}

}  // namespace lowtide::ui
