#pragma once

#include "ui/document/file_target.hpp"
#include "ui/studio/main_window_widgets.hpp"

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

namespace lowtide::ui {

/// What would take a file that is let go there, as takerOf() states it.
using FileTaker = std::function<std::optional<graph::PortRef>(const DropSpot& spot)>;

/// Shows what would take the files that are dragged over the window: the node on the canvas, and
/// the fields of its value. Of several files the first one decides.
class DropTarget : public QObject {
    Q_OBJECT

public:
    /// Finds the taker for a file, on another thread where it has to be read, and hands it over.
    using FindTaker = std::function<void(const QString& file, std::function<void(FileTaker)> done)>;

    /// `widgets` must outlive it.
    DropTarget(MainWindowWidgets& widgets, FindTaker find);

    void hover(const QStringList& files, const DropSpot& spot);
    /// They were let go, or are elsewhere.
    void leave();

private:
    void showTaker();

    MainWindowWidgets& widgets_;
    FindTaker find_;
    QString file_;  ///< over the window; empty: none
    DropSpot spot_;
    FileTaker taker_;  ///< for the file; empty: not found yet
    std::optional<graph::PortRef> shown_;
    std::vector<QPointer<QWidget>> frames_;  ///< over fields
};

}  // namespace lowtide::ui
