#pragma once

#include "plugin/host_api/log_source.hpp"

#include <QAbstractListModel>
#include <QString>

#include <deque>
#include <memory>
#include <vector>

namespace lowtide::ui {

enum class LogOrigin { Studio, Engine };

struct LogEntry {
    Level level = Level::Info;
    LogOrigin origin = LogOrigin::Studio;
    qint64 milliseconds = 0;  ///< since 1970
    QString text;
};

/// "2026-11-28 03:12:45.120  warning  engine  text", as files and the clipboard get it, in
/// English as the lines are.
[[nodiscard]] QString lineOf(const LogEntry& entry);
/// "03:12:45.120".
[[nodiscard]] QString timeOf(const LogEntry& entry);
[[nodiscard]] QString levelText(Level level);
[[nodiscard]] QString originText(LogOrigin origin);

/// The newest lines of the studio's log and of the module's, oldest first, in bounded memory
/// however long the program runs. GUI thread only; lines arrive from any.
class LogModel : public QAbstractListModel {
    Q_OBJECT

public:
    static constexpr size_t kMostLines = 5000;
    /// Of all lines together; a line that is longer than kLongestLine is cut.
    static constexpr qsizetype kMostCharacters = 2'000'000;
    static constexpr qsizetype kLongestLine = 4000;

    /// Begins with the program's own lines.
    explicit LogModel(QObject* parent = nullptr);
    ~LogModel() override;

    /// Lines of the module too. `source` must outlive it; one that is read already is not read
    /// twice; nullptr: the module has none.
    void follow(LogSource* source);

    [[nodiscard]] const std::deque<LogEntry>& entries() const { return entries_; }

    /// nullptr: no such row.
    [[nodiscard]] const LogEntry* entryAt(const QModelIndex& index) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

    void clear();

private:
    struct Inbox;
    void read(LogSource& source, LogOrigin origin);
    void take(std::deque<LogEntry> lines);
    void forget(size_t count);

    struct Source {
        LogSource* log;
        std::shared_ptr<Inbox> inbox;
    };

    std::deque<LogEntry> entries_;
    qsizetype characters_ = 0;
    std::vector<Source> sources_;
};

}  // namespace lowtide::ui
