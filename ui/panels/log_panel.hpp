#pragma once

#include "ui/bridge/log_model.hpp"

#include <QString>
#include <QWidget>

#include <functional>

class QComboBox;
class QLabel;
class QLineEdit;
class QListView;
class QObject;
class QToolButton;

namespace lowtide::ui {

class LogFilter;

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
