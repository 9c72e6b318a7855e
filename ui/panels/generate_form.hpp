#pragma once

#include "ui/bridge/planning.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/editors/param_editor.hpp"

#include <QWidget>

#include <functional>
#include <vector>

class QLabel;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QVBoxLayout;

namespace lowtide::ui {

class ExposedField;

/// The form of the parameters that the graph exposes, bound both ways to it, with one line about
/// memory and the buttons that run it and cancel. `model` and `offered` (may be nullptr) must
/// outlive it.
class GenerateForm : public QWidget {
    Q_OBJECT

public:
    GenerateForm(GraphModel& model, const OfferedFiles* offered, QWidget* parent = nullptr);

    /// What check and plan said: problems at their fields, and the line about memory.
    void setPlanned(const Planned& planned);
    /// While a run goes on it can be cancelled, and Run queues another.
    void setRunning(bool isRunning);

Q_SIGNALS:
    void runAsked();
    void cancelAsked();

private:
    void take(const Delta& delta);
    void rebuild();
    void showProblems();
    void showMemory();
    QWidget* makeEmptyPage();
    QWidget* makeBar();

    GraphModel& model_;
    const OfferedFiles* offered_;
    Planned planned_;
    std::vector<graph::ExposedParam> shown_;
    std::vector<ExposedField*> fields_;
    QStackedWidget* pages_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QLabel* lost_ = nullptr;
    QLabel* memory_ = nullptr;
    QPushButton* run_ = nullptr;
    QPushButton* cancel_ = nullptr;
};

}  // namespace lowtide::ui
