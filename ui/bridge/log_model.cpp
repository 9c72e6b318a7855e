#include "ui/bridge/log_model.hpp"

#include "plugin/base/log.hpp"

#include <QDateTime>
#include <QPointer>

#include <algorithm>
#include <array>
#include <mutex>

namespace lowtide::ui {

/// Where a log's threads leave their lines; bounded, as a GUI thread may be late.
struct LogModel::Inbox final : LogReader {
    Inbox(LogModel& owner, LogOrigin whose) : model(owner), origin(whose) {}

    void line(Level level, int64_t milliseconds, std::string_view text) noexcept override {
        const std::lock_guard lock(mutex);
        if (waiting.size() == kMostLines) {
            waiting.pop_front();
        }
        const size_t bytes = std::min(text.size(), static_cast<size_t>(kLongestLine));
        waiting.push_back({level,
                           origin,
                           milliseconds,
                           QString::fromUtf8(text.data(), static_cast<qsizetype>(bytes))});
        if (!std::exchange(isReported, true)) {
            QMetaObject::invokeMethod(
                &model, [this] { model.take(fetch()); }, Qt::QueuedConnection);
        }
    }

    [[nodiscard]] std::deque<LogEntry> fetch() {
        const std::lock_guard lock(mutex);
        isReported = false;
        return std::exchange(waiting, {});
    }

    LogModel& model;
    const LogOrigin origin;
    std::mutex mutex;
    std::deque<LogEntry> waiting;
    bool isReported = false;
};

QString timeOf(const LogEntry& entry) {
    return QDateTime::fromMSecsSinceEpoch(entry.milliseconds)
        .toString(QStringLiteral("HH:mm:ss.zzz"));
}

QString levelText(Level level) {
    switch (level) {
        case Level::Debug:
            return LogModel::tr("debug");
        case Level::Info:
            return LogModel::tr("info");
        case Level::Warning:
            return LogModel::tr("warning");
        case Level::Error:
            return LogModel::tr("error");
    }
    return {};
}

QString originText(LogOrigin origin) {
    return origin == LogOrigin::Engine ? LogModel::tr("engine") : LogModel::tr("studio");
}

QString lineOf(const LogEntry& entry) {
    constexpr std::array kLevels = {"debug", "info", "warning", "error"};
    return QStringLiteral("%1  %2  %3  %4")
        .arg(QDateTime::fromMSecsSinceEpoch(entry.milliseconds)
                 .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz")),
             QLatin1String(kLevels.at(static_cast<size_t>(entry.level))),
             QLatin1String(entry.origin == LogOrigin::Engine ? "engine" : "studio"),
             entry.text);
}

LogModel::LogModel(QObject* parent) : QAbstractListModel(parent) {
    read(logSource(), LogOrigin::Studio);
}

LogModel::~LogModel() {
    for (const Source& source : sources_) {
        source.log->remove(*source.inbox);
    }
}

void LogModel::follow(LogSource* source) {
    const bool isRead = std::any_of(
        sources_.begin(), sources_.end(), [&](const Source& each) { return each.log == source; });
    if (source && !isRead) {
        read(*source, LogOrigin::Engine);
    }
}

void LogModel::read(LogSource& source, LogOrigin origin) {
    sources_.push_back({&source, std::make_shared<Inbox>(*this, origin)});
    source.add(*sources_.back().inbox);
}

const LogEntry* LogModel::entryAt(const QModelIndex& index) const {
    const auto row = static_cast<size_t>(index.row());
    return index.isValid() && row < entries_.size() ? &entries_[row] : nullptr;
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    const LogEntry* entry = entryAt(index);
    if (!entry) {
        return {};
    }
    if (role == Qt::DisplayRole) {
        return entry->text;
    }
    if (role == Qt::ToolTipRole) {
        return lineOf(*entry);
    }
    if (role == Qt::AccessibleTextRole) {
        return tr("%1, %2, %3: %4")
            .arg(levelText(entry->level), originText(entry->origin), timeOf(*entry), entry->text);
    }
    return {};
}

void LogModel::clear() {
    forget(entries_.size());
}

void LogModel::take(std::deque<LogEntry> lines) {
    if (lines.empty()) {
        return;
    }
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(lines.size()) - 1);
    for (LogEntry& line : lines) {
        characters_ += line.text.size();
        entries_.push_back(std::move(line));
    }
    endInsertRows();
    size_t excess = entries_.size() > kMostLines ? entries_.size() - kMostLines : 0;
    qsizetype left = characters_;
    for (size_t i = 0; i < entries_.size() && (i < excess || left > kMostCharacters); ++i) {
        left -= entries_[i].text.size();
        excess = std::max(excess, i + 1);
    }
    forget(excess);
}

void LogModel::forget(size_t count) {
    if (count == 0) {
        return;
    }
    beginRemoveRows({}, 0, static_cast<int>(count) - 1);
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(count);
    for (auto entry = entries_.begin(); entry != end; ++entry) {
        characters_ -= entry->text.size();
    }
    entries_.erase(entries_.begin(), end);
    endRemoveRows();
}

}  // namespace lowtide::ui
