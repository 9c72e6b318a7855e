#include "ui/panels/sheet_drawing.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/image_load.hpp"

#include <QDir>
#include <QFileInfo>
#include <QFontMetrics>
#include <QPainter>
#include <QRegularExpression>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kLeastLetter = 16;     ///< pixels
constexpr int kCellPerLetter = 22;   ///< a wider cell has larger letters
constexpr int kEmptyCellSide = 256;  ///< of cells without an image
constexpr int kMostLines = 4;        ///< of a label
constexpr double kMostKeptPixels = 1 << 24;
constexpr int kNameDigits = 5;
constexpr qsizetype kMostLetters = 60;  ///< of the name of a graph, in that of a file
const QColor kSheetGround = Qt::white;
const QColor kSheetText(0x1b, 0x1b, 0x1f);
const QColor kSheetMuted(0x62, 0x66, 0x70);
const QColor kSheetEmpty(0xec, 0xed, 0xf0);
const QColor kSheetProblem(0xa3, 0x22, 0x1c);

QImage imageOf(const DrawnCell& cell) {
    if (cell.file.isEmpty()) {
        return {};
    }
    const LoadedImage loaded = loadImage(cell.file);
    return loaded.levels.empty() ? QImage() : loaded.levels.front();
}

/// Where everything lies.
struct SheetLayout {
    double shrink = 1;
    QSize cell;
    int letter = kLeastLetter;
    int gap = 8;
    int left = 0;    ///< width of row labels
    int title = 0;   ///< height
    int header = 0;  ///< height of column labels
    int caption = 0;
    int lineHeight = 0;

    [[nodiscard]] QRect image(size_t column, size_t row) const {
        return {
            QPoint(left + gap + static_cast<int>(column) * (cell.width() + gap),
                   title + header + gap + static_cast<int>(row) * (cell.height() + caption + gap)),
            cell};
    }

    [[nodiscard]] QSize whole(const SheetPlan& plan) const {
        const QRect last = image(plan.columns() - 1, plan.rows() - 1);
        return {(last.right() + 1 + gap + 3) / 4 * 4,  // rows without padding
                last.bottom() + 1 + caption + gap};
    }
};

/// In lines of that width; the last of `most` ends with an ellipsis where more follow.
QString fitted(const QFont& font, const QString& text, int width, int most = kMostLines) {
    QString words = text.simplified();
    QTextLayout layout(words, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    QStringList lines;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        lines << words.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    if (lines.size() > most) {
        const QString rest = lines.mid(most - 1).join(QLatin1Char(' '));
        lines = lines.mid(0, most - 1);
        lines << QFontMetrics(font).elidedText(rest, Qt::ElideRight, width);
    }
    return lines.join(QLatin1Char('\n'));
}

int heightOf(const QFontMetrics& metrics, const QString& lines) {
    return metrics.lineSpacing() * static_cast<int>(lines.count(QLatin1Char('\n')) + 1);
}

SheetLayout layoutOf(const SheetDrawing& drawing, const QSize& whole, double shrink, QFont& font) {
    const SheetPlan& plan = drawing.plan;
    SheetLayout layout{.shrink = shrink};
    layout.cell = {std::max(1, static_cast<int>(whole.width() / layout.shrink)),
                   std::max(1, static_cast<int>(whole.height() / layout.shrink))};
    layout.letter = std::max(kLeastLetter, layout.cell.width() / kCellPerLetter);
    layout.gap = layout.letter / 2;
    font.setPixelSize(layout.letter);
    const QFontMetrics metrics(font);
    layout.lineHeight = metrics.lineSpacing();
    for (const SheetValue& value : plan.x.values) {
        const QString text = fitted(font, value.label, layout.cell.width());
        layout.header = std::max(layout.header, heightOf(metrics, text) + layout.gap);
    }
    layout.title = layout.gap + (plan.y ? 3 : 2) * layout.lineHeight;
    if (plan.y) {
        const int most = std::max(layout.cell.width() / 2, 8 * layout.letter);
        for (const SheetValue& value : plan.y->values) {
            layout.left = std::max(
                layout.left, std::min(most, metrics.horizontalAdvance(value.label) + layout.gap));
        }
        layout.left += layout.gap;
    }
    qsizetype lines = 0;
    for (const DrawnCell& cell : drawing.cells) {
        lines = std::max(lines, cell.caption.size());
    }
    layout.caption = static_cast<int>(lines) * layout.lineHeight;
    return layout;
}

/// As large as images are, unless the sheet had too many pixels, or more a side than are shown.
SheetLayout layoutOf(const SheetDrawing& drawing, const QSize& largest, QFont& font) {
    constexpr double kLittle = 1.01;  // labels do not shrink with the cells
    const QSize whole = largest.isEmpty() ? QSize(kEmptyCellSide, kEmptyCellSide) : largest;
    const double pixels = static_cast<double>(whole.width()) * whole.height() *
                          static_cast<double>(drawing.plan.cells());
    const auto sideOf = [&](const SheetLayout& layout) {
        const QSize size = layout.whole(drawing.plan);
        return std::max(size.width(), size.height());
    };
    SheetLayout layout =
        layoutOf(drawing, whole, std::max(1.0, std::sqrt(pixels / kMostSheetPixels)), font);
    while (sideOf(layout) > kLargestShownSide) {
        const double over = static_cast<double>(sideOf(layout)) / kLargestShownSide;
        layout = layoutOf(drawing, whole, layout.shrink * over * kLittle, font);
    }
    return layout;
}

void drawCell(QPainter& painter,
              const DrawnCell& cell,
              const QImage& image,
              const QRect& rect,
              const SheetLayout& layout) {
    if (image.isNull()) {
        painter.fillRect(rect, kSheetEmpty);
        painter.setPen(kSheetProblem);
        const QRect inner = rect.adjusted(layout.gap, layout.gap, -layout.gap, -layout.gap);
        painter.drawText(inner,
                         Qt::AlignCenter,
                         fitted(painter.font(),
                                cell.problem,
                                inner.width(),
                                std::max(1, inner.height() / layout.lineHeight)));
    } else {
        const QSize size = layout.shrink > 1 ? image.size() / layout.shrink : image.size();
        QRect target(QPoint(0, 0), size.boundedTo(rect.size()));
        target.moveCenter(rect.center());
        target.moveTop(rect.top());
        painter.drawImage(target, image);
    }
    painter.setPen(kSheetMuted);
    QRect line(rect.left(), rect.bottom() + 1, rect.width(), layout.lineHeight);
    for (const QString& text : cell.caption) {
        painter.drawText(line,
                         Qt::AlignCenter,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, line.width()));
        line.translate(0, layout.lineHeight);
    }
}

