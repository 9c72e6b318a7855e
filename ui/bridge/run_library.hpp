#pragma once

#include "ui/bridge/background.hpp"
#include "ui/bridge/past_prompts.hpp"
#include "ui/bridge/run_writer.hpp"

#include <QImage>
#include <QObject>
#include <QPointer>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace lowtide::ui {

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

    void add(std::vector<RunRecord> runs);
    /// Of waiting runs.
    void setOrder(const std::vector<RunKey>& waiting);
    void begin(const RunKey& key);
    /// `done` when it is written, or cannot be by now.
    void end(std::vector<RunRecord> runs, QObject* context, std::function<void()> done);
    /// Files of a run. Their thumbnails follow.
    void addImages(const RunKey& key, const QStringList& paths, ImageClaim claim);
    void forget(const std::vector<RunKey>& runs);

    /// `sheet` is kept as a run that has ended; its cells are runs that were added.
    void addSheet(const RunRecord& sheet,
                  const std::string& description,
                  const std::vector<RunKey>& cells);
    /// A run has ended; `done` gets the sheet that it is a cell of, nullopt: of none.
    void endCell(const RunKey& run,
                 const QStringList& files,
                 QObject* context,
                 std::function<void(std::optional<SheetRecord>)> done);
    /// Runs were taken back; `done` gets each sheet that has some of them as cells.
    void endCells(const std::vector<RunKey>& runs,
                  QObject* context,
                  std::function<void(std::vector<SheetRecord>)> done);
    /// The second of each two runs in place of the first, also in the sheet that this is a cell of.
    void replaceRuns(std::vector<std::pair<RunKey, RunKey>> replacements);
    /// The file with all cells of a sheet, which becomes an image of it.
    void setSheetImage(const RunKey& sheet, const QString& path);
    /// Of a sheet, or of a cell; an empty key: the newest sheet. nullopt: there is none.
    void askSheet(const RunKey& key,
                  QObject* context,
                  std::function<void(std::optional<SheetRecord>)> done);
    /// Whose image was never written.
    void askUnwrittenSheets(QObject* context, std::function<void(std::vector<SheetRecord>)> done);

    /// Runs that waited, or were at work, when their studio ended, in their order.
    void askLeftOpen(QObject* context, std::function<void(std::vector<RunRecord>)> done);
    /// `done` gets those of them that are this studio's to run now; another one has the rest.
    void claim(const std::vector<RunKey>& leftOpen,
               QObject* context,
               std::function<void(std::vector<RunKey>)> done);
    /// nullopt: there is none.
    void askRun(const RunKey& key,
                QObject* context,
                std::function<void(std::optional<RunRecord>)> done);
    /// `done` gets nothing where they cannot be read.
    void askImages(const ImageFilter& filter,
                   QObject* context,
                   std::function<void(std::optional<std::vector<ImageRecord>>)> done);

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

    /// What filters may name.
    struct Choices {
        QStringList models;
        QStringList graphs;
    };

    void askChoices(QObject* context, std::function<void(Choices)> done);

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

    void setStarred(const std::vector<int64_t>& images, bool isStarred);
    /// The file is called otherwise by now. `done` when that is kept.
    void setPath(int64_t imageId, const QString& path, std::function<void()> done);
    void forgetImages(const std::vector<int64_t>& images);
    /// Forgotten ones, as they were. Their thumbnails follow.
    void restoreImages(const std::vector<ImageRecord>& images);

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

    /// `work` on the reading thread, behind all that was asked to be written; `done` gets nothing
    /// where it fails, which is reported.
    template <class Result>
    void ask(std::function<Result(RunStore&)> work,
             QObject* context,
             std::function<void(std::optional<Result>)> done);
    template <class Result>
    void read(std::shared_ptr<const std::function<Result(RunStore&)>> work,
              const QPointer<QObject>& context,
              std::function<void(std::optional<Result>)> done,
              bool isFirst);
    void write(std::function<void(RunStore&)> work, std::function<void()> done = {});
    void write(RunWrite write);
    /// `work` on the writing thread; `behind` is called after what it came to.
    void enqueue(std::function<RunsWritten(RunWriter&)> work, std::function<void()> behind);
    void take(const RunsWritten& written);
    void reportOnce(const QString& problem);
    void changeImages(std::function<void(RunStore&)> work);
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
