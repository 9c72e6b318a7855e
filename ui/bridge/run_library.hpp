#pragma once

#include "ui/bridge/background.hpp"
#include "ui/bridge/past_prompts.hpp"
#include "ui/history/run_store.hpp"

#include <QImage>
#include <QObject>
#include <QPointer>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace lowtide::ui {

class RunWriter;
struct RunWrite;
struct RunsWritten;

/// The runs of a user for good, and their images: a RunStore, written on one thread in the order
/// in which it was asked to, and read on another one behind what was asked to be written before.
/// What cannot be written now is kept in memory and tried again. A damaged file is set aside, and
/// what can be read of it goes into a new one. Answers come on the GUI thread, unless `context` is
/// gone by then, or the question cannot be answered, which failed() reports. GUI thread only.
class RunLibrary : public QObject {
    Q_OBJECT

public:
    /// Longest side of a thumbnail.
    static constexpr int kThumbnailPixels = 256;

    /// `folder` is made when it is first needed.
    explicit RunLibrary(const QString& folder, QObject* parent = nullptr);
    /// Waits until all that was asked is written, or cannot be.
    ~RunLibrary() override;

    /// Distinguishes a run of this studio from those of all others.
    [[nodiscard]] RunKey keyOf(quint64 run) const;
    /// The same of a new sheet.
    [[nodiscard]] RunKey newSheetKey();

    /// `work` on the writing thread, in the order in which it is asked for; `done` when it is
    /// written. It may be tried again.
    void write(std::function<void(RunStore&)> work, std::function<void()> done = {});

    /// The same; `done` gets what `work` returned.
    template <class Work>
    void write(Work work,
               QObject* context,
               std::function<void(std::invoke_result_t<Work, RunStore&>)> done) {
        const auto answer =
            std::make_shared<std::optional<std::invoke_result_t<Work, RunStore&>>>();
        write([answer, work = std::move(work)](RunStore& store) { *answer = work(store); },
              [answer, wanted = QPointer<QObject>(context), done = std::move(done)] {
                  if (wanted) {
                      done(std::move(**answer));
                  }
              });
    }

    /// The same of images, which imagesChanged() reports behind `done`.
    void changeImages(std::function<void(RunStore&)> work, std::function<void()> done = {});

    /// `work` on the reading thread, behind all that was asked to be written, perhaps twice; `done`
    /// gets what it returned. `failed`: it could not be read, which is reported.
    template <class Work>
    void ask(Work work,
             QObject* context,
             std::function<void(std::invoke_result_t<Work, RunStore&>)> done,
             std::function<void()> failed = {}) {
        const auto answer =
            std::make_shared<std::optional<std::invoke_result_t<Work, RunStore&>>>();
        read({.work = [answer, work = std::move(work)](RunStore& store) { *answer = work(store); },
              .context = context,
              .done = [answer, done = std::move(done)] { done(std::move(**answer)); },
              .failed = std::move(failed)});
    }

    void add(std::vector<RunRecord> runs);
    /// `done` when it is written, or cannot be by now.
    void end(std::vector<RunRecord> runs, QObject* context, std::function<void()> done);
    /// Files of a run. Their thumbnails follow.
    void addImages(const RunKey& key, const QStringList& paths, ImageClaim claim);
    /// Forgotten ones, as they were. Their thumbnails follow.
    void restoreImages(const std::vector<ImageRecord>& images);

    /// Runs that waited, or were at work, when their studio ended, in their order.
    void askLeftOpen(QObject* context, std::function<void(std::vector<RunRecord>)> done);
    /// Of the graphs that were run last.
    void askPrompts(std::shared_ptr<const graph::Catalog> catalog,
                    QObject* context,
                    std::function<void(PastPrompts)> done);

    /// `visit` gets the text of each graph that a kept run has, on the reading thread, perhaps
    /// twice; an empty text is a graph that is lost. `done` gets why some were not visited, or are
    /// not written yet; empty: all were.
    void visitGraphs(std::function<void(const std::string& text)> visit,
                     QObject* context,
                     std::function<void(const QString& problem)> done);

    /// A small version of an image.
    struct Thumbnail {
        int64_t imageId = 0;
        QImage image;  ///< null: none could be made, or it is not made yet
    };

    /// No larger than `side` pixels a side.
    void askThumbnails(const std::vector<ImageRecord>& images,
                       int side,
                       QObject* context,
                       std::function<void(std::vector<Thumbnail>)> done);
    /// Those whose file is not there, on a thread of its own: a folder of the network may take
    /// long.
    void askMissing(const std::vector<ImageRecord>& images,
                    QObject* context,
                    std::function<void(std::set<int64_t>)> done);
    /// Whether a file is there, asked on that thread; tests give their own.
    using IsThere = std::function<bool(const QString& path)>;

    void setIsThere(IsThere isThere) { isThere_ = std::move(isThere); }

    /// Why nothing is kept now; empty: what is asked for is done.
    [[nodiscard]] const QString& problem() const { return problem_; }

Q_SIGNALS:
    /// Images came, went, or are called otherwise.
    void imagesChanged();
    void thumbnailMade(qint64 imageId);
    /// What is not kept, and why: once until it works again.
    void failed(const QString& problem);
    /// All that failed() spoke of is written by now.
    void worksAgain();
    /// A new file was begun in place of a damaged one.
    void repaired(const QString& sentence);

private:
    struct Reader;

    struct Question {
        std::function<void(RunStore&)> work;
        QPointer<QObject> context;
        std::function<void()> done;
        std::function<void()> failed;
    };

    void read(Question question);
    void readNow(const std::shared_ptr<const Question>& question, bool isFirst);
    void queueWrite(RunWrite write);
    /// `work` on the writing thread; `behind` is called after what it came to.
    void enqueue(std::function<RunsWritten(RunWriter&)> work, std::function<void()> behind);
    void take(const RunsWritten& written);
    void reportOnce(const QString& problem);
    void makeThumbnails();
    void makeThumbnail(const ImageRecord& image);

    const QString session_;
    const QString folder_;
    std::shared_ptr<RunWriter> writer_;  ///< of the writing thread
    std::shared_ptr<Reader> reader_;     ///< of the reading thread
    quint64 lastSheet_ = 0;
    QString problem_;        ///< that failed() spoke of; empty: none
    bool isUnread_ = false;  ///< the last question could not be answered
    bool isTryingAgain_ = false;
    int repairs_ = 0;        ///< damaged files that were set aside
    bool isMaking_ = false;  ///< thumbnails
    bool wasMade_ = false;   ///< one of those that are at work now
    Background asked_;
    Background reading_;
    Background making_;
    IsThere isThere_;
    Background looking_;
};

}  // namespace lowtide::ui
