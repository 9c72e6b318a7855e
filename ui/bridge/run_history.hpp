#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "ui/bridge/node_status.hpp"
#include "ui/history/run_record.hpp"

#include <QImage>
#include <QString>
#include <QStringList>

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// One run that a user asked for, with the graph as it was then.
struct QueuedRun {
    quint64 id = 0;
    QString title;        ///< "lighthouse, seed 42"
    std::string graph;    ///< text of the snapshot
    Json options;         ///< docs/events.md
    SearchTerms words{};  ///< what it is found by later
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
    QImage thumbnail;   ///< of that image, once it has ended
    QStringList files;  ///< that it wrote
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
    /// Those of them that have ended. False: there is none.
    bool remove(const std::vector<quint64>& ids);
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
};

}  // namespace lowtide::ui
