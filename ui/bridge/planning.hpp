#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"
#include "ui/bridge/background.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/prompts/prompt_choices.hpp"
#include "ui/prompts/resolved_graph.hpp"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <set>
#include <string>

namespace lowtide::ui {

/// What check states about nodes, in addition to issues.
struct CheckedNodes {
    Json facts = Json::object();    ///< by node (docs/events.md)
    std::set<PromptField> drawn{};  ///< texts that were drawn for the question: templates
};

/// What check and plan report about the graph as it stands.
struct Planned {
    Issues issues;
    /// Runner::plan's "plan"; null: there is none. The issues give the reason, or it is not fresh:
    /// a run is at work, and the plan follows when it has ended.
    Json plan;
    /// Where the run does not fit: the plan with the least budget with which its policies can be
    /// kept, to show what is too large; null: none.
    Json beyond;
    bool isFresh = false;
};

/// What a plan states of the run's device, before others that its nodes chose; nullptr: nothing.
[[nodiscard]] const Json* mainDeviceOf(const Json& plan);
/// Of all stages of a plan.
[[nodiscard]] double secondsOf(const Json& plan);
/// The same where the times are those of a device that is there and was measured; empty: they are
/// not.
[[nodiscard]] std::optional<double> measuredSecondsOf(const Planned& planned);

/// Checks and plans the graph a moment after each edit, on a thread of its own. GUI thread only.
class Planning : public QObject {
    Q_OBJECT

public:
    Planning(Runner& runner, GraphModel& model, QObject* parent = nullptr);

    /// Options of docs/events.md in addition to the graph: device, memoryBudget, graphFolder.
    void setOptions(const Json& options);

    /// Those, and "as" in place of the device where a card is planned for.
    [[nodiscard]] const Json& options() const { return options_; }

    /// The run's, as options or graph state it: "fake:4GiB"; "cpu" where neither does.
    [[nodiscard]] std::string device() const;

    /// Plans from now on for a card that need not be there; empty: for the run's device. It is no
    /// part of the graph, and no run can be had on it.
    void planFor(const std::string& card);

    [[nodiscard]] const std::string& card() const { return card_; }

    /// The lines behind __name__ in prompts; none at first.
    void setWildcards(std::shared_ptr<const WildcardFiles> wildcards);

    /// Of the last check, which answers before the plan does.
    [[nodiscard]] const CheckedNodes& checkedNodes() const { return nodes_; }

    /// The last answer; not fresh while the next is worked out.
    [[nodiscard]] const Planned& planned() const { return planned_; }

    /// Asks at once, without the moment of rest: after a run, a release, a new file.
    void askNow();

Q_SIGNALS:
    /// checkedNodes() is another one.
    void checked();
    void answered(const lowtide::ui::Planned& planned);

private:
    void takeOptions();
    void askLater();
    void take(Planned answer);

    Runner& runner_;
    GraphModel& model_;
    Json asked_ = Json::object();  ///< options without the card
    std::string card_;
    std::shared_ptr<const WildcardFiles> wildcards_ = std::make_shared<WildcardFiles>();
    CheckedNodes nodes_;
    Json options_ = Json::object();
    Planned planned_;
    QTimer rest_;
    int retryMilliseconds_;
    bool isAsking_ = false;
    bool isOutdated_ = false;  ///< what is being answered is no longer the question
    Background background_;
};

}  // namespace lowtide::ui
