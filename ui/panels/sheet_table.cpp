#include "ui/panels/sheet_table.hpp"

#include "ui/bridge/image_load.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/chart_parts.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"

#include <QCryptographicHash>
#include <QPainter>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr double kMilliseconds = 1000;
const QImage kNoImage;

constexpr int kLabelWidth = 20;  ///< letters of a line; those of Chinese count twice
constexpr qsizetype kLabelLines = 4;

int lettersOf(QChar letter) {
    constexpr char16_t kFirstWide = 0x2e80;
    return letter.unicode() >= kFirstWide ? 2 : 1;
}

/// A label in short lines; the tip shows all of it.
QString folded(const QString& label) {
    QStringList lines{QString()};
    int letters = 0;
    qsizetype space = -1;  // in the last line
    for (const QChar letter : label) {
        lines.back() += letter;
        letters += lettersOf(letter);
        space = letter.isSpace() ? lines.back().size() - 1 : space;
        if (letters <= kLabelWidth) {
            continue;
        }
        if (lines.size() == kLabelLines) {
            lines.back().chop(1);
            lines.back() += QChar(0x2026);
            break;
        }
        const QString rest = lines.back().mid(space > 0 ? space + 1 : lines.back().size() - 1);
        lines.back().chop(rest.size() + (space > 0 ? 1 : 0));
        lines << rest;
        letters = 0;
        for (const QChar each : rest) {
            letters += lettersOf(each);
        }
        space = -1;
    }
    return lines.join(QLatin1Char('\n'));
}

/// Hash of the pixels alone: files of the same image differ in the graphs that they carry.
QByteArray hashOf(const QImage& image) {
    const QImage whole = image.convertToFormat(QImage::Format_RGBA8888);
    QCryptographicHash hash(QCryptographicHash::Sha1);
    const QByteArray size =
        QByteArray::number(whole.width()) + 'x' + QByteArray::number(whole.height());
    hash.addData(size);
    for (int y = 0; y < whole.height(); ++y) {
        hash.addData(QByteArrayView(whole.constScanLine(y), qsizetype{4} * whole.width()));
    }
    return hash.result();
}

QImage smallEnough(const ImageLevels& levels) {
    const QImage* least = &levels.front();
    for (const QImage& level : levels) {
        const bool isEnough = std::max(level.width(), level.height()) >= SheetTable::kImagePixels;
        least = isEnough ? &level : least;
    }
    const int side = std::min(SheetTable::kImagePixels, std::max(least->width(), least->height()));
    return least->scaled(side, side, Qt::KeepAspectRatio, Qt::SmoothTransformation)
        .convertToFormat(least->hasAlphaChannel() ? QImage::Format_ARGB32_Premultiplied
                                                  : QImage::Format_RGB32);
}

constexpr int kCellInset = 4;
constexpr int kMarkInset = 4;
constexpr int kProgressBar = 4;
constexpr int kMarkPadding = 6;

QFontMetrics smallMetrics() {
    return QFontMetrics(Theme::current().font("small"));
}

/// A word on a ground of its own, over an image.
void paintTag(QPainter& painter, QPoint corner, const QString& text, const char* token) {
    const Theme& theme = Theme::current();
    const QFontMetrics metrics = smallMetrics();
    const QRect ground(
        corner,
        QSize(metrics.horizontalAdvance(text) + 2 * kMarkPadding, metrics.height() + kMarkPadding));
    painter.setPen(QPen(theme.colour(token), 1));
    painter.setBrush(theme.colour("surface"));
    painter.drawRoundedRect(ground, theme.size("radius"), theme.size("radius"));
    painter.setFont(theme.font("small"));
    painter.setPen(theme.colour(token));
    painter.drawText(ground, Qt::AlignCenter, text);
}

}  // namespace

SheetTable::SheetTable(QObject* parent) : QAbstractTableModel(parent) {}

SheetTable::~SheetTable() {
    stop_.cancel(CancelMode::Now);
}

