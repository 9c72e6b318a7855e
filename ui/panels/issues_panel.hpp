#pragma once

#include "plugin/base/issue.hpp"
#include "ui/bridge/planning.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/models/model_kind.hpp"

#include <QAbstractListModel>
#include <QWidget>

#include <set>
#include <string>

class QLabel;
class QListView;
class QToolButton;

namespace lowtide::ui {

class GraphModel;
class Notice;
class RunControl;
struct Fix;

/// Issues as a list: errors first, then warnings, then notes. Nodes, ports and parameters are
/// called as in `model`, which must outlive it.
class IssueRows : public QAbstractListModel {
    Q_OBJECT

public:
    explicit IssueRows(const GraphModel& model, QObject* parent = nullptr);

    void setIssues(Issues issues);

    [[nodiscard]] const Issues& issues() const { return issues_; }

    /// "Denoise, Steps": where it is.
    [[nodiscard]] QString positionOf(const Issue& issue) const;

    /// nullptr: no such row.
    [[nodiscard]] const Issue* issueAt(const QModelIndex& index) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    [[nodiscard]] QString itemIn(const Issue& issue) const;

    const GraphModel& model_;
    Issues issues_;
};

/// Whether a row of that width cuts the issue's sentence off.
[[nodiscard]] bool isElided(const Issue& issue, int width);
/// Text for a report: one paragraph for each issue.
[[nodiscard]] QString reportText(const Issues& issues);

/// What is wrong with the graph as it stands, what the last run and its import reported: with a
/// jump to the node or field, changes that remove an issue, and a report to copy.
class IssuesPanel : public QWidget {
    Q_OBJECT

public:
    /// All outlive the panel.
    IssuesPanel(GraphModel& model, Planning& planning, RunQueue& queue, QWidget* parent = nullptr);

    [[nodiscard]] int errorCount() const;
    [[nodiscard]] int warningCount() const;
    [[nodiscard]] QString report() const;
    /// Offers to write a model again that does not fit (convertAsked).
    void offerConversion();

    /// What an import reports of the shown document; empty: it is none. What is pinned to a node
    /// stands as long as the node.
    void setImport(Issues issues);

    /// Where several documents are open: what a run reported shows with the document that it is of.
    /// `run` must outlive the panel.
    void setRunControl(const RunControl& run) { run_ = &run; }

public Q_SLOTS:
    void copyReport();

Q_SIGNALS:
    /// Show the node, and its port or row where one is to blame.
    void jumpRequested(const std::string& node, const std::string& item);
    /// Ask where the file is that the parameter names.
    void locateRequested(const std::string& node, const std::string& param);
    /// Write the model that the graph names again, smaller.
    void convertAsked(const lowtide::ui::NamedModel& model);
    void countsChanged(int errors, int warnings);

private:
    void build();
    void collect();
    void showSelected();
    void apply(const Fix& fix);
    void jump();

    GraphModel& model_;
    Planning& planning_;
    RunQueue& queue_;
    const RunControl* run_ = nullptr;
    quint64 shownRun_ = 0;
    Issues import_;
    std::set<std::string> changed_;  ///< nodes, since it began: what it reported of them is past
    bool canConvert_ = false;
    IssueRows* rows_;
    QListView* list_;
    QLabel* empty_;
    QLabel* counts_;
    QToolButton* copy_;
    Notice* details_;
};

}  // namespace lowtide::ui
