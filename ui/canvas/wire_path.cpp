#include "ui/canvas/wire_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lowtide::ui {

namespace {

constexpr double kClearance = 16;  ///< between a detour and the nodes that it avoids
constexpr double kLane = 7;        ///< between detours
constexpr double kLeastBend = 20;
constexpr double kMostBend = 140;
constexpr double kMostDetour = 900;
constexpr int kPieces = 16;
constexpr int kTries = 6;

void bendTo(QPainterPath& path, QPointF to) {
    const QPointF from = path.currentPosition();
    const double dx = to.x() - from.x();
    const double dy = std::abs(to.y() - from.y());
    double bend = std::clamp(std::abs(dx) / 2, kLeastBend, kMostBend);
    if (dx < kLeastBend) {  // backwards: a loop wide enough to be seen
        bend = std::clamp(std::abs(dx) / 3 + dy / 4, 2 * kLeastBend, kMostBend);
    }
    path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
}

QPainterPath through(QPointF from, QPointF to, const std::vector<QPointF>& via) {
    QPainterPath path(from);
    for (const QPointF& point : via) {
        bendTo(path, point);
    }
    bendTo(path, to);
    return path;
}

QPointF onCurve(QPointF a, QPointF b, QPointF c, QPointF d, double t) {
    const double u = 1 - t;
    return a * (u * u * u) + b * (3 * u * u * t) + c * (3 * u * t * t) + d * (t * t * t);
}

std::vector<QPointF> piecesOf(const QPainterPath& path) {
    std::vector<QPointF> points;
    for (int i = 0; i < path.elementCount(); ++i) {
        const QPainterPath::Element element = path.elementAt(i);
        if (element.type == QPainterPath::CurveToElement) {
            const QPointF start = points.back();
            for (int piece = 1; piece <= kPieces; ++piece) {
                points.push_back(onCurve(start,
                                         element,
                                         path.elementAt(i + 1),
                                         path.elementAt(i + 2),
                                         static_cast<double>(piece) / kPieces));
            }
            i += 2;
        } else {
            points.push_back(element);
        }
    }
    return points;
}

/// Whether the straight piece touches the rectangle (Liang and Barsky's clipping).
bool crosses(const QRectF& rect, QPointF a, QPointF b) {
    double enter = 0, leave = 1;
    const auto clip = [&](double along, double room) {
        if (along == 0) {
            return room >= 0;
        }
        const double t = room / along;
        (along < 0 ? enter : leave) = along < 0 ? std::max(enter, t) : std::min(leave, t);
        return enter <= leave;
    };
    const double dx = b.x() - a.x(), dy = b.y() - a.y();
    return clip(-dx, a.x() - rect.left()) && clip(dx, rect.right() - a.x()) &&
           clip(-dy, a.y() - rect.top()) && clip(dy, rect.bottom() - a.y());
}

/// Joins what the line runs behind to `blocked`; false: nothing new.
bool addCrossed(const std::vector<QPointF>& points,
                const std::vector<QRectF>& obstacles,
                QRectF& blocked) {
    bool isNew = false;
    for (const QRectF& obstacle : obstacles) {
        const QRectF rect = obstacle.adjusted(-2, -2, 2, 2);
        if (blocked.contains(obstacle)) {
            continue;
        }
        for (size_t i = 1; i < points.size(); ++i) {
            if (crosses(rect, points[i - 1], points[i])) {
                blocked |= obstacle;
                isNew = true;
                break;
            }
        }
    }
    return isNew;
}

struct Detour {
    QPainterPath path;
    double length = std::numeric_limits<double>::max();
};

/// A way along a horizontal lane above or below everything in the way.
Detour detour(QPointF from,
              QPointF to,
              QRectF blocked,
              const std::vector<QRectF>& obstacles,
              double laneOffset,
              bool isAbove) {
    for (int i = 0; i < kTries; ++i) {
        const double y = isAbove ? blocked.top() - kClearance - laneOffset
                                 : blocked.bottom() + kClearance + laneOffset;
        const double begin = std::max(from.x() + kLeastBend, blocked.left() - kClearance / 2);
        const double end = std::min(to.x() - kLeastBend, blocked.right() + kClearance / 2);
        const double length = std::abs(y - from.y()) + std::abs(y - to.y());
        if (end <= begin || length > kMostDetour) {
            return {};
        }
        QPainterPath path(from);
        bendTo(path, {begin, y});
        path.lineTo(end, y);
        bendTo(path, to);
        if (!addCrossed(piecesOf(path), obstacles, blocked)) {
            return {path, length};
        }
    }
    return {};
}

WirePath finished(QPainterPath curve, bool isDetour) {
    WirePath wire{.curve = std::move(curve), .isDetour = isDetour};
    wire.points = piecesOf(wire.curve);
    wire.bounds = wire.curve.boundingRect();
    return wire;
}

double distanceToPiece(QPointF a, QPointF b, QPointF point) {
    const QPointF along = b - a;
    const double length2 = QPointF::dotProduct(along, along);
    const double t =
        length2 > 0 ? std::clamp(QPointF::dotProduct(point - a, along) / length2, 0.0, 1.0) : 0;
    const QPointF away = a + along * t - point;
    return std::hypot(away.x(), away.y());
}

}  // namespace

WirePath wirePath(QPointF from,
                  QPointF to,
                  const std::vector<QPointF>& via,
                  const std::vector<QRectF>& obstacles,
                  int lane) {
    WirePath direct = finished(through(from, to, via), false);
    QRectF blocked;
    if (!via.empty() || !addCrossed(direct.points, obstacles, blocked)) {
        return direct;
    }
    const double offset = kLane * lane;
    const Detour above = detour(from, to, blocked, obstacles, offset, true);
    const Detour below = detour(from, to, blocked, obstacles, offset, false);
    if (above.path.isEmpty() && below.path.isEmpty()) {
        return direct;
    }
    return finished(above.length <= below.length ? above.path : below.path, true);
}

double distanceTo(const WirePath& path, QPointF point) {
    double least = std::numeric_limits<double>::max();
    for (size_t i = 1; i < path.points.size(); ++i) {
        least = std::min(least, distanceToPiece(path.points[i - 1], path.points[i], point));
    }
    return least;
}

size_t placeOnWire(QPointF from, QPointF to, const std::vector<QPointF>& via, QPointF point) {
    size_t best = 0;
    double least = std::numeric_limits<double>::max();
    for (size_t i = 0; i <= via.size(); ++i) {
        const WirePath part =
            finished(through(i == 0 ? from : via[i - 1], i == via.size() ? to : via[i], {}), false);
        if (const double distance = distanceTo(part, point); distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

}  // namespace lowtide::ui