void SheetTable::setSheet(const SheetRecord& sheet, const SheetPlan& plan) {
    const bool isSame =
        sheet.key == sheet_.key && plan == plan_ && sheet.cells.size() == sheet_.cells.size();
    if (!isSame) {
        stop_.cancel(CancelMode::Now);
        stop_ = {};
        beginResetModel();
    }
    sheet_ = sheet;
    sheet_.cells.resize(plan.cells());
    plan_ = plan;
    if (!isSame) {
        shown_.assign(plan.cells(), {});
        endResetModel();
    }
    for (int cell = 0; cell < static_cast<int>(shown_.size()); ++cell) {
        load(cell);
        showMessage(cell);
    }
}

void SheetTable::load(int cell) {
    const auto at = static_cast<size_t>(cell);
    const QString file = sheet_.cells[at].files.value(0);
    if (shown_[at].file == file) {
        return;
    }
    shown_[at] = {.file = file};
    if (file.isEmpty()) {
        return;
    }
    loading_.run([this, cell, file, stop = stop_.token()]() -> Background::Answer {
        if (stop.mode() != CancelMode::No) {
            return {};
        }
        Shown loaded{.file = file};
        const LoadedImage whole = loadImage(file, stop);
        loaded.problem = whole.problem;
        if (!whole.levels.empty()) {
            loaded.image = smallEnough(whole.levels);
            loaded.hash = hashOf(whole.levels.front());
        }
        return [this, cell, file, loaded] { take(cell, file, loaded); };
    });
}

void SheetTable::take(int cell, const QString& file, Shown loaded) {
    const auto at = static_cast<size_t>(cell);
    if (at < shown_.size() && shown_[at].file == file) {
        shown_[at] = std::move(loaded);
        for (int each = 0; each < static_cast<int>(shown_.size()); ++each) {
            showMessage(each);  // some may be the same as this one
        }
    }
}

void SheetTable::setProgress(const RunKey& run, double progress) {
    for (size_t i = 0; i < sheet_.cells.size(); ++i) {
        SheetCellRecord& cell = sheet_.cells[i];
        if (cell.run == run && !hasEnded(cell)) {
            cell.state = RunState::Running;
            shown_[i].progress = progress;
            showMessage(static_cast<int>(i));
        }
    }
}

void SheetTable::showMessage(int cell) {
    const QModelIndex index = indexOf(cell);
    Q_EMIT dataChanged(index, index);
}

int SheetTable::numberOf(const QModelIndex& index) const {
    return index.isValid() ? index.row() * static_cast<int>(plan_.columns()) + index.column() : -1;
}

QModelIndex SheetTable::indexOf(int cell) const {
    const auto columns = static_cast<int>(plan_.columns());
    return cell < 0 || columns == 0 ? QModelIndex() : index(cell / columns, cell % columns);
}

const SheetCellRecord* SheetTable::cellAt(const QModelIndex& index) const {
    const int cell = numberOf(index);
    return cell < 0 ? nullptr : &sheet_.cells[static_cast<size_t>(cell)];
}

const QImage& SheetTable::image(int cell) const {
    return cell < 0 ? kNoImage : shown_[static_cast<size_t>(cell)].image;
}

double SheetTable::progress(int cell) const {
    return shown_[static_cast<size_t>(cell)].progress;
}

int SheetTable::sameAs(int cell) const {
    const QByteArray& hash = shown_[static_cast<size_t>(cell)].hash;
    for (int other = 0; !hash.isEmpty() && other < static_cast<int>(shown_.size()); ++other) {
        if (other != cell && shown_[static_cast<size_t>(other)].hash == hash) {
            return other;
        }
    }
    return -1;
}

QString SheetTable::figures(int cell) const {
    const SheetCellRecord& record = sheet_.cells[static_cast<size_t>(cell)];
    if (record.state != RunState::Finished || !record.isKnown) {
        return {};
    }
    if (record.executed == 0) {
        return tr("kept from before");
    }
    const QString time = secondsText(record.milliseconds / kMilliseconds);
    return record.peak > 0 ? tr("%1, %2").arg(time, bytesText(record.peak)) : time;
}

