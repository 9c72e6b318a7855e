#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/active_run.hpp"
#include "ui/bridge/node_status.hpp"
#include "ui/bridge/queue_progress.hpp"
#include "ui/history/run_record.hpp"

#include <QImage>
#include <QObject>
#include <QString>
#include <QStringList>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

class RunLibrary;

/// One run that a user asked for, with the graph as it was then.
struct QueuedRun {
    quint64 id = 0;
    QString title;        ///< "lighthouse, seed 42"
    std::string graph;    ///< text of the snapshot
    Json options;         ///< docs/events.md
    SearchTerms words{};  ///< what it is found by later
    size_t work = 0;      ///< as workOf() its graph, and to which nodes; 0: not known
    std::optional<double> plannedSeconds{};  ///< empty: not known
    RunState state = RunState::Waiting;
    double progress = 0;                ///< 0 to 1 over all nodes
    QString phase;                      ///< of the node at work: "step 3 of 20"
    std::optional<double> secondsLeft;  ///< of that phase
    double milliseconds = 0;
    /// Nodes; 0: everything was kept from earlier runs; -1: not ended, or ended before it began.
    int executed = -1;
    Issues issues;
    /// The last one of it; after its end no preview, and only while RunHistory keeps it.
    NodeImage nodeImage{};
    QImage thumbnail;     ///< of that image, once it has ended
    QStringList files;    ///< that it wrote
    quint64 endedAs = 0;  ///< its position among those that have ended, from 1; 0: it has not
    /// Of Runner::wait; null until it has ended and when RunHistory no longer
    /// keeps it.
    Json report;

    /// The largest image that is still kept of it; null: none.
    [[nodiscard]] const QImage& largest() const;
};

/// Whether it will not run any more.
[[nodiscard]] bool hasEnded(const QueuedRun& run);

/// A record of each run, in order: ended ones, the running one, waiting ones. What ended is kept in
/// bounded memory: the newest kMostEnded, and reports and large images of the newest kMostWhole.
class RunHistory {
public:
    static constexpr size_t kMostEnded = 200;
    static constexpr size_t kMostWhole = 8;
    /// Runs of which an image above EventBuffer::kImagePixels a side is kept.
    static constexpr size_t kMostLarge = 2;
    /// Longest side of a thumbnail.
    static constexpr int kThumbnailPixels = 96;

    [[nodiscard]] const std::deque<QueuedRun>& runs() const { return runs_; }

    /// nullptr: there is none, or it is kept no longer.
    [[nodiscard]] const QueuedRun* find(quint64 id) const;
    [[nodiscard]] QueuedRun* find(quint64 id);
    /// nullptr: none waits.
    [[nodiscard]] QueuedRun* nextWaiting();

    /// Adds a run that waits, behind or in front of those that do; its number.
    quint64 add(QueuedRun run, bool isFirst);
    /// Those of them that wait become cancelled ones; which these are. The next thin() keeps the
    /// bounds.
    std::vector<quint64> takeBack(const std::vector<quint64>& ids);
    /// Those of them that wait go together before number `index` of the others that wait.
    /// False: nothing has changed.
    bool moveWaiting(const std::vector<quint64>& ids, int index);
    /// Those that wait take this order; others remain behind the one that they follow.
    void orderWaiting(const std::vector<quint64>& ids);
    /// Those of them that have ended, which leave the list.
    [[nodiscard]] std::vector<QueuedRun> remove(const std::vector<quint64>& ids);
    /// Removed runs, each to its position. Keeps the bounds.
    void restore(std::vector<QueuedRun> runs);
    /// The run is over: its image becomes a thumbnail, and older ones are thinned or forgotten.
    void end(quint64 id, RunState state);
    /// Keeps the bounds. Whether that took runs away.
    bool thin();

    /// The newest run that wrote this file; nullptr: none is known.
    [[nodiscard]] const QueuedRun* writerOf(const QString& file) const;
    /// All files of that run; this one alone, where none is known.
    [[nodiscard]] QStringList siblingFiles(const QString& file) const;

private:
    using Index = std::deque<QueuedRun>::iterator;
    [[nodiscard]] Index indexOf(quint64 id);
    [[nodiscard]] Index firstOpen();
    [[nodiscard]] Index firstWaiting();

    std::deque<QueuedRun> runs_;
    quint64 lastId_ = 0;
    quint64 lastEnd_ = 0;
};

/// What a user wants to be run.
struct AskedRun {
    QString title;
    std::string graph;  ///< text of the snapshot
    Json options;       ///< docs/events.md
    SearchTerms words{};
    size_t work = 0;                         ///< as QueuedRun has it
    std::optional<double> plannedSeconds{};  ///< the same
    RunKey replacedRun{};  ///< a run of earlier times, also in the sheet that this is a cell of
};

