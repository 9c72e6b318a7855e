#pragma once

#include "ui/document/graph_model.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// What the inspector shows while nothing is selected: settings of the graph as a whole.
class InspectorGraph : public QWidget {
    Q_OBJECT

public:
    explicit InspectorGraph(GraphModel& model, QWidget* parent = nullptr);

    void setDevices(const std::vector<std::string>& devices);
    void refresh();
    /// What is typed was meant for another graph.
    void forgetTyped();

protected:
    /// Escape: what was typed gives way to the value before it.
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildRows();
    void connectRows();
    /// False: what is typed is no size.
    bool setBudget();
    void setDevice();

    GraphModel& model_;
    std::optional<std::vector<std::string>> devices_;  ///< that are offered
    QLineEdit* budget_;
    QLabel* budgetProblem_;
    QComboBox* device_;
    QComboBox* lowMemory_;
    QCheckBox* ownThreshold_;
    QSpinBox* threshold_;
    QCheckBox* exact_;
};

}  // namespace lowtide::ui
