#include "ui/panels/log_panel.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/bridge/background.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/chart_parts.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDateTime>
#include <QFileDialog>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QIcon>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kLogRow = Theme::space(6);

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

void askWhereToSave(QWidget* parent,
                    const char* dialogName,
                    const QString& title,
                    const QString& stem,
                    const QString& ending,
                    std::function<void(const QString&)> take) {
    auto* dialog = named(dialogName, new QFileDialog(parent, title));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(ending);
    const QString now = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmm"));
    dialog->selectFile(QStringLiteral("%1-%2.%3").arg(stem, now, ending));
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, std::move(take));
    dialog->open();
}

void saveTextLater(QObject* context,
                   const QString& path,
                   const QString& text,
                   std::function<void(const QString&)> done) {
    later(
        context,
        [path, bytes = text.toStdString()] {
            try {
                files::writeFileAtomically(path.toStdString(), bytes);
                return QString();
            } catch (const Error& error) {
                return errorText(error);
            }
        },
        std::move(done));
}

/// Those of a level and above that contain a text.
class LogFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setLeast(Level level) {
        least_ = level;
        invalidateFilter();
    }

    void setWords(const QString& words) {
        words_ = words.trimmed();
        invalidateFilter();
    }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        const auto& rows = *static_cast<const LogModel*>(sourceModel());
        const LogEntry* entry = rows.entryAt(rows.index(row, 0, parent));
        return entry && entry->level >= least_ &&
               (words_.isEmpty() || entry->text.contains(words_, Qt::CaseInsensitive));
    }

private:
    Level least_ = Level::Info;
    QString words_;
};

namespace {

/// Paints a line: when, its level, from where, the text.
class LogDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {0, kLogRow};
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        paintRowGround(*painter, option);
        const auto& filter = *static_cast<const LogFilter*>(index.model());
        const auto& rows = *static_cast<const LogModel*>(filter.sourceModel());
        const LogEntry* entry = rows.entryAt(filter.mapToSource(index));
        if (!entry) {
            return;
        }
        const QFontMetricsF small(Theme::current().font("small"));
        const qreal gap = Theme::space(2);
        QRectF rest = QRectF(option.rect).adjusted(gap, 0, -gap, 0);
        const auto next = [&](qreal width) {
            const QRectF area(rest.topLeft(), QSizeF(width, rest.height()));
            rest.adjust(width + gap, 0, 0, 0);
            return area;
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
};

}  // namespace

LogPanel::LogPanel(LogModel& source, QWidget* parent)
    : QWidget(parent),
      source_(source),
      filter_(new LogFilter(this)),
      list_(named("logLines", new QListView(this))),
      empty_(makeText({}, "noLog", this)) {
    setObjectName(QStringLiteral("logPanel"));
    filter_->setSourceModel(&source_);
    build();
    connect(filter_, &QAbstractItemModel::rowsInserted, this, &LogPanel::adjust);
    connect(filter_, &QAbstractItemModel::rowsRemoved, this, &LogPanel::adjust);
    connect(
        list_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &LogPanel::adjust);
    // Who scrolls up wants to read; at the end again, the list goes on.
    connect(list_->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] {
        const QScrollBar* bar = list_->verticalScrollBar();
        follow_->setChecked(bar->sliderPosition() >= bar->maximum());
    });
    connect(list_->verticalScrollBar(), &QScrollBar::rangeChanged, this, [this] {
        if (follow_->isChecked()) {
            list_->scrollToBottom();
        }
    });
    adjust();
}

