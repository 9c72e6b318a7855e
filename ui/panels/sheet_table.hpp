#pragma once

#include "plugin/base/stop_token.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/sheet_plan.hpp"
#include "ui/history/run_record.hpp"

#include <QAbstractTableModel>
#include <QByteArray>
#include <QImage>
#include <QStyledItemDelegate>

#include <optional>
#include <vector>

namespace lowtide::ui {

/// The cells of a sheet as a table: their images, small, what they cost, and which of them show
/// the very same pixels.
class SheetTable : public QAbstractTableModel {
    Q_OBJECT

public:
    /// Longest side of the images that are kept.
    static constexpr int kImagePixels = 512;

    explicit SheetTable(QObject* parent = nullptr);
    ~SheetTable() override;

    /// Images that are known already are kept where the sheet is the same.
    void setSheet(const SheetRecord& sheet, const SheetPlan& plan);
    /// A run of the sheet is at work: 0 to 1. A run of another sheet changes nothing.
    void setProgress(const RunKey& run, double progress);

    [[nodiscard]] const SheetRecord& sheet() const { return sheet_; }

    [[nodiscard]] const SheetPlan& plan() const { return plan_; }

    [[nodiscard]] const SheetCellRecord* cellAt(const QModelIndex& index) const;
    /// -1: there is none.
    [[nodiscard]] int numberOf(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(int cell) const;
    /// Null: not loaded, or there is none.
    [[nodiscard]] const QImage& image(int cell) const;
    [[nodiscard]] double progress(int cell) const;
    /// The first other cell with the same pixels; -1: none.
    [[nodiscard]] int sameAs(int cell) const;
    /// "2.1 s, 1.2 GiB"; empty: nothing was measured.
    [[nodiscard]] QString figures(int cell) const;
    /// Why there is no image, or that it comes; empty: there is one.
    [[nodiscard]] QString stateText(int cell) const;
    [[nodiscard]] bool hasFailed(int cell) const;

    /// What is marked: the ends of one figure over all cells that have it.
    enum class Figure { None, Time, Peak };

    struct Ends {
        int least = -1;
        int most = -1;
    };

    [[nodiscard]] Ends endsOf(Figure figure) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section,
                                      Qt::Orientation orientation,
                                      int role) const override;

private:
    struct Shown {
        QString file;  ///< that is loaded, or will be
        QImage image;
        QByteArray hash;
        QString problem;
        double progress = -1;
    };

    void load(int cell);
    void take(int cell, const QString& file, Shown loaded);
    void showMessage(int cell);

    SheetRecord sheet_;
    SheetPlan plan_;
    std::vector<Shown> shown_;
    StopSource stop_;  ///< of what is loaded
    Background loading_;
};

/// Paints a cell of a sheet: its image, or why there is none; below it, on wish, what it took.
class SheetDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    /// Pixels of the longer side of an image.
    void setSide(int pixels) { side_ = pixels; }

    void setFigures(bool areShown) { hasFigures_ = areShown; }

    void setMarked(SheetTable::Figure figure) { marked_ = figure; }

    /// The cell that others are compared with; -1: none.
    void setReference(int cell) { reference_ = cell; }

    [[nodiscard]] QSize cellSize(const QSizeF& shape) const;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

private:
    [[nodiscard]] int captionHeight() const;
    void paintImage(QPainter& painter, const QRect& rect, const SheetTable& table, int cell) const;
    void paintCaption(QPainter& painter, QRect line, const SheetTable& table, int cell) const;
    void paintMark(QPainter& painter, const QRect& rect, const SheetTable& table, int cell) const;

    int side_ = 0;
    bool hasFigures_ = false;
    SheetTable::Figure marked_ = SheetTable::Figure::None;
    int reference_ = -1;
};

}  // namespace lowtide::ui
