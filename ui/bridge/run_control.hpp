#pragma once

#include "plugin/base/issue.hpp"
#include "ui/bridge/node_status.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/bridge/run_maker.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/prompts/prompt_choices.hpp"
#include "ui/prompts/resolved_graph.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lowtide::ui {

enum class RunHow {
    Last,   ///< behind what waits
    First,  ///< before what waits
    Again   ///< also what is kept from earlier runs
};

/// Turns Run and Cancel into runs of the queue, and shows the runs of each open document on its
/// nodes: those of a hidden one when it is shown again.
class RunControl : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    RunControl(GraphModel& model,
               RunQueue& queue,
               const Planning& planning,
               NodeStatuses& statuses,
               QObject* parent = nullptr);

    /// The name of the document, for the titles of runs.
    void setName(const QString& name) { name_ = name; }

    /// The folder for images; empty: as the options of plans state.
    void setOutputFolder(const QString& folder) { outputFolder_ = folder; }

    /// Whether images of nodes show that are still at work; those of outputs always do. Off: what
    /// shows now goes at once.
    void setPreviews(bool areShown);

    [[nodiscard]] bool arePreviewsShown() const { return arePreviewsShown_; }

    /// Where random seeds come from; tests give their own.
    void setRandom(std::function<uint64_t()> random) { random_ = std::move(random); }

    /// The lines behind __name__ in prompts; none at first.
    void setWildcards(std::shared_ptr<const WildcardFiles> wildcards);

    /// Renews seeds, which is a fact of the run and no step of the undo stack, then queues the
    /// graph as it stands, with drawn texts in the place of prompts' alternatives (ui/prompts).
    /// `until`: nodes with which the run ends; empty: the outputs. 0: a prompt could not be drawn,
    /// which refused() reports.
    quint64 run(RunHow how, const std::set<std::string>& until = {});
    /// The graph so many times, behind what waits; the first at once, the others a little later
    /// where they are many. Unless nodes state how seeds are renewed, the open graph keeps its own.
    void runSeveral(int count, SeveralSeeds how);

    /// One of several runs of graphs that differ in what a user chose.
    struct Variant {
        graph::Document document;
        QString title;  ///< what it differs in: "Steps 8, CFG 7"
    };

    /// Each of them as it stands, behind what waits, with `more` options; their numbers.
    /// Alternatives in prompts are drawn by the seed of `base`, for all the same. None runs, which
    /// is reported by refused(), where one cannot be drawn.
    std::vector<quint64> runVariants(std::vector<Variant> variants,
                                     const graph::Document& base,
                                     const Json& more);

    /// The graph once with each of these texts in one place.
    void runPrompts(const PromptField& field, const QStringList& prompts, SeveralSeeds how);
    /// The graph once with each combination of the alternatives in its prompts, kMostRuns at most.
    void runCombinations(SeveralSeeds how);

    /// Runs that are added at once, at most.
    static constexpr int kMostRuns = 1000;

    /// Whether the graph as it stands runs again when its last run has ended, until one fails, is
    /// cancelled, or has nothing to do.
    void setRepeating(bool isRepeating);

    [[nodiscard]] bool isRepeating() const { return isRepeating_; }

    /// Runs that were asked for and are still being made are in the queue when it returns.
    void finishAsked() { maker_.finish(); }

    /// The run at work ends as it would, and is the last: what waits is taken back, and nothing is
    /// repeated. What was taken back.
    std::vector<QueuedRun> stopAfterThis();

    /// The run that runs now, if there is one.
    void cancel(CancelMode mode);
    /// Another document in place of the shown one: runs that are still under way no longer show on
    /// its nodes.
    void forgetRuns();
    /// Another of the open documents is shown: its nodes show what its runs did, and what is
    /// repeated ends.
    void showOther();

    [[nodiscard]] bool isBusy() const;

    /// Whether the run was asked for by an open document that is not shown, and has not ended.
    [[nodiscard]] bool isOfHidden(quint64 run) const;
    /// The last run of the shown document that began; 0: none.
    [[nodiscard]] quint64 lastRun() const;

Q_SIGNALS:
    /// The run, which is of the shown document, had nothing to execute.
    void upToDate(quint64 id);
    void failed(quint64 id);
    /// The run did not begin: alternatives of a prompt cannot be drawn.
    void refused(const lowtide::Issues& issues);
    void repeatingChanged(bool isRepeating);
    /// A run began or none is left.
    void busyChanged(bool isBusy);

private:
    void runEach(
        uint64_t count,
        SeveralSeeds how,
        std::function<std::optional<AskedRun>(graph::Document document, uint64_t number)> make);

    /// What runs have of the document that is open when they are asked for: many are made one after
    /// the other, and another one may be open by then.
    struct Origin {
        QString name;
        Json options;
        size_t work = 0;                         ///< of the open graph; 0: it is not run whole
        std::optional<double> plannedSeconds{};  ///< of a run of as much work
    };

    [[nodiscard]] Origin origin(RunHow how = RunHow::Last,
                                const std::set<std::string>& until = {}) const;
    std::optional<AskedRun> drawn(graph::Document document, const Origin& origin);
    bool isRefused(const Issues& undrawn);
    [[nodiscard]] AskedRun asked(const graph::Document& document, const Origin& origin) const;
    [[nodiscard]] Json options(RunHow how, const std::set<std::string>& until) const;
    std::vector<quint64> mine(std::vector<quint64> runs, DocumentId document);
    NodeStatuses* statusesOf(quint64 run);
    void forget(DocumentId document);
    void begin(quint64 id);
    void end(quint64 id);
    void endWaiting(const std::vector<quint64>& runs);
    void repeatWhereIdle();
    void takeImage(DocumentId document, const std::string& node, const NodeImage& nodeImage);
    void showKept(quint64 run, const std::string& node);

    GraphModel& model_;
    RunQueue& queue_;
    const Planning& planning_;
    NodeStatuses& statuses_;
    QString name_;
    QString outputFolder_;
    std::function<uint64_t()> random_;
    std::shared_ptr<const WildcardFiles> wildcards_ = std::make_shared<WildcardFiles>();
    bool arePreviewsShown_ = true;
    bool isRepeating_ = false;
    std::map<quint64, DocumentId> mine_;  ///< runs that have not ended, and what they show on
    std::map<DocumentId, quint64> last_;  ///< runs that began
    DocumentId shown_;                    ///< whose statuses are in statuses_
    std::map<DocumentId, std::unique_ptr<NodeStatuses>> hidden_;
    uint64_t documents_ = 0;  ///< that were replaced by others
    RunMaker maker_;
};

}  // namespace lowtide::ui
