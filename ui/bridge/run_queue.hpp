#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/run_book.hpp"
#include "ui/bridge/run_progress.hpp"

#include <QObject>
#include <QString>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace lowtide::ui {

class RunLibrary;

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
                const RunWords& words = {});
    /// A waiting run is taken back at once.
    void cancel(quint64 id, CancelMode mode);
    /// Runs after the one that runs now wait.
    void setPaused(bool isPaused);

    [[nodiscard]] bool isPaused() const { return isPaused_; }

    /// Places a waiting run among the waiting ones, 0 is the next.
    void moveWaiting(quint64 id, int place);
    /// The same graph once more, at the end, with `more` options; 0 when there is no such run.
    quint64 retry(quint64 id, const Json& more = Json::object());
    /// The same of a run that the list may no longer have.
    quint64 addAgain(const QueuedRun& run, const Json& more = Json::object());
    /// Removes an ended run from the list.
    void remove(quint64 id);

    [[nodiscard]] const RunBook& book() const { return book_; }

    /// In order: ended ones, the running one, waiting ones.
    [[nodiscard]] const std::deque<QueuedRun>& runs() const { return book_.runs(); }

    /// nullptr: there is no such run, it was removed, or newer ones took its place.
    [[nodiscard]] const QueuedRun* find(quint64 id) const { return book_.find(id); }

    /// nullptr: none runs.
    [[nodiscard]] const QueuedRun* running() const;

Q_SIGNALS:
    void listChanged();
    void runChanged(quint64 id);
    void started(quint64 id);
    /// Each event of docs/events.md, in order; `run` of the event is the module's own number.
    void event(quint64 id, const lowtide::Json& event);
    void picture(quint64 id, const std::string& node, const lowtide::ui::NodePicture& picture);
    void ended(quint64 id);
    void pausedChanged(bool isPaused);

private:
    struct Link;
    struct Ended;
    void startNext();
    void fetch();
    void tellPictures(quint64 id,
                      const std::map<std::string, NodePicture>& pictures,
                      bool arePreviews);
    void drain(int milliseconds);
    void take(quint64 id, const Json& event);
    void finish(quint64 id, Ended& ended);
    void tellEnd(quint64 id);
    void keepFiles(QueuedRun& run, const Json& files, PictureClaim claim);
    void keepOrder();
    void keepEnd(const QueuedRun& run, std::function<void()> done);

    Runner& runner_;
    RunLibrary* const library_;
    RunBook book_;
    NodeTimes times_;
    std::unique_ptr<Link> link_;
    bool isPaused_ = false;
};

}  // namespace lowtide::ui
