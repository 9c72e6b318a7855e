#pragma once

#include "ui/document/graph_differences.hpp"
#include "ui/document/graph_model.hpp"

#include <QDialog>

namespace lowtide::ui {

/// What a run's graph says otherwise than the one that is open.
class DifferencesDialog : public QDialog {
    Q_OBJECT

public:
    DifferencesDialog(const QString& run,
                      const graph::Document& then,
                      const GraphModel& open,
                      QWidget* parent);
};

/// "Denoise, Steps": where a difference lies, in the words of the nodes.
[[nodiscard]] QString placeText(const GraphDifference& difference,
                                const graph::Document& document,
                                const graph::Catalog& catalog);

}  // namespace lowtide::ui