/// Names of the axes above, values next to the cells.
void drawLabels(QPainter& painter,
                const SheetDrawing& drawing,
                const SheetLayout& layout,
                int width) {
    const SheetPlan& plan = drawing.plan;
    const QFontMetrics metrics = painter.fontMetrics();
    QRect line(layout.gap, layout.gap, width - 2 * layout.gap, layout.lineHeight);
    const auto writeLine = [&](const QString& text, const QColor& colour) {
        painter.setPen(colour);
        painter.drawText(
            line, Qt::AlignVCenter, metrics.elidedText(text, Qt::ElideRight, line.width()));
        line.translate(0, layout.lineHeight);
    };
    writeLine(drawing.title, kSheetText);
    writeLine(QStringLiteral("→ ") + plan.x.title(), kSheetMuted);
    if (plan.y) {
        writeLine(QStringLiteral("↓ ") + plan.y->title(), kSheetMuted);
    }
    painter.setPen(kSheetText);
    for (size_t column = 0; column < plan.columns(); ++column) {
        const QRect cell = layout.image(column, 0);
        const QRect rect(cell.left(), layout.title, cell.width(), layout.header + layout.gap / 2);
        painter.drawText(rect,
                         Qt::AlignHCenter | Qt::AlignBottom,
                         fitted(painter.font(), plan.x.values[column].label, rect.width()));
    }
    for (size_t row = 0; plan.y && row < plan.rows(); ++row) {
        const QRect cell = layout.image(0, row);
        const QRect rect(layout.gap, cell.top(), layout.left - layout.gap, cell.height());
        painter.drawText(rect,
                         Qt::AlignRight | Qt::AlignVCenter,
                         fitted(painter.font(), plan.y->values[row].label, rect.width()));
    }
}

}  // namespace

QImage drawSheet(const SheetDrawing& drawing) {
    QSize largest;
    double pixels = 0;
    std::vector<QImage> kept;  // others are read once more, one at a time
    for (const DrawnCell& cell : drawing.cells) {
        const QImage image = imageOf(cell);
        largest = largest.expandedTo(image.size());
        pixels += static_cast<double>(image.width()) * image.height();
        kept.push_back(pixels < kMostKeptPixels ? image : QImage());
    }
    QFont font = drawing.font;
    const SheetLayout layout = layoutOf(drawing, largest, font);
    const SheetPlan& plan = drawing.plan;
    QImage sheet(layout.whole(plan), QImage::Format_RGB888);
    if (sheet.isNull()) {
        throw Error(
            ErrorKind::OutOfMemory,
            message("there is not enough memory to draw a sheet of {} images", plan.cells()),
            message("close other programs, or use fewer values"));
    }
    sheet.fill(kSheetGround);
    QPainter painter(&sheet);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing |
                           QPainter::SmoothPixmapTransform);
    painter.setFont(font);
    drawLabels(painter, drawing, layout, sheet.width());
    for (size_t i = 0; i < drawing.cells.size(); ++i) {
        drawCell(painter,
                 drawing.cells[i],
                 kept[i].isNull() ? imageOf(drawing.cells[i]) : kept[i],
                 layout.image(i % plan.columns(), i / plan.columns()),
                 layout);
    }
    return sheet;
}

QString claimedSheetName(const QString& folder, const QString& name) {
    static const QRegularExpression unsafe(QStringLiteral("[\\x00-\\x1f/\\\\:*?\"<>|.]+"));
    QString stem = name.simplified();
    stem.replace(unsafe, QStringLiteral("_"));
    stem = stem.left(kMostLetters);
    const QDir rect(folder);
    for (int number = 1;; ++number) {
        const QString file =
            (stem.isEmpty() ? QStringLiteral("lowtide") : stem) +
            QStringLiteral("_sheet_%1.png").arg(number, kNameDigits, 10, QLatin1Char('0'));
        QFile claim(rect.filePath(file));
        if (claim.open(QIODevice::WriteOnly | QIODevice::NewOnly) || !claim.exists()) {
            return claim.fileName();
        }
    }
}

}  // namespace lowtide::ui