void LogPanel::build() {
    level_ = named("logLevel", new QComboBox(this));
    level_->setAccessibleName(tr("Least level"));
    level_->setToolTip(tr("Show lines of this level and above"));
    level_->addItem(tr("Everything"), static_cast<int>(Level::Debug));
    level_->addItem(tr("Information"), static_cast<int>(Level::Info));
    level_->addItem(tr("Warnings"), static_cast<int>(Level::Warning));
    level_->addItem(tr("Errors"), static_cast<int>(Level::Error));
    level_->setCurrentIndex(1);
    connect(level_, &QComboBox::currentIndexChanged, this, [this] {
        filter_->setLeast(static_cast<Level>(level_->currentData().toInt()));
        adjust();
    });
    search_ = makeSearch(tr("Search the log"), "logSearch", this);
    search_->setMinimumWidth(Theme::space(36));
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& words) {
        filter_->setWords(words);
        adjust();
    });
    follow_ = makeIconButton(
        "arrow-down", tr("Follow: keep the newest line in sight"), "followLog", this);
    follow_->setCheckable(true);
    follow_->setChecked(true);
    copy_ = makeIconButton(
        "copy", tr("Copy the selected lines, or all that are shown"), "copyLog", this);
    save_ = makeIconButton("save", tr("Save these lines to a file..."), "saveLog", this);
    clear_ = makeIconButton("trash", tr("Clear the list"), "clearLog", this);
    QToolButton* report = makeIconButton("help", tr("Report a problem..."), "reportProblem", this);
    connect(follow_, &QToolButton::toggled, this, &LogPanel::adjust);
    connect(copy_, &QToolButton::clicked, this, &LogPanel::copy);
    connect(save_, &QToolButton::clicked, this, &LogPanel::chooseFolder);
    connect(clear_, &QToolButton::clicked, &source_, &LogModel::clear);
    connect(report, &QToolButton::clicked, this, &LogPanel::reportAsked);
    list_->setAccessibleName(tr("Log"));
    list_->setModel(filter_);
    list_->setItemDelegate(new LogDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setUniformItemSizes(true);
    list_->setMouseTracking(true);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    auto* copyLines = new QAction(tr("Copy"), list_);
    copyLines->setShortcut(QKeySequence::Copy);
    copyLines->setShortcutContext(Qt::WidgetShortcut);
    connect(copyLines, &QAction::triggered, this, &LogPanel::copy);
    list_->addAction(copyLines);
    list_->setContextMenuPolicy(Qt::ActionsContextMenu);
    empty_->setAlignment(Qt::AlignCenter);
    auto* row = new FlowRow;
    row->setContentsMargins(Theme::space(2), Theme::space(1), Theme::space(2), Theme::space(1));
    row->setSpacing(Theme::space(2));
    row->setAtEnd(true);
    row->addWidget(level_);
    row->addWidget(search_);
    row->addGroup({follow_, copy_, save_, clear_, report});
    columnIn(this, 0, {row, {list_, 1}, {empty_, 1}});
}

void LogPanel::adjust() {
    const bool isEmpty = filter_->rowCount() == 0;
    list_->setVisible(!isEmpty);
    empty_->setVisible(isEmpty);
    empty_->setText(source_.entries().empty() ? tr("The log is empty.")
                                              : tr("No line of this level has that text."));
    copy_->setEnabled(!isEmpty);
    save_->setEnabled(!isEmpty);
    clear_->setEnabled(!source_.entries().empty());
    if (follow_->isChecked()) {
        list_->scrollToBottom();
    }
}

QString LogPanel::text() const {
    QModelIndexList chosen = list_->selectionModel()->selectedIndexes();
    std::sort(chosen.begin(), chosen.end());
    if (chosen.isEmpty()) {
        for (int row = 0; row < filter_->rowCount(); ++row) {
            chosen << filter_->index(row, 0);
        }
    }
    QString text;
    for (const QModelIndex& index : std::as_const(chosen)) {
        if (const LogEntry* entry = source_.entryAt(filter_->mapToSource(index))) {
            text += lineOf(*entry) + QLatin1Char('\n');
        }
    }
    return text;
}

void LogPanel::copy() const {
    QGuiApplication::clipboard()->setText(text());
}

void LogPanel::chooseFolder() {
    askWhereToSave(this,
                   "saveLogDialog",
                   tr("Save the log"),
                   QStringLiteral("lowtide"),
                   QStringLiteral("log"),
                   [this](const QString& path) { save(path); });
}

void LogPanel::save(const QString& path) {
    saveTextLater(
        this, path, text(), [this, path](const QString& problem) { Q_EMIT saved(path, problem); });
}

void LogPanel::setFollowing(bool isFollowing) {
    follow_->setChecked(isFollowing);
}

void LogPanel::focusSearch() {
    search_->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace lowtide::ui
