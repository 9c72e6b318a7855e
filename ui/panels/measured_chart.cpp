#include "ui/panels/measured_chart.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/graph/document.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/theme/theme.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

Json nodeKey(const graph::DocumentNode& node, const graph::Catalog& catalog) {
    Json params = node.params;
    if (const NodeDesc* desc = catalog.find(node.type)) {
        for (const ParamDesc& param : desc->params) {
            if ((param.kind == ParamKind::Seed || param.cosmetic) && params.is_object()) {
                params.erase(param.id);
            }
        }
    }
    return {node.type, params, node.memory, node.precision, static_cast<int>(node.mode)};
}

Json executedNodes(const Json& report) {
    Json nodes = Json::array();
    for (const Json& repetition : memberIn(report, "repetitions")) {
        nodes.push_back(memberIn(repetition, "executed"));
    }
    return nodes;
}

const Json& stageOf(const Json& stages, const std::string& node) {
    static const Json none;
    for (const Json& stage : stages) {
        if (textIn(stage, "node") == node) {
            return stage;
        }
    }
    return none;
}

MeasuredNode measured(const Json& node, const Json& planned, const Json& traffic) {
    const std::string device = textIn(node, "device");
    MeasuredNode row{.node = textIn(node, "node"),
                     .seconds = numberIn(node, "ms") / 1000,
                     .peak = bytesIn(node, "peakBytes"),
                     .moved = bytesIn(traffic, "moved"),
                     .plannedMoved = bytesIn(planned, "moved")};
    if (memberIn(planned, "has_networks") == true) {
        row.plannedSeconds = numberIn(planned, "seconds");
    }
    const Json& held = memberIn(memberIn(planned, "devices"), device.c_str());
    if (held.is_object()) {
        row.plannedPeak = bytesIn(held, "total");
    }
    for (const Json& queue : memberIn(traffic, "lanes")) {
        row.copySeconds = row.copySeconds.value_or(0) + numberIn(queue, "copy");
        row.waitSeconds += numberIn(queue, "wait");
    }
    return row;
}

constexpr int kMeasuredText = Theme::space(5);
constexpr int kMeasuredBar = 6;
constexpr int kMeasuredRow = kMeasuredText + 2 * kMeasuredBar + Theme::space(2);

}  // namespace

std::string timeKeyOf(std::string_view text,
                      const Json& options,
                      const Json& report,
                      const graph::Catalog& catalog) {
    try {
        const graph::Document document = graph::parseDocument(text);
        Json key = {{"options", options},
                    {"executed", executedNodes(report)},
                    {"budget", document.memoryBudget.value_or("")},
                    {"device", document.device.value_or("")},
                    {"nodes", Json::object()},
                    {"links", Json::array()}};
        for (const auto& [id, node] : document.nodes) {
            key["nodes"][id] = nodeKey(node, catalog);
        }
        for (const graph::Link& link : document.links) {
            key["links"].push_back({link.from.node, link.from.port, link.to.node, link.to.port});
        }
        return sha256Hex(key.dump(-1, ' ', false, Json::error_handler_t::replace));
    } catch (const Error&) {
        return {};
    }
}

std::optional<RunTimes::Slower> RunTimes::take(const std::string& key, double milliseconds) {
    if (key.empty() || milliseconds <= 0) {
        return std::nullopt;
    }
    const auto known = std::ranges::find(last_, key, &Last::key);
    const double before = known == last_.end() ? 0 : known->milliseconds;
    if (known != last_.end()) {
        last_.erase(known);
    } else if (last_.size() == kMostKeys) {
        last_.pop_front();
    }
    last_.push_back({key, milliseconds});
    if (before <= 0 || milliseconds <= kSlower * before || milliseconds - before < kLeastMore) {
        return std::nullopt;
    }
    return Slower{milliseconds, before};
}

std::optional<MeasuredView> measuredViewOf(const Json& report) {
    const Json& repetitions = memberIn(report, "repetitions");
    if (!repetitions.is_array() || repetitions.empty()) {
        return std::nullopt;
    }
    const Json& last = repetitions.back();
    const Json& plan = memberIn(report, "plan");
    MeasuredView view;
    for (const Json& node : memberIn(last, "nodes")) {
        const std::string id = textIn(node, "node");
        view.nodes.push_back(measured(node,
                                      stageOf(memberIn(plan, "stages"), id),
                                      stageOf(memberIn(memberIn(last, "traffic"), "stages"), id)));
    }
    for (const Json& node : memberIn(last, "cached")) {
        if (node.is_string()) {
            view.cached.push_back(node.get<std::string>());
        }
    }
    const Json& devices = memberIn(plan, "devices");
    if (devices.is_array() && !devices.empty()) {
        view.plannedPeak = bytesIn(devices[0], "peak");
        view.isEstimated = memberIn(devices[0], "estimated") == true;
        view.isRehearsal = memberIn(devices[0], "rehearsal") == true;
        view.peak = bytesIn(
            memberIn(memberIn(last, "ledger"), textIn(devices[0], "device").c_str()), "peak");
    }
    for (const Json& record : memberIn(memberIn(report, "collections"), "records")) {
        ++view.collections;
        view.saved += bytesIn(memberIn(record, "gc"), "saved");
    }
    return view.nodes.empty() ? std::nullopt : std::optional(view);
}

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
        lines.push_back((measured_.isRehearsal   ? tr("%1, predicted %2 on such a GPU")
                         : measured_.isEstimated ? tr("%1, predicted %2 (an estimate)")
                                                 : tr("%1, predicted %2"))
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
