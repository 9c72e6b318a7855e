#pragma once

#include "ui/bridge/planning.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/models/model_kind.hpp"

#include <QWidget>

class QLabel;
class QListView;
class QToolButton;

namespace lowtide::ui {

class IssueRows;
class Notice;
struct Fix;

/// What is wrong with the graph as it stands, and what the last run said: with a jump to the place,
/// changes that remove an issue, and a report to copy.
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
    void mend(const Fix& fix);
    void jump();

    GraphModel& model_;
    Planning& planning_;
    RunQueue& queue_;
    quint64 shownRun_ = 0;
    bool canConvert_ = false;
    IssueRows* rows_;
    QListView* list_;
    QLabel* empty_;
    QLabel* counts_;
    QToolButton* copy_;
    Notice* details_;
};

}  // namespace lowtide::ui
