#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QString>
#include <QTimer>

#include <map>
#include <string>

namespace lowtide::ui {

/// The panels around the canvas: docks that a person may move, close and bring back. Each shows its
/// name once: on its tab, or on its title where it stands alone.
class Panels : public QObject {
    Q_OBJECT

public:
    explicit Panels(QMainWindow& window);
    ~Panels() override;

    /// Panels of one area lie behind each other; the first one is in front.
    void add(const char* name, const QString& title, QWidget* panel, Qt::DockWidgetArea area);
    /// Brings the panel to the front, and back when it was closed.
    void show(const std::string& name);
    void setTitle(const std::string& name, const QString& title);
    /// Every panel to its place, as at the first start.
    void reset();

    [[nodiscard]] bool isShown(const std::string& name) const;

    /// Moves, floats and closes the panel that had the focus last; also behind a right click on a
    /// tab.
    [[nodiscard]] QMenu& menu() { return *menu_; }

Q_SIGNALS:
    /// The panel came to the front, or went away.
    void shownChanged(const QString& name, bool isShown);

private:
    struct Panel {
        QDockWidget* dock;
        Qt::DockWidgetArea area;
    };

    void giveFirstSizes();
    void showNamesSoon();
    void showNames();
    void takeTabs();
    void fillMenu(QMenu& menu, QDockWidget* dock);
    void moveTo(QDockWidget* dock, Qt::DockWidgetArea area);
    [[nodiscard]] bool isTabbed(QDockWidget* dock) const;
    [[nodiscard]] QDockWidget* dockAround(QWidget* widget) const;

    QMainWindow& window_;
    std::map<std::string, Panel> panels_;
    std::map<Qt::DockWidgetArea, QDockWidget*> first_;
    QDockWidget* current_ = nullptr;  ///< that had the focus last
    QMenu* menu_;
    QTimer names_;
};

}  // namespace lowtide::ui