/// Runs of the studio, one after the other. It hands one at a time to the module, so that waiting
/// ones can be ordered, paused and taken back. GUI thread only; never blocks it.
class RunQueue : public QObject {
    Q_OBJECT

public:
    /// `library` keeps them for good and outlives it; nullptr: they go with the program.
    explicit RunQueue(Runner& runner, RunLibrary* library = nullptr, QObject* parent = nullptr);
    /// Cancels what runs and waits for its end.
    ~RunQueue() override;

    quint64 add(const QString& title,
                std::string graph,
                Json options,
                bool front = false,
                const SearchTerms& words = {});
    /// Behind what waits, or in front of it; its number.
    quint64 add(AskedRun run, bool front);
    /// Many behind what waits: the list changes once, and one write keeps them. Their numbers.
    std::vector<quint64> addAll(std::vector<AskedRun> runs);
    /// A waiting run is taken back at once.
    void cancel(quint64 id, CancelMode mode);
    /// Those of them that wait; the list changes once.
    void takeBack(const std::vector<quint64>& ids);
    /// Runs after the one that runs now wait.
    void setPaused(bool isPaused);

    [[nodiscard]] bool isPaused() const { return isPaused_; }

    /// Those of them that wait go together before number `index` of the others that wait.
    void moveWaiting(const std::vector<quint64>& ids, int index);
    /// The same graphs once more, at the end, with `more` options; the list changes once. It may no
    /// longer have these runs.
    std::vector<quint64> addAgain(const std::vector<QueuedRun>& runs,
                                  const Json& more = Json::object());
    /// Those of them that have ended leave the list, which changes once.
    std::vector<QueuedRun> remove(const std::vector<quint64>& ids);
    /// Removed runs, each to its position.
    void restore(std::vector<QueuedRun> runs);
    /// Those of them that wait are taken back and leave the list.
    std::vector<QueuedRun> takeAway(const std::vector<quint64>& ids);
    /// The same graphs wait again, where they did among all that waited. Their new numbers.
    std::vector<quint64> waitAgain(const std::vector<QueuedRun>& runs,
                                   const std::vector<quint64>& waiting);

    [[nodiscard]] const RunHistory& history() const { return history_; }

    /// In order: ended ones, the running one, waiting ones.
    [[nodiscard]] const std::deque<QueuedRun>& runs() const { return history_.runs(); }

    /// nullptr: there is no such run, it was removed, or newer ones took its place.
    [[nodiscard]] const QueuedRun* find(quint64 id) const { return history_.find(id); }

    /// nullptr: none runs.
    [[nodiscard]] const QueuedRun* running() const;
    /// Whether none runs and none waits.
    [[nodiscard]] bool isIdle() const;
    /// How far it is. While it is paused nobody knows when it ends.
    [[nodiscard]] QueueProgress progress() const;

Q_SIGNALS:
    void listChanged();
    void runChanged(quint64 id);
    void started(quint64 id);
    /// Each event of docs/events.md, in order; `run` of the event is the module's own number.
    void event(quint64 id, const lowtide::Json& event);
    void nodeImage(quint64 id, const std::string& node, const lowtide::ui::NodeImage& nodeImage);
    /// It was with the module.
    void ended(quint64 id);
    /// They waited, and will not run.
    void takenBack(const std::vector<quint64>& ids);
    void pausedChanged(bool isPaused);

private:
    struct Link;
    struct Ended;
    std::vector<quint64> put(std::vector<AskedRun> runs, bool areFirst);
    void startNext();
    void fetch();
    void reportImages(quint64 id, const std::map<std::string, NodeImage>& images, bool arePreviews);
    void drain(int milliseconds);
    void take(quint64 id, const Json& event);
    void finish(quint64 id, Ended& ended);
    void reportEnd(quint64 id);
    void keepFiles(QueuedRun& run, const Json& files, ImageClaim claim);
    void keepOrder();
    void keepTakenBack(const std::vector<quint64>& ids);
    void countWaiting();
    [[nodiscard]] RunRecord recordOf(const QueuedRun& run) const;

    Runner& runner_;
    RunLibrary* const library_;
    RunHistory history_;
    NodeTimes times_;
    WorkTimes runTimes_;
    WaitingRuns waiting_;
    int ended_ = 0;  ///< runs since nothing was left to do
    std::unique_ptr<Link> link_;
    bool isPaused_ = false;
};

/// Writes to the log how runs begin and end. `queue` must outlive it.
class RunLog : public QObject {
    Q_OBJECT

public:
    explicit RunLog(const RunQueue& queue, QObject* parent = nullptr);

private:
    void reportBegin(quint64 id);
    void reportEnd(quint64 id);

    const RunQueue& queue_;
};

/// "run 3: finished after 12.4 s, nodes executed: 5, files written: 1", and its warnings and
/// errors.
[[nodiscard]] std::string endText(const QueuedRun& run);

}  // namespace lowtide::ui
