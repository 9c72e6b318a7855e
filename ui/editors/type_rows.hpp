#pragma once

#include "plugin/memory/precision.hpp"

#include <QWidget>

class QFormLayout;

namespace lowtide::ui {

class ChoiceBox;

/// The types in which weights are stored and computed with; what is not stated is as the preset
/// has it.
class TypeRows : public QWidget {
    Q_OBJECT

public:
    explicit TypeRows(QWidget* parent);

    void setTypes(const memory::PrecisionTypes& types);

Q_SIGNALS:
    void edited(const lowtide::memory::PrecisionTypes& types);

private:
    memory::PrecisionTypes types_;
    ChoiceBox* storage_;
    ChoiceBox* compute_;
};

}  // namespace lowtide::ui
