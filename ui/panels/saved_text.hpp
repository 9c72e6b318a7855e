#pragma once

#include <QString>

#include <functional>

class QObject;
class QWidget;

namespace lowtide::ui {

/// Asks where a text is to be saved; proposes "STEM-20261128-0930.ENDING".
void askWhereToSave(QWidget* parent,
                    const char* dialogName,
                    const QString& title,
                    const QString& stem,
                    const QString& ending,
                    std::function<void(const QString& path)> take);
/// Writes the whole file or nothing, on another thread. `done` hears why it is not written; empty:
/// it is.
void saveTextLater(QObject* context,
                   const QString& path,
                   const QString& text,
                   std::function<void(const QString& problem)> done);

}  // namespace lowtide::ui
