#include "ui/panels/log_rows.hpp"

#include "ui/panels/chart_parts.hpp"
#include "ui/theme/theme.hpp"

#include <QDateTime>
#include <QFontMetricsF>
#include <QIcon>
#include <QPainter>

namespace lowtide::ui {

namespace {

constexpr int kLogRow = Theme::space(6);

QString timeOf(const LogEntry& entry) {
    return QDateTime::fromMSecsSinceEpoch(entry.milliseconds)
        .toString(QStringLiteral("HH:mm:ss.zzz"));
}

const char* levelIcon(Level level) {
    return level == Level::Error ? "error" : level == Level::Warning ? "warning" : "";
}

const char* colourOf(Level level) {
    return level == Level::Error     ? "error"
           : level == Level::Warning ? "warning"
           : level == Level::Debug   ? "text.muted"
                                     : "text";
}

}  // namespace

LogRows::LogRows(LogBook& book, QObject* parent) : QAbstractListModel(parent), book_(book) {
    connect(&book_, &LogBook::aboutToAdd, this, [this](int count) {
        const auto rows = static_cast<int>(book_.entries().size());
        beginInsertRows({}, rows, rows + count - 1);
    });
    connect(&book_, &LogBook::added, this, [this] { endInsertRows(); });
    connect(&book_, &LogBook::aboutToForget, this, [this](int count) {
        beginRemoveRows({}, 0, count - 1);
    });
    connect(&book_, &LogBook::forgotten, this, [this] { endRemoveRows(); });
}

const LogEntry* LogRows::entryAt(const QModelIndex& index) const {
    const auto row = static_cast<size_t>(index.row());
    return index.isValid() && row < book_.entries().size() ? &book_.entries()[row] : nullptr;
}

int LogRows::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(book_.entries().size());
}

QVariant LogRows::data(const QModelIndex& index, int role) const {
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

void LogFilter::setLeast(Level level) {
    least_ = level;
    invalidateFilter();
}

void LogFilter::setWords(const QString& words) {
    words_ = words.trimmed();
    invalidateFilter();
}

bool LogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const auto& rows = *static_cast<const LogRows*>(sourceModel());
    const LogEntry* entry = rows.entryAt(rows.index(row, 0, parent));
    return entry && entry->level >= least_ &&
           (words_.isEmpty() || entry->text.contains(words_, Qt::CaseInsensitive));
}

QSize LogDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {0, kLogRow};
}

void LogDelegate::paint(QPainter* painter,
                        const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    paintRowGround(*painter, option);
    const auto& filter = *static_cast<const LogFilter*>(index.model());
    const auto& rows = *static_cast<const LogRows*>(filter.sourceModel());
    const LogEntry* entry = rows.entryAt(filter.mapToSource(index));
    if (!entry) {
        return;
    }
    const QFontMetricsF small(Theme::current().font("small"));
    const qreal gap = Theme::space(2);
    QRectF rest = QRectF(option.rect).adjusted(gap, 0, -gap, 0);
    const auto next = [&](qreal width) {
        const QRectF place(rest.topLeft(), QSizeF(width, rest.height()));
        rest.adjust(width + gap, 0, 0, 0);
        return place;
    };
    const QRectF time = next(small.horizontalAdvance(QStringLiteral("00:00:00.000")) + 1);
    paintText(*painter, time, timeOf(*entry), "small", "text.muted");
    const int side = Theme::current().size("icon");
    const QRectF mark = next(side);
    if (const char* icon = levelIcon(entry->level); *icon != '\0') {
        Theme::current().icon(icon, colourOf(entry->level)).paint(painter, mark.toRect());
    }
    const qreal origins = std::max(small.horizontalAdvance(originText(LogOrigin::Engine)),
                                   small.horizontalAdvance(originText(LogOrigin::Studio)));
    paintText(*painter, next(origins + 1), originText(entry->origin), "small", "text.muted");
    QString text = entry->text;
    text.replace(QLatin1Char('\n'), QLatin1Char(' '));
    paintText(*painter, rest, text, "body", colourOf(entry->level));
}

}  // namespace lowtide::ui
