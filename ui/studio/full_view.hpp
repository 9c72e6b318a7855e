#pragma once

#include "ui/panels/viewer.hpp"
#include "ui/studio/actions.hpp"
#include "ui/studio/panels.hpp"

#include <QByteArray>
#include <QList>
#include <QMainWindow>
#include <QObject>
#include <QTabWidget>

namespace lowtide::ui {

/// Gives the middle of a window more space: without its panels, or the viewer's image alone on the
/// whole screen. What it takes away comes back as it was.
class FullView : public QObject {
    Q_OBJECT

public:
    /// All must outlive it. The viewer is a tab of `centre`.
    FullView(QMainWindow& window,
             Panels& panels,
             QTabWidget& centre,
             Viewer& viewer,
             const Actions& actions);

    /// Everything is back.
    void end();

private:
    void hidePanels(bool areHidden);
    void fillScreen(bool isFull);
    void hideFrame(bool isHidden);

    QMainWindow& window_;
    Panels& panels_;
    QTabWidget& centre_;
    Viewer& viewer_;
    QAction& full_;
    QAction& hidden_;
    QList<QAction*> keys_;  ///< a menu bar that is hidden has none
    QByteArray layout_;     ///< with the panels; empty: they are shown
    int tab_ = 0;           ///< that was in front before
};

}  // namespace lowtide::ui
