#include "ui/panels/timeline_chart.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/theme/theme.hpp"

#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kName = Theme::space(17);  ///< space for the rows' names
constexpr int kHeld = Theme::space(12);
constexpr int kTrack = Theme::space(5);
constexpr int kTrackGap = Theme::space(1);
constexpr int kAxis = Theme::space(5);
constexpr int kBucket = 2;  ///< pixels

QRectF trackAt(int index, int width) {
    const qreal top = kHeld + kTrackGap + static_cast<qreal>(index) * (kTrack + kTrackGap);
    return {static_cast<qreal>(kName), top, static_cast<qreal>(width - kName), kTrack};
}

}  // namespace

void TimelineRecorder::begin(double now) {
    begin_ = now;
    line_ = {};
    line_.isLive = true;
    running_.reset();
}

void TimelineRecorder::take(const Json& event, double now) {
    const std::string kind = textIn(event, "event");
    const double at = now - begin_;
    line_.seconds = std::max(line_.seconds, at);
    if (kind == "nodeStarted") {
        running_ = ComputeSpan{textIn(event, "node"), at, at};
    } else if ((kind == "nodeFinished" || kind == "nodeFailed") && running_) {
        running_->end = at;
        line_.compute.push_back(*std::exchange(running_, std::nullopt));
    } else if (kind == "memory") {
        line_.held.push_back({at, bytesIn(event, "allocated")});
    }
}

RunTimeline TimelineRecorder::timeline(double now) const {
    RunTimeline line = line_;
    if (running_) {
        line.seconds = std::max(line.seconds, now - begin_);
        line.compute.push_back({running_->node, running_->begin, line.seconds});
    }
    return line;
}

RunTimeline timelineOf(const Json& report, const RunTimeline& live) {
    RunTimeline line;
    line.held = live.held;
    std::map<std::string, double> entered;
    for (const Json& event : memberIn(report, "timeline")) {
        const std::string what = textIn(event, "what");
        const std::string node = textIn(event, "node");
        const double at = numberIn(event, "t");
        const Bytes bytes = bytesIn(event, "bytes");
        line.seconds = std::max(line.seconds, at);
        if (what == "enter") {
            entered[node] = at;
        } else if (what == "leave" && entered.count(node) > 0) {
            line.compute.push_back({node, entered[node], at});
        } else if (what == "copy") {
            line.copies.push_back({at, bytes});
        } else if (what == "evict") {
            line.evictions.push_back({at, bytes});
        } else if (what == "collect") {
            line.collections.push_back({at, bytes, textIn(event, "subject")});
        }
    }
    return line;
}

TimelineChart::TimelineChart(QWidget* parent) : Chart("timeline", parent) {
    setAccessibleName(tr("Timeline of the run"));
}

/// How long the run took and each node computed, and the most that was held.
QString TimelineChart::spokenText() const {
    QStringList lines = {secondsText(line_.seconds)};
    for (const ComputeSpan& span : line_.compute) {
        lines << tr("%1: %2").arg(nameOf(span.node), secondsText(span.end - span.begin));
    }
    Bytes most = 0;
    for (const HeldBytes& held : line_.held) {
        most = std::max(most, held.bytes);
    }
    if (most > 0) {
        lines << tr("held at most %1").arg(bytesText(most));
    }
    if (!line_.collections.empty()) {
        lines << tr("collections: %1").arg(line_.collections.size());
    }
    return lines.join(u'\n');
}

void TimelineChart::setTimeline(RunTimeline line, Bytes budget) {
    line_ = std::move(line);
    budget_ = budget;
    refresh();
}

int TimelineChart::heightNeeded() const {
    return kHeld + kTrackGap + 3 * (kTrack + kTrackGap) + kAxis;
}

qreal TimelineChart::xOf(double seconds) const {
    const double whole = std::max(line_.seconds, 1e-9);
    return kName + std::clamp(seconds / whole, 0.0, 1.0) * (width() - kName);
}

QString TimelineChart::tipAt(QPointF point) const {
    for (const ComputeSpan& span : line_.compute) {
        if (point.x() >= xOf(span.begin) && point.x() <= xOf(span.end)) {
            return tr("%1: %2").arg(nameOf(span.node), secondsText(span.end - span.begin));
        }
    }
    return {};
}

