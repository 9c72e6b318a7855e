#pragma once

#include "ui/bridge/log_book.hpp"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QListView;
class QToolButton;

namespace lowtide::ui {

class LogFilter;
class LogRows;

/// What studio and module wrote to their logs: filtered, followed, copied, saved. `book` must
/// outlive it.
class LogPanel : public QWidget {
    Q_OBJECT

public:
    explicit LogPanel(LogBook& book, QWidget* parent = nullptr);

    /// The selected lines; without a selection those that are shown.
    [[nodiscard]] QString text() const;
    void copy() const;
    /// Writes text() on another thread.
    void save(const QString& path);
    /// The newest line stays in sight.
    void setFollowing(bool isFollowing);
    void focusSearch();

Q_SIGNALS:
    void reportAsked();
    /// A file was written; with a problem: it was not.
    void saved(const QString& path, const QString& problem);

private:
    void build();
    void choosePlace();
    void adjust();

    LogBook& book_;
    LogRows* rows_;
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
