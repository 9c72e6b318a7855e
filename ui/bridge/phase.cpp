#include "ui/bridge/phase.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/language/module_texts.hpp"

#include <QCoreApplication>

#include <cmath>

namespace lowtide::ui {

QString phaseText(const Json& event) {
    const QString word = moduleWord(QString::fromStdString(textIn(event, "phase")));
    const double total = numberIn(event, "total");
    if (total <= 0) {
        return word;
    }
    return QCoreApplication::translate("Phase", "%1 %2 of %3")
        .arg(word)
        .arg(std::llround(numberIn(event, "done")))
        .arg(std::llround(total));
}

std::optional<double> secondsLeftIn(const Json& event) {
    const Json& left = memberIn(event, "eta");
    return left.is_number() ? std::optional(left.get<double>()) : std::nullopt;
}

}  // namespace lowtide::ui
