#pragma once

#include "ui/bridge/log_book.hpp"

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>

namespace lowtide::ui {

/// The lines of a log, oldest first. `book` must outlive it.
class LogRows : public QAbstractListModel {
    Q_OBJECT

public:
    explicit LogRows(LogBook& book, QObject* parent = nullptr);

    /// nullptr: no such row.
    [[nodiscard]] const LogEntry* entryAt(const QModelIndex& index) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    LogBook& book_;
};

/// Those of a level and above that contain a text.
class LogFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setLeast(Level level);
    void setWords(const QString& words);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    Level least_ = Level::Info;
    QString words_;
};

/// Paints a line: when, its level, from where, the text.
class LogDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;
};

}  // namespace lowtide::ui
