#pragma once

#include <QDockWidget>
#include <QHash>
#include <QMainWindow>
#include <QMenu>
#include <QPointer>
#include <QString>
#include <QTimer>

#include <map>
#include <string>
#include <vector>

class QWidget;

namespace lowtide::ui {

class ScrolledPart;

/// The parts of `root` at which Tab can stop now, as its layouts show them: from above to below,
/// from left to right. Qt's own order is that in which they were made.
[[nodiscard]] std::vector<QWidget*> stopsInSight(QWidget& root);
[[nodiscard]] bool isStop(const QWidget& widget);

/// The panels around the canvas: docks that the user may move, close and bring back. Each shows its
/// name once: on its tab, or on its title where it stands alone. None is narrower than what it
/// holds, as far as the window has space for all columns; then it scrolls.
class Panels : public QObject {
    Q_OBJECT

public:
    explicit Panels(QMainWindow& window);
    ~Panels() override;

    /// Panels of one area lie behind each other; the first one is in front.
    void add(const char* name, const QString& title, QWidget* panel, Qt::DockWidgetArea area);
    /// Brings the panel to the front, and back when it was closed.
    void show(const std::string& name);
    /// Moves the keyboard to the next panel that is shown (1), or to the one before (-1); the
    /// middle of the window counts as one.
    void moveFocus(int step);
    /// What Tab does: goes on within a panel as it is seen, then to the next area. False: there is
    /// nothing that takes keys.
    bool moveTab(bool isNext);
    void setTitle(const std::string& name, const QString& title);
    /// Every panel to its position, as at the first start.
    void reset();
    /// Every panel where it was when the window saved its state (QMainWindow::saveState); false: it
    /// is none of this window.
    bool restore(const QByteArray& state);

    /// Closes every panel; restore() brings them back.
    void hideAll();

    [[nodiscard]] bool isShown(const std::string& name) const;

    /// Moves, floats and closes the panel that had the focus last; also behind a right click on a
    /// tab.
    [[nodiscard]] QMenu& menu() { return *menu_; }

Q_SIGNALS:
    /// The panel came to the front, or went away.
    void shownChanged(const QString& name, bool isShown);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Panel {
        QDockWidget* dock;
        ScrolledPart* content;
        Qt::DockWidgetArea area;
    };

    void giveFirstSizes();
    void limitWidths();
    void showNamesSoon();
    void showNames();
    void takeTabs();
    void fillMenu(QMenu& menu, QDockWidget* dock);
    void moveTo(QDockWidget* dock, Qt::DockWidgetArea area);
    [[nodiscard]] bool isTabbed(QDockWidget* dock) const;
    [[nodiscard]] QDockWidget* dockAround(QWidget* widget) const;
    [[nodiscard]] std::vector<QWidget*> inSight() const;
    [[nodiscard]] QWidget* forKeys(QWidget* area) const;

    QMainWindow& window_;
    std::map<std::string, Panel> panels_;
    std::map<Qt::DockWidgetArea, QDockWidget*> first_;
    QDockWidget* current_ = nullptr;           ///< that had the focus last
    QHash<QWidget*, QPointer<QWidget>> left_;  ///< what had the focus last in each area
    QMenu* menu_;
    QTimer names_;
};

}  // namespace lowtide::ui
