#pragma once

#include "ui/bridge/planning.hpp"
#include "ui/document/graph_model.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/panels/form_fields.hpp"

#include <QWidget>

#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QVBoxLayout;

namespace lowtide::ui {

/// One exposed parameter in the form: its label, its editor, for a seed also what happens to it
/// when a run begins.
class ExposedField : public FormField {
    Q_OBJECT

public:
    /// The node and its parameter must be known to the model.
    ExposedField(GraphModel& model,
                 const graph::ExposedParam& exposed,
                 const OfferedFiles* offered,
                 QWidget* parent = nullptr);

    void refresh() override;
    void setProblem(const QString& problem) override;

private:
    void apply(const Json& value, bool isFinal);
    void addSeedMode();

    const ParamDesc& desc_;
    ParamEditor* editor_ = nullptr;
    QComboBox* seedMode_ = nullptr;
    QLabel* problem_ = nullptr;
};

/// The parameter that is exposed; nullptr when node or parameter are not known.
[[nodiscard]] const ParamDesc* exposedDesc(const GraphModel& model,
                                           const graph::ExposedParam& exposed);

/// The form of the parameters that the graph exposes, bound both ways to it, with one line about
/// memory and the buttons that run it and cancel. `model` and `offered` (may be nullptr) must
/// outlive it.
class GenerateForm : public QWidget {
    Q_OBJECT

public:
    GenerateForm(GraphModel& model, const OfferedFiles* offered, QWidget* parent = nullptr);

    /// What check and plan reported: problems at their fields, and the line about memory.
    void setPlanned(const Planned& planned);
    /// What check reported about nodes, by node: the size that their models usually have.
    void setFacts(const Json& facts);
    /// While a run goes on it can be cancelled, and Run queues another.
    void setRunning(bool isRunning);

Q_SIGNALS:
    void runAsked();
    void cancelAsked();

private:
    void take(const Delta& delta);
    void rebuild();
    /// nullptr: node or parameter are not known.
    [[nodiscard]] FormField* makeField(const graph::ExposedParam& exposed, QWidget* page);
    void addFields(QVBoxLayout& column, QWidget* page);
    [[nodiscard]] FormField* fieldOf(const std::string& node, const char* param) const;
    void showProblems();
    void showUsualSizes();
    void showMemory();
    QWidget* makeBar();

    GraphModel& model_;
    const OfferedFiles* offered_;
    Planned planned_;
    Json facts_ = Json::object();
    std::vector<graph::ExposedParam> shown_;
    std::vector<FormField*> fields_;
    std::vector<SizeRow*> sizes_;
    QStackedWidget* pages_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QLabel* lost_ = nullptr;
    QLabel* memory_ = nullptr;
    QPushButton* run_ = nullptr;
    QPushButton* cancel_ = nullptr;
};

}  // namespace lowtide::ui
