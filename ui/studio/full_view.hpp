#pragma once

#include "ui/studio/main_window_widgets.hpp"

#include <QByteArray>
#include <QList>
#include <QObject>

namespace lowtide::ui {

/// Gives the middle of a window more space: without its panels, or the viewer's image alone on the
/// whole screen. What it takes away comes back as it was.
class FullView : public QObject {
    Q_OBJECT

public:
    /// `widgets` must outlive it.
    explicit FullView(MainWindowWidgets& widgets);

    /// Everything is back.
    void end();

private:
    void hidePanels(bool areHidden);
    void fillScreen(bool isFull);
    void hideFrame(bool isHidden);

    MainWindowWidgets& widgets_;
    QAction& full_;
    QAction& hidden_;
    QList<QAction*> keys_;  ///< a menu bar that is hidden has none
    QByteArray layout_;     ///< with the panels; empty: they are shown
    int tab_ = 0;           ///< that was in front before
};

}  // namespace lowtide::ui