void TimelineChart::paintHeld(QPainter& painter, const QRectF& track) const {
    const Theme& theme = Theme::current();
    paintTrack(painter, track);
    Bytes most = budget_;
    for (const HeldBytes& held : line_.held) {
        most = std::max(most, held.bytes);
    }
    if (most <= 0) {
        return;
    }
    const auto yOf = [&](Bytes bytes) {
        return track.bottom() -
               static_cast<double>(bytes) / static_cast<double>(most) * (track.height() - 2);
    };
    QPainterPath path(QPointF(track.left(), track.bottom()));
    qreal y = track.bottom();
    for (const HeldBytes& held : line_.held) {
        path.lineTo(xOf(held.at), y);
        y = yOf(held.bytes);
        path.lineTo(xOf(held.at), y);
    }
    path.lineTo(track.right(), y);
    path.lineTo(track.right(), track.bottom());
    painter.fillPath(path, theme.softColour("chart.weights", 0.35));
    if (budget_ > 0) {
        painter.setPen(QPen(theme.colour("text"), 1));
        const qreal at = std::floor(yOf(budget_)) + 0.5;
        painter.drawLine(QPointF(track.left(), at), QPointF(track.right(), at));
    }
}

void TimelineChart::paintCompute(QPainter& painter, const QRectF& track) const {
    const Theme& theme = Theme::current();
    paintTrack(painter, track);
    for (const ComputeSpan& span : line_.compute) {
        const qreal left = xOf(span.begin);
        const QRectF rect(
            left, track.top(), std::max(1.0, xOf(span.end) - left - 1), track.height());
        painter.fillRect(rect, theme.colour("chart.compute"));
        const QRectF inner = rect.adjusted(Theme::space(1), 0, -Theme::space(1), 0);
        if (inner.width() > Theme::space(9)) {
            paintText(painter, inner, nameOf(span.node), "small", "accent.text");
        }
    }
}

/// Bytes that moved within each two pixels, as high as they were many.
void TimelineChart::paintMoved(QPainter& painter,
                               const QRectF& track,
                               const std::vector<MovedBytes>& moved,
                               const char* colour) const {
    const Theme& theme = Theme::current();
    paintTrack(painter, track);
    std::vector<double> buckets(static_cast<size_t>(std::max(1.0, track.width() / kBucket)) + 1);
    for (const MovedBytes& each : moved) {
        buckets[static_cast<size_t>((xOf(each.at) - track.left()) / kBucket)] +=
            static_cast<double>(each.bytes);
    }
    const double most = *std::ranges::max_element(buckets);
    for (size_t i = 0; most > 0 && i < buckets.size(); ++i) {
        if (buckets[i] > 0) {
            const qreal high = std::max(3.0, std::sqrt(buckets[i] / most) * track.height());
            painter.fillRect(QRectF(track.left() + static_cast<qreal>(i) * kBucket,
                                    track.bottom() - high,
                                    kBucket,
                                    high),
                             theme.colour(colour));
        }
    }
}

void TimelineChart::paintCollections(QPainter& painter, const QRectF& track) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::current().colour("chart.caches"));
    for (const CollectionMark& mark : line_.collections) {
        const QPointF at(xOf(mark.at), track.center().y());
        painter.drawPolygon(QPolygonF(
            {at + QPointF(0, -5), at + QPointF(5, 0), at + QPointF(0, 5), at + QPointF(-5, 0)}));
    }
    painter.restore();
}

void TimelineChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF held(kName, 0, width() - kName, kHeld);
    const QString names[] = {tr("compute"), tr("copies"), tr("evictions")};
    paintText(painter, QRectF(0, 0, kName, kTrack), tr("held"), "small", "text.muted");
    for (int track = 0; track < 3; ++track) {
        const QRectF row(0, trackAt(track, width()).top(), kName - Theme::space(1), kTrack);
        paintText(painter, row, names[track], "small", "text.muted");
    }
    paintHeld(painter, held);
    paintCompute(painter, trackAt(0, width()));
    paintMoved(painter, trackAt(1, width()), line_.copies, "chart.copy");
    paintMoved(painter, trackAt(2, width()), line_.evictions, "chart.other");
    paintCollections(painter, trackAt(2, width()));
    const QRectF axis(kName, trackAt(3, width()).top(), width() - kName, kAxis);
    const QString note =
        line_.isLive ? tr("copies are shown at the end")
        : !line_.collections.empty()
            ? tr("%n collections", nullptr, static_cast<int>(line_.collections.size()))
            : QString();
    paintText(painter, axis.adjusted(0, 0, -Theme::space(14), 0), note, "small", "text.muted");
    paintText(painter, axis, secondsText(line_.seconds), "small", "text.muted", Qt::AlignRight);
}

}  // namespace lowtide::ui
