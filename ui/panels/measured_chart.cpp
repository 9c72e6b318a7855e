#include "ui/panels/measured_chart.hpp"

#include "ui/theme/theme.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kMeasuredText = Theme::space(5);
constexpr int kMeasuredBar = 6;
constexpr int kMeasuredRow = kMeasuredText + 2 * kMeasuredBar + Theme::space(2);

}  // namespace

MeasuredChart::MeasuredChart(QWidget* parent) : Chart("measured", parent) {
    setAccessibleName(tr("Predicted and measured"));
}

QString MeasuredChart::spokenText() const {
    QStringList nodes;
    for (const MeasuredNode& node : measured_.nodes) {
        nodes << textOf(node);
    }
    return nodes.join(u'\n');
}

void MeasuredChart::setMeasured(const MeasuredView& measured) {
    measured_ = measured;
    std::erase_if(measured_.nodes, [](const MeasuredNode& node) {
        return node.peak == 0 && node.plannedPeak.value_or(0) == 0;  // nothing to compare
    });
    most_ = 0;
    for (const MeasuredNode& node : measured_.nodes) {
        most_ = std::max({most_, node.peak, node.plannedPeak.value_or(0)});
    }
    refresh();
}

std::vector<LegendEntry> MeasuredChart::legend() const {
    const QColor colour = Theme::current().colour("chart.weights");
    return {{colour, tr("predicted"), true}, {colour, tr("measured"), false}};
}

int MeasuredChart::heightNeeded() const {
    return static_cast<int>(measured_.nodes.size()) * kMeasuredRow +
           legendHeight(width(), legend());
}

QString MeasuredChart::tipAt(QPointF point) const {
    const auto row = static_cast<size_t>(std::max(0.0, point.y()) / kMeasuredRow);
    if (row >= measured_.nodes.size()) {
        return {};
    }
    return textOf(measured_.nodes[row]);
}

QString MeasuredChart::textOf(const MeasuredNode& node) const {
    QStringList lines = {nameOf(node.node)};
    if (node.plannedPeak) {
        lines.push_back(
            tr("peak %1, predicted %2").arg(bytesText(node.peak), bytesText(*node.plannedPeak)));
    }
    if (node.plannedSeconds) {
        lines.push_back(
            (measured_.isEstimated ? tr("%1, predicted %2 (an estimate)") : tr("%1, predicted %2"))
                .arg(secondsText(node.seconds), secondsText(*node.plannedSeconds)));
    }
    if (node.copySeconds) {
        lines.push_back(tr("copies worked %1, compute waited %2 for them")
                            .arg(secondsText(*node.copySeconds), secondsText(node.waitSeconds)));
        lines.push_back(
            tr("moved %1, predicted %2").arg(bytesText(node.moved), bytesText(node.plannedMoved)));
    }
    return lines.join('\n');
}

void MeasuredChart::paintNode(QPainter& painter, const MeasuredNode& node, qreal top) const {
    const QColor colour = Theme::current().colour("chart.weights");
    const QRectF row(0, top, width(), kMeasuredText);
    paintText(painter, row.adjusted(0, 0, -width() * 0.65, 0), nameOf(node.node), "body", "text");
    const QString bytes =
        node.plannedPeak && *node.plannedPeak != node.peak
            ? tr("%1, predicted %2").arg(bytesText(node.peak), bytesText(*node.plannedPeak))
            : bytesText(node.peak);
    paintText(painter,
              row.adjusted(width() * 0.37, 0, 0, 0),
              tr("%1 · %2").arg(secondsText(node.seconds), bytes),
              "small",
              "text.muted",
              Qt::AlignRight);
    const auto lengthOf = [&](Bytes value) {
        return most_ > 0 ? width() * static_cast<double>(value) / static_cast<double>(most_) : 0;
    };
    const qreal bars = top + kMeasuredText;
    paintBar(painter,
             QRectF(0, bars, lengthOf(node.plannedPeak.value_or(0)), kMeasuredBar),
             colour,
             true);
    paintBar(painter, QRectF(0, bars + kMeasuredBar, lengthOf(node.peak), kMeasuredBar), colour);
}

void MeasuredChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    qreal top = 0;
    for (const MeasuredNode& node : measured_.nodes) {
        paintNode(painter, node, top);
        top += kMeasuredRow;
    }
    paintLegend(painter, QRectF(0, top, width(), height() - top), legend());
}

}  // namespace lowtide::ui
