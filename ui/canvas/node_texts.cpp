#include "ui/canvas/node_texts.hpp"

#include "ui/theme/figures.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr double kTextMargin = 8;

QString tr(const char* text) {
    return QCoreApplication::translate("NodeTexts", text);
}

void addPorts(std::vector<PaintedText>& texts,
              const std::vector<PortFace>& ports,
              const std::vector<PortSpot>& spots,
              const Look& look,
              Qt::Alignment alignment) {
    for (size_t i = 0; i < ports.size(); ++i) {
        const QColor& colour = ports[i].isOptional && !ports[i].isLinked ? look.muted : look.text;
        texts.push_back(lineIn(spots[i].label, ports[i].label, look.smallFont, colour, alignment));
    }
}

void addRow(std::vector<PaintedText>& texts,
            const RowFace& row,
            const RowSpot& spot,
            const Look& look) {
    texts.push_back(lineIn(spot.label, row.label, look.smallFont, look.muted, Qt::AlignLeft));
    const QColor& colour = row.desc == nullptr ? look.muted : look.text;
    if (row.isLong) {
        const bool isEmpty = row.value.isEmpty();
        const QRectF room = spot.value.adjusted(kTextMargin - 2, 2, -kTextMargin, 0);
        const std::vector<PaintedText> lines = linesIn(room,
                                                       isEmpty ? tr("Empty") : row.value,
                                                       look.smallFont,
                                                       isEmpty ? look.muted : colour,
                                                       row.lines,
                                                       node_measures::kLine);
        texts.insert(texts.end(), lines.begin(), lines.end());
        return;
    }
    const bool isFile = row.desc != nullptr &&
                        (row.desc->kind == ParamKind::File || row.desc->kind == ParamKind::Folder);
    if (row.desc == nullptr || row.desc->kind != ParamKind::Bool) {
        texts.push_back(lineIn(spot.value.adjusted(0, 0, -kTextMargin - rowMarkWidth(row), 0),
                               row.value,
                               look.smallFont,
                               colour,
                               Qt::AlignRight,
                               isFile ? Qt::ElideMiddle : Qt::ElideRight));
    }
}

/// Short enough for a footer: "step 4 of 20, 12 s left".
QString runningText(const NodeStatus& status) {
    if (!status.secondsLeft) {
        return status.phase;
    }
    const double seconds = *status.secondsLeft;
    const QString left =
        seconds < 60 ? shortDuration(seconds * 1000) : tr("%1 min").arg(seconds / 60, 0, 'f', 0);
    return tr("%1, %2 left").arg(status.phase, left);
}

QString figures(const NodeStatus& status) {
    switch (status.activity) {
        case NodeActivity::Running:
            return runningText(status);
        case NodeActivity::Waiting:
            return tr("waiting");
        case NodeActivity::Failed:
            return tr("failed");
        case NodeActivity::Cached:
            return tr("kept from before");
        case NodeActivity::Idle:
        case NodeActivity::Finished:
            break;
    }
    QString text = status.milliseconds > 0 ? shortDuration(status.milliseconds) : QString();
    if (const uint64_t bytes = status.peakBytes > 0 ? status.peakBytes : status.plannedBytes;
        bytes > 0) {
        const QString size = bytesText(static_cast<Bytes>(bytes));
        text = text.isEmpty() ? tr("plan %1").arg(size) : tr("%1 · %2").arg(text, size);
    }
    return text;
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
                                   const Look& look) {
    std::vector<PaintedText> texts;
    texts.push_back(lineIn(layout.title, face.title, look.strongFont, look.text, Qt::AlignLeft));
    if (face.isCollapsed) {
        return texts;
    }
    addPorts(texts, face.inputs, layout.inputs, look, Qt::AlignLeft);
    addPorts(texts, face.outputs, layout.outputs, look, Qt::AlignRight);
    for (size_t i = 0; i < face.rows.size(); ++i) {
        addRow(texts, face.rows[i], layout.rows[i], look);
    }
    return texts;
}

std::vector<PaintedText> footerTexts(const NodeFace& face,
                                     const NodeStatus& status,
                                     const NodeLayout& layout,
                                     const Look& look) {
    std::vector<PaintedText> texts;
    if (layout.footer.isNull()) {
        return texts;
    }
    const QRectF room = layout.footer.adjusted(12, 0, -12, -1);
    const QString right = figures(status);
    const double rightWidth = std::min(widthOf(right, look.smallFont) + 1, room.width() * 0.72);
    const QString left = status.policy.isEmpty() ? face.subtitle : status.policy;
    const double leftWidth = room.width() - (right.isEmpty() ? 0 : rightWidth + 12);
    texts.push_back(lineIn({room.topLeft(), QSizeF(leftWidth, room.height())},
                           left,
                           look.smallFont,
                           face.desc == nullptr ? look.warning : look.muted,
                           Qt::AlignLeft));
    if (!right.isEmpty()) {
        const QColor colour = status.activity == NodeActivity::Failed    ? look.error
                              : status.activity == NodeActivity::Running ? look.running
                                                                         : look.muted;
        texts.push_back(lineIn({room.right() - rightWidth, room.top(), rightWidth, room.height()},
                               right,
                               look.smallFont,
                               colour,
                               Qt::AlignRight));
    }
    return texts;
}

QString shortDuration(double milliseconds) {
    if (milliseconds < 1000) {
        return tr("%1 ms").arg(milliseconds, 0, 'f', 0);
    }
    const double seconds = milliseconds / 1000;
    if (seconds < 60) {
        return tr("%1 s").arg(seconds, 0, 'f', seconds < 10 ? 1 : 0);
    }
    const int whole = static_cast<int>(seconds);
    return tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
}

}  // namespace lowtide::ui