QString SheetTable::stateText(int cell) const {
    const SheetCellRecord& record = sheet_.cells[static_cast<size_t>(cell)];
    const Shown& shown = shown_[static_cast<size_t>(cell)];
    if (!record.isKnown) {
        return tr("This run was forgotten.");
    }
    switch (record.state) {
        case RunState::Waiting:
            return tr("waits");
        case RunState::Running:
            return tr("runs");
        case RunState::Cancelled:
            return record.files.isEmpty() ? tr("cancelled") : QString();
        case RunState::Failed:
            return record.problem.isEmpty() ? tr("failed") : record.problem;
        case RunState::Finished:
            break;
    }
    return record.files.isEmpty()     ? tr("It wrote no image.")
           : !shown.problem.isEmpty() ? shown.problem
           : shown.image.isNull()     ? tr("is loaded")
                                      : QString();
}

bool SheetTable::hasFailed(int cell) const {
    const SheetCellRecord& record = sheet_.cells[static_cast<size_t>(cell)];
    return !record.isKnown || record.state == RunState::Failed ||
           record.state == RunState::Cancelled;
}

SheetTable::Ends SheetTable::endsOf(Figure figure) const {
    Ends ends;
    const auto valueOf = [&](int cell) {
        const SheetCellRecord& record = sheet_.cells[static_cast<size_t>(cell)];
        return figure == Figure::Time ? record.milliseconds : static_cast<double>(record.peak);
    };
    for (int cell = 0; figure != Figure::None && cell < static_cast<int>(sheet_.cells.size());
         ++cell) {
        const SheetCellRecord& record = sheet_.cells[static_cast<size_t>(cell)];
        if (!record.isKnown || record.state != RunState::Finished || record.executed == 0 ||
            valueOf(cell) <= 0) {
            continue;
        }
        ends.least = ends.least < 0 || valueOf(cell) < valueOf(ends.least) ? cell : ends.least;
        ends.most = ends.most < 0 || valueOf(cell) > valueOf(ends.most) ? cell : ends.most;
    }
    const bool areAlike = ends.least >= 0 && valueOf(ends.least) == valueOf(ends.most);
    return areAlike ? Ends{} : ends;
}

int SheetTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || shown_.empty() ? 0 : static_cast<int>(plan_.rows());
}

int SheetTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || shown_.empty() ? 0 : static_cast<int>(plan_.columns());
}

QVariant SheetTable::data(const QModelIndex& index, int role) const {
    const int cell = numberOf(index);
    if (cell < 0 || (role != Qt::ToolTipRole && role != Qt::AccessibleTextRole)) {
        return {};
    }
    QStringList lines{plan_.cellTitle(static_cast<size_t>(cell))};
    for (const QString& line : {stateText(cell), figures(cell)}) {
        if (!line.isEmpty()) {
            lines << line;
        }
    }
    if (const int same = sameAs(cell); same >= 0) {
        lines << tr("The same image as %1").arg(plan_.cellTitle(static_cast<size_t>(same)));
    }
    return role == Qt::ToolTipRole ? lines.join(u'\n') : listed(lines);
}

QVariant SheetTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (section < 0 || (orientation == Qt::Vertical && !plan_.y)) {
        return {};
    }
    const SheetAxis& axis = orientation == Qt::Horizontal ? plan_.x : *plan_.y;
    const auto at = static_cast<size_t>(section);
    if (at >= axis.values.size()) {
        return {};
    }
    switch (role) {
        case Qt::DisplayRole:
            return folded(axis.values[at].label);
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            return titled(axis.title(), axis.values[at].label);
        default:
            return {};
    }
}

int SheetDelegate::captionHeight() const {
    return hasFigures_ ? 2 * (smallMetrics().height() + 1) : 0;
}

QSize SheetDelegate::cellSize(const QSizeF& shape) const {
    const QSizeF image =
        (shape.isEmpty() ? QSizeF(1, 1) : shape).scaled(side_, side_, Qt::KeepAspectRatio);
    return {static_cast<int>(image.width()) + 2 * kCellInset,
            static_cast<int>(image.height()) + captionHeight() + 2 * kCellInset};
}

