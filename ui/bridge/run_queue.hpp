#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/active_run.hpp"
#include "ui/bridge/run_history.hpp"

#include <QObject>
#include <QString>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lowtide::ui {

class RunLibrary;

/// What a user wants to be run.
struct AskedRun {
    QString title;
    std::string graph;  ///< text of the snapshot
    Json options;       ///< docs/events.md
    SearchTerms words{};
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
    void remove(const std::vector<quint64>& ids);

    [[nodiscard]] const RunHistory& history() const { return history_; }

    /// In order: ended ones, the running one, waiting ones.
    [[nodiscard]] const std::deque<QueuedRun>& runs() const { return history_.runs(); }

    /// nullptr: there is no such run, it was removed, or newer ones took its place.
    [[nodiscard]] const QueuedRun* find(quint64 id) const { return history_.find(id); }

    /// nullptr: none runs.
    [[nodiscard]] const QueuedRun* running() const;

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
    [[nodiscard]] RunRecord recordOf(const QueuedRun& run) const;

    Runner& runner_;
    RunLibrary* const library_;
    RunHistory history_;
    NodeTimes times_;
    std::unique_ptr<Link> link_;
    bool isPaused_ = false;
};

}  // namespace lowtide::ui
