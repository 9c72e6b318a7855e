#pragma once

#include <QString>

#include <optional>

namespace lowtide::ui {

/// What typed arithmetic gives: a number, or why it is none. Long doubles hold every 64-bit
/// integer.
struct Evaluated {
    std::optional<long double> number;
    QString problem;
};

/// Reads numbers, `+ - * /` and brackets: "512+64", "(1+2)*3". A text that begins with `+`, `*` or
/// `/`, or with `+=`, `-=`, `*=`, `/=`, goes on from `current`; "-5" is a negative number. A comma
/// counts as a decimal point.
[[nodiscard]] Evaluated evaluate(const QString& text, long double current);

}  // namespace lowtide::ui