void SheetDelegate::paintImage(QPainter& painter,
                               const QRect& rect,
                               const SheetTable& table,
                               int cell) const {
    const Theme& theme = Theme::current();
    const QImage& image = table.image(cell);
    if (!image.isNull()) {
        QSize size = image.size();
        size.scale(rect.size(), Qt::KeepAspectRatio);
        QRect target(QPoint(0, 0), size);
        target.moveCenter(rect.center());
        painter.drawImage(target, image);
        return;
    }
    painter.fillRect(rect, theme.colour("field"));
    const QString text = table.stateText(cell);
    painter.setFont(theme.font("small"));
    painter.setPen(theme.colour(table.hasFailed(cell) ? "error" : "text.muted"));
    const QRect inner = rect.adjusted(6, 6, -6, -6);
    painter.setClipRect(inner);
    painter.drawText(inner, Qt::AlignCenter | Qt::TextWordWrap, text);
    painter.setClipping(false);
    const double progress = table.progress(cell);
    if (table.cellAt(table.indexOf(cell))->state == RunState::Running && progress >= 0) {
        QRectF bar(rect.left(), rect.bottom() + 1 - kProgressBar, rect.width(), kProgressBar);
        bar.setWidth(bar.width() * std::clamp(progress, 0.0, 1.0));
        painter.fillRect(bar, theme.colour("node.running"));
    }
}

void SheetDelegate::paintCaption(QPainter& painter,
                                 QRect line,
                                 const SheetTable& table,
                                 int cell) const {
    line.setHeight(smallMetrics().height() + 1);
    paintText(painter, line, table.figures(cell), "small", "text");
    line.translate(0, line.height());
    if (const int same = table.sameAs(cell); same >= 0) {
        paintText(
            painter,
            line,
            SheetTable::tr("same as %1").arg(table.plan().cellValues(static_cast<size_t>(same))),
            "small",
            "text.muted");
    }
}

void SheetDelegate::paintMark(QPainter& painter,
                              const QRect& rect,
                              const SheetTable& table,
                              int cell) const {
    const SheetTable::Ends ends = table.endsOf(marked_);
    const bool isTime = marked_ == SheetTable::Figure::Time;
    const QPoint corner = rect.topLeft() + QPoint(kMarkInset, kMarkInset);
    if (cell == ends.least) {
        paintTag(painter,
                 corner,
                 isTime ? SheetTable::tr("fastest") : SheetTable::tr("least memory"),
                 "success");
    } else if (cell == ends.most) {
        paintTag(painter,
                 corner,
                 isTime ? SheetTable::tr("slowest") : SheetTable::tr("most memory"),
                 "warning");
    }
    if (cell == reference_) {
        const QPoint below(0, smallMetrics().height() + 2 * kMarkPadding);
        paintTag(painter,
                 cell == ends.least || cell == ends.most ? corner + below : corner,
                 SheetTable::tr("compared with"),
                 "accent");
    }
}

void SheetDelegate::paint(QPainter* painter,
                          const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    const auto* table = qobject_cast<const SheetTable*>(index.model());
    const int cell = table ? table->numberOf(index) : -1;
    if (cell < 0) {
        return;
    }
    const Theme& theme = Theme::current();
    const bool isCurrent = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    painter->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    const QRect inner = option.rect.adjusted(kCellInset, kCellInset, -kCellInset, -kCellInset);
    if (isCurrent) {
        painter->fillRect(option.rect, theme.colour("selection"));
        painter->setPen(QPen(theme.colour("focus"), 3));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option.rect.adjusted(1, 1, -2, -2));
    }
    QRect rect = inner;
    rect.setHeight(inner.height() - captionHeight());
    paintImage(*painter, rect, *table, cell);
    paintMark(*painter, rect, *table, cell);
    if (hasFigures_) {
        paintCaption(*painter,
                     QRect(rect.left(), rect.bottom() + 1, rect.width(), captionHeight()),
                     *table,
                     cell);
    }
    painter->restore();
}

}  // namespace lowtide::ui
