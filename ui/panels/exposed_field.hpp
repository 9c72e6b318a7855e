#pragma once

#include "ui/document/graph_model.hpp"
#include "ui/editors/param_editor.hpp"

#include <QWidget>

class QComboBox;
class QLabel;

namespace lowtide::ui {

/// One exposed parameter in the form: its label, its editor, for a seed also what happens to it
/// when a run begins. What a person edits becomes a step of the model.
class ExposedField : public QWidget {
    Q_OBJECT

public:
    /// The node and its parameter must be known to the model.
    ExposedField(GraphModel& model,
                 const graph::ExposedParam& exposed,
                 const OfferedFiles* offered,
                 QWidget* parent = nullptr);

    [[nodiscard]] const std::string& node() const { return exposed_.node; }

    [[nodiscard]] const std::string& param() const { return exposed_.param; }

    /// Shows what the model holds now.
    void refresh();
    /// Why the value is refused; empty: it is fine.
    void setProblem(const QString& problem);

private:
    void apply(const Json& value, bool isFinal);
    void addSeedMode();

    GraphModel& model_;
    graph::ExposedParam exposed_;
    const ParamDesc& desc_;
    ParamEditor* editor_ = nullptr;
    QComboBox* seedMode_ = nullptr;
    QLabel* problem_ = nullptr;
};

/// The parameter that is exposed; nullptr when node or parameter are not known.
[[nodiscard]] const ParamDesc* exposedDesc(const GraphModel& model,
                                           const graph::ExposedParam& exposed);

}  // namespace lowtide::ui
