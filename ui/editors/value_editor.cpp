#include "ui/editors/value_editor.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/editors/number_text.hpp"

#include <QVariant>

namespace lowtide::ui {

void markProblem(QWidget& widget, const QString& problem, const QString& tooltip) {
    widget.setProperty("problem", !problem.isEmpty());
    widget.setToolTip(problem.isEmpty() ? tooltip : problem);
    widget.setAccessibleDescription(problem);
    widget.update();
}

ValueEditor::ValueEditor(const ParamDesc& param, QWidget* parent)
    : ParamEditor(parent), param_(param), value_(defaultValue()) {
    setObjectName(QString::fromStdString("editor." + param.id));
    setAccessibleName(QString::fromStdString(param.label));
}

Json ValueEditor::defaultValue() const {
    return graph::toJson(param_.defaultValue);
}

void ValueEditor::setValue(const Json& value) {
    const bool isNew = value != value_;
    value_ = value;
    typingProblem_.clear();
    showValue();
    mark();
    if (isNew) {
        valueTold();
    }
}

void ValueEditor::setProblem(const QString& problem) {
    outerProblem_ = problem;
    mark();
}

bool ValueEditor::propose(const Json& value, bool isFinal) {
    typingProblem_ = refusalOf(param_, value);
    const bool isTaken = typingProblem_.isEmpty();
    const bool isNew = value != value_ || value.type() != value_.type();
    if (isTaken && (isNew || (isFinal && isUnfinished_))) {
        value_ = value;
        isUnfinished_ = !isFinal;
        outerProblem_.clear();  // said of the value before; whoever checks says it again
        mark();
        if (isNew) {
            valueTold();
        }
        Q_EMIT edited(value_, isFinal);
        return true;
    }
    mark();
    return isTaken;
}

void ValueEditor::finish() {
    if (isUnfinished_) {
        isUnfinished_ = false;
        Q_EMIT edited(value_, true);
    }
}

void ValueEditor::refuse(const QString& problem) {
    typingProblem_ = problem;
    mark();
}

void ValueEditor::forgetTyping() {
    typingProblem_.clear();
    mark();
}

void ValueEditor::mark() {
    QString problem = typingProblem_;
    if (problem.isEmpty()) {
        problem = outerProblem_.isEmpty() ? refusalOf(param_, value_) : outerProblem_;
    }
    markProblem(*markedWidget(), problem, QString::fromStdString(param_.tooltip));
}

}  // namespace lowtide::ui
