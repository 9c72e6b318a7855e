#include "ui/canvas/node_texts.hpp"

#include "ui/theme/figures.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr double kTextMargin = 8;
constexpr double kLargeLine = 17;       ///< lines of large text stand close
constexpr double kLeastShare = 0.4;     ///< of a row, for its value, where both need more
constexpr double kFiguresShare = 0.72;  ///< of a footer, where what is beside them is always told
constexpr double kSwitch = 36;

const QFont& small(const Look& look, TextSize size) {
    return size == TextSize::Large ? look.largeFont : look.smallFont;
}

struct NodeWords {
    Q_DECLARE_TR_FUNCTIONS(NodeTexts)
};

void addPorts(std::vector<PaintedText>& texts,
              const std::vector<PortFace>& ports,
              const std::vector<PortSpot>& spots,
              const Look& look,
              TextSize size,
              Qt::Alignment alignment) {
    for (size_t i = 0; i < ports.size(); ++i) {
        const QColor& colour = ports[i].isOptional && !ports[i].isLinked ? look.muted : look.text;
        texts.push_back(
            lineIn(spots[i].label, ports[i].label, small(look, size), colour, alignment));
    }
}

bool isSwitch(const RowFace& row) {
    return row.desc != nullptr && row.desc->kind == ParamKind::Bool;
}

/// Rooms of label and value. Large ones share the row by what they need: the value's rather.
RowSpot roomsOf(const RowFace& row, RowSpot spot, const QFont& font, TextSize size) {
    spot.value.adjust(0, 0, -kTextMargin - rowMarkWidth(row), 0);
    if (size == TextSize::Large) {
        const double all = spot.value.right() - spot.label.left() - kTextMargin / 2;
        const double label = widthOf(row.label, font) + 1;
        const double value = isSwitch(row) ? kSwitch : widthOf(row.value, font) + 1;
        const double given = std::min(value, std::max(all - label, all * kLeastShare));
        spot.value.setLeft(spot.value.right() - given);
        spot.label.setWidth(all - given);
    }
    return spot;
}

void addLines(std::vector<PaintedText>& texts,
              const RowFace& row,
              const RowSpot& spot,
              const Look& look,
              TextSize size) {
    const bool isEmpty = row.value.isEmpty();
    const bool isLarge = size == TextSize::Large;
    const QRectF room = spot.value.adjusted(kTextMargin - 2, isLarge ? 0 : 2, -kTextMargin, 0);
    const double line = isLarge ? kLargeLine : node_measures::kLine;
    const int most = isLarge ? std::max(1, static_cast<int>(room.height() / line)) : row.lines;
    const std::vector<PaintedText> lines =
        linesIn(room,
                isEmpty ? NodeWords::tr("Empty") : row.value,
                small(look, size),
                isEmpty || row.desc == nullptr ? look.muted : look.text,
                most,
                line);
    texts.insert(texts.end(), lines.begin(), lines.end());
}

void addRow(std::vector<PaintedText>& texts,
            const RowFace& row,
            const RowSpot& spot,
            const Look& look,
            TextSize size) {
    const QFont& font = small(look, size);
    if (row.isLong) {
        texts.push_back(lineIn(spot.label, row.label, font, look.muted, Qt::AlignLeft));
        addLines(texts, row, spot, look, size);
        return;
    }
    const RowSpot rooms = roomsOf(row, spot, font, size);
    texts.push_back(lineIn(rooms.label, row.label, font, look.muted, Qt::AlignLeft));
    const QColor& colour = row.desc == nullptr ? look.muted : look.text;
    const bool isFile = row.desc != nullptr &&
                        (row.desc->kind == ParamKind::File || row.desc->kind == ParamKind::Folder);
    if (!isSwitch(row)) {
        texts.push_back(lineIn(rooms.value,
                               row.value,
                               font,
                               colour,
                               Qt::AlignRight,
                               isFile ? Qt::ElideMiddle : Qt::ElideRight));
    }
}

/// "step 4 of 20, 12 s left", "step 4 of 20".
QStringList runningTexts(const NodeStatus& status) {
    if (!status.secondsLeft) {
        return {status.phase};
    }
    const double seconds = *status.secondsLeft;
    const QString left = seconds < 60 ? shortDuration(seconds * 1000)
                                      : NodeWords::tr("%1 min").arg(seconds / 60, 0, 'f', 0);
    return {NodeWords::tr("%1, %2 left").arg(status.phase, left), status.phase};
}

