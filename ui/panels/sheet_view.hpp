#pragma once

#include "plugin/base/stop_token.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/panels/sheet_table.hpp"

#include <QWidget>

class QAction;
class QComboBox;
class QLabel;
class QMenu;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace lowtide::ui {

class ElidedLabel;
class ImageView;
class SheetDelegate;

/// A sheet: a grid of images with the values of its axes next to it, and the current one large.
/// Fills while its runs are at work.
class SheetView : public QWidget {
    Q_OBJECT

public:
    explicit SheetView(QWidget* parent = nullptr);
    ~SheetView() override;

    /// The same sheet again: the current cell is kept.
    void showSheet(const SheetRecord& sheet, const SheetPlan& plan);
    /// As SheetTable::setProgress.
    void setProgress(const RunKey& run, double progress);

    /// Of the sheet that is shown; empty: none is.
    [[nodiscard]] const RunKey& sheet() const;

    [[nodiscard]] SheetTable& table() { return *table_; }

    /// -1: none.
    [[nodiscard]] int currentCell() const;
    void setCurrentCell(int cell);
    void focusCells();

Q_SIGNALS:
    void graphAsked(const lowtide::ui::RunKey& run, const QString& path);
    /// The open graph takes the values of the cell.
    void valuesAsked(int cell);
    /// All images of the cell, in the viewer.
    void viewAsked(const QStringList& files, const QString& path);
    void compareAsked(const QString& left, const QString& right);
    /// Cells without an image run again.
    void retryAsked();
    /// A new one.
    void sheetAsked();

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeBar();
    QWidget* makeGrid();
    QWidget* makeLarge();
    QWidget* makeEmpty();
    QAction* addAction(const char* name,
                       const QString& text,
                       const QKeySequence& key,
                       void (SheetView::*act)());
    void addActions();
    void adjust();
    void fit();
    void zoomBy(int steps);
    void setSide(int pixels);
    void showFigures(bool areShown);
    void mark();
    void showCurrent();
    void showFacts();
    void presentCurrent();
    [[nodiscard]] QString fileOf(int cell) const;
    void openGraph();
    void useValues();
    void view();
    void viewSheet();
    /// Others are compared with this one from now on; once more: they are not.
    void compareWith();
    void compareInViewer();

    SheetTable* table_;
    SheetDelegate* delegate_;
    QStackedWidget* pages_ = nullptr;
    QTableView* cells_ = nullptr;
    ImageView* large_ = nullptr;
    ElidedLabel* title_ = nullptr;
    ElidedLabel* axes_ = nullptr;
    QLabel* name_ = nullptr;   ///< of the current cell
    QLabel* facts_ = nullptr;  ///< of the current cell
    QToolButton* figures_ = nullptr;
    QComboBox* marks_ = nullptr;
    QToolButton* retry_ = nullptr;
    QToolButton* whole_ = nullptr;
    QMenu* menu_ = nullptr;
    int side_ = 0;
    bool isFitted_ = true;
    int reference_ = -1;
    ImageLevels referenceLevels_;
    ImageLevels currentLevels_;
    QString loaded_;  ///< the file that is shown large, or will be
    StopSource loading_;
};

}  // namespace lowtide::ui
