#pragma once

#include "ui/bridge/log_model.hpp"

#include <QSortFilterProxyModel>
#include <QString>
#include <QStyledItemDelegate>
#include <QWidget>

#include <functional>

class QComboBox;
class QLabel;
class QLineEdit;
class QListView;
class QObject;
class QToolButton;

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

/// What studio and module wrote to their logs: filtered, followed, copied, saved. `source` must
/// outlive it.
class LogPanel : public QWidget {
    Q_OBJECT

public:
    explicit LogPanel(LogModel& source, QWidget* parent = nullptr);

    /// The selected lines; without a selection those that are shown.
    [[nodiscard]] QString text() const;
    void copy() const;
    /// Writes text() on another thread.
    void save(const QString& path);
    /// The newest line remains in sight.
    void setFollowing(bool isFollowing);
    void focusSearch();

Q_SIGNALS:
    void reportAsked();
    /// A file was written; with a problem: it was not.
    void saved(const QString& path, const QString& problem);

private:
    void build();
    void chooseFolder();
    void adjust();

    LogModel& source_;
    LogFilter* filter_;
    QListView* list_;
    QLabel* empty_;
    QComboBox* level_ = nullptr;
    QLineEdit* search_ = nullptr;
    QToolButton* follow_ = nullptr;
    QToolButton* copy_ = nullptr;
    QToolButton* save_ = nullptr;
    QToolButton* clear_ = nullptr;
};

}  // namespace lowtide::ui