/// What a footer can say of the node's work, the longest first.
QStringList figuresOf(const NodeStatus& status) {
    switch (status.activity) {
        case NodeActivity::Running:
            return runningTexts(status);
        case NodeActivity::Waiting:
            return {NodeWords::tr("waiting")};
        case NodeActivity::Failed:
            return {NodeWords::tr("failed")};
        case NodeActivity::Cached:
            return {NodeWords::tr("kept from before")};
        case NodeActivity::Idle:
        case NodeActivity::Finished:
            break;
    }
    const uint64_t bytes = status.peakBytes > 0 ? status.peakBytes : status.plannedBytes;
    const QString size = bytesText(static_cast<Bytes>(bytes));
    if (status.milliseconds <= 0) {
        return bytes > 0 ? QStringList{NodeWords::tr("plan %1").arg(size)} : QStringList();
    }
    const QString time = shortDuration(status.milliseconds);
    return bytes > 0 ? QStringList{NodeWords::tr("%1 · %2").arg(time, size), time}
                     : QStringList{time};
}

/// The first that has room; the shortest where none has.
QString fitting(const QStringList& texts, const QFont& font, double room) {
    for (const QString& text : texts) {
        if (widthOf(text, font) + 1 <= room) {
            return text;
        }
    }
    return texts.value(texts.size() - 1);
}

}  // namespace

double rowMarkWidth(const RowFace& row) {
    if (row.desc == nullptr) {
        return 0;
    }
    return row.desc->kind == ParamKind::Choice || row.desc->kind == ParamKind::File ||
                   row.desc->kind == ParamKind::Folder
               ? 12
               : 0;
}

std::vector<double> labelWidths(const NodeFace& face, const Look& look) {
    std::vector<double> widths;
    for (const RowFace& row : face.rows) {
        widths.push_back(widthOf(row.label, look.smallFont) + 1);
    }
    return widths;
}

std::vector<PaintedText> faceTexts(const NodeFace& face,
                                   const NodeLayout& layout,
                                   const Look& look,
                                   TextSize size) {
    std::vector<PaintedText> texts;
    const QFont& strong = size == TextSize::Large ? look.largeStrongFont : look.strongFont;
    texts.push_back(lineIn(layout.title, face.title, strong, look.text, Qt::AlignLeft));
    if (face.isCollapsed) {
        return texts;
    }
    addPorts(texts, face.inputs, layout.inputs, look, size, Qt::AlignLeft);
    addPorts(texts, face.outputs, layout.outputs, look, size, Qt::AlignRight);
    for (size_t i = 0; i < face.rows.size(); ++i) {
        addRow(texts, face.rows[i], layout.rows[i], look, size);
    }
    return texts;
}

std::vector<PaintedText> footerTexts(const NodeFace& face,
                                     const NodeStatus& status,
                                     const NodeLayout& layout,
                                     const Look& look,
                                     TextSize size) {
    std::vector<PaintedText> texts;
    if (layout.footer.isNull()) {
        return texts;
    }
    const QRectF room = layout.footer.adjusted(12, 0, -12, -1);
    const QFont& font = small(look, size);
    const bool isLarge = size == TextSize::Large;
    const double most = room.width() * (isLarge ? 1 : kFiguresShare);
    const QString right = fitting(figuresOf(status), font, most);
    const double rightWidth = std::min(widthOf(right, font) + 1, most);
    const QString left = status.policy.isEmpty() ? face.subtitle : status.policy;
    const double leftWidth = room.width() - (right.isEmpty() ? 0 : rightWidth + 12);
    // A part of it is worth nothing, and large text leaves it none.
    if (!isLarge || widthOf(left, font) + 1 <= leftWidth) {
        texts.push_back(lineIn({room.topLeft(), QSizeF(leftWidth, room.height())},
                               left,
                               font,
                               face.desc == nullptr ? look.warning : look.muted,
                               Qt::AlignLeft));
    }
    if (!right.isEmpty()) {
        const QColor colour = status.activity == NodeActivity::Failed    ? look.error
                              : status.activity == NodeActivity::Running ? look.running
                                                                         : look.muted;
        texts.push_back(lineIn({room.right() - rightWidth, room.top(), rightWidth, room.height()},
                               right,
                               font,
                               colour,
                               Qt::AlignRight));
    }
    return texts;
}

QString shortDuration(double milliseconds) {
    if (milliseconds < 1000) {
        return NodeWords::tr("%1 ms").arg(milliseconds, 0, 'f', 0);
    }
    const double seconds = milliseconds / 1000;
    if (seconds < 60) {
        return NodeWords::tr("%1 s").arg(seconds, 0, 'f', seconds < 10 ? 1 : 0);
    }
    const int whole = static_cast<int>(seconds);
    return NodeWords::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
}

}  // namespace lowtide::ui
