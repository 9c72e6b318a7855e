#pragma once

#include <QString>

class QWidget;

namespace lowtide {
class Error;
}

namespace lowtide::ui {

/// Reports what failed, with the reason and what to do about it.
void showError(QWidget* parent, const QString& what, const QString& message, const QString& hint);
void showError(QWidget* parent, const QString& what, const Error& error);

}  // namespace lowtide::ui
