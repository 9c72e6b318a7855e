#include "ui/canvas/wire_path.hpp"

#include <QLineF>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

namespace lowtide::ui {

namespace {

constexpr double kLeastBend = 20;
constexpr double kMostBend = 140;
constexpr int kPieces = 16;

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
    const auto clip = [&](double along, double distance) {
        if (along == 0) {
            return distance >= 0;
        }
        const double t = distance / along;
        (along < 0 ? enter : leave) = along < 0 ? std::max(enter, t) : std::min(leave, t);
        return enter <= leave;
    };
    const double dx = b.x() - a.x(), dy = b.y() - a.y();
    return clip(-dx, a.x() - rect.left()) && clip(dx, rect.right() - a.x()) &&
           clip(-dy, a.y() - rect.top()) && clip(dy, rect.bottom() - a.y());
}

constexpr double kTouch = 2;  ///< nearer than this a wire seems to run behind a node

bool runsBehind(const QPainterPath& path, const InTheWay& inTheWay) {
    const QRectF bounds = path.controlPointRect();
    const std::vector<QPointF> points = piecesOf(path);
    const auto isCrossed = [&](const QRectF& rect) {
        if (rect.right() < bounds.left() || rect.left() > bounds.right() ||
            rect.bottom() < bounds.top() || rect.top() > bounds.bottom()) {
            return false;
        }
        for (size_t i = 1; i < points.size(); ++i) {
            if (crosses(rect, points[i - 1], points[i])) {
                return true;
            }
        }
        return false;
    };
    const auto isCrossedWithin = [&](const QRectF& own) {  // the wire ends at its edge
        return !own.isNull() && isCrossed(own.adjusted(kTouch, kTouch, -kTouch, -kTouch));
    };
    return isCrossedWithin(inTheWay.source) || isCrossedWithin(inTheWay.target) ||
           std::ranges::any_of(inTheWay.others, [&](const QRectF& other) {
               return isCrossed(other.adjusted(-kTouch, -kTouch, kTouch, kTouch));
           });
}

constexpr double kClearance = 16;  ///< between a detour and the nodes that it avoids
constexpr double kLeastClearance = 6;
constexpr double kTightClearance = 8;  ///< in a narrow gap between nodes
constexpr double kTrackGap = 7;        ///< between detours
constexpr double kStub = 20;           ///< straight on from a port
constexpr double kLeastStub = 12;
constexpr double kCornerCost = 30;  ///< a way with two corners less may be so much longer
constexpr double kOtherTrackCost = 60;
constexpr double kTightCost = 90;
constexpr double kEdge = 0.5;  ///< wires end at the edge of their own nodes, not within them
constexpr int kMostPushes = 4;
constexpr double kCornerRadius = 20;  ///< so that a rounded corner keeps clear, too

/// The way of a wire whose direct line would run behind a node: straight on from both ports, up or
/// down in a column next to each, and between the columns at a height that is free.
class Detour {
public:
    Detour(QPointF from, QPointF to, const InTheWay& inTheWay, int track)
        : from_(from), to_(to), offset_(kTrackGap * track) {
        const double gap = kLeastClearance;
        for (const QRectF& other : inTheWay.others) {
            blocked_.push_back(other.adjusted(-gap, -gap, gap, gap));
        }
        for (const QRectF& own : {inTheWay.source, inTheWay.target}) {
            if (!own.isNull()) {
                blocked_.push_back(own.adjusted(kEdge, -gap, -kEdge, gap));
            }
        }
    }

    /// From port to port; empty: there is no way.
    [[nodiscard]] std::vector<QPointF> corners() const {
        for (const double y : heights()) {
            const std::optional<double> left = column(from_, 1, y);
            const std::optional<double> right = left ? column(to_, -1, y) : std::nullopt;
            if (right && isFree({*left, y}, {*right, y})) {
                return {from_, {*left, from_.y()}, {*left, y}, {*right, y}, {*right, to_.y()}, to_};
            }
        }
        return {};
    }

private:
    /// What a horizontal or vertical piece runs through; nullptr: nothing.
    [[nodiscard]] const QRectF* firstOn(QPointF a, QPointF b) const {
        const auto found = std::ranges::find_if(blocked_, [&](const QRectF& rect) {
            return std::min(a.x(), b.x()) < rect.right() && std::max(a.x(), b.x()) > rect.left() &&
                   std::min(a.y(), b.y()) < rect.bottom() && std::max(a.y(), b.y()) > rect.top();
        });
        return found == blocked_.end() ? nullptr : &*found;
    }

    [[nodiscard]] bool isFree(QPointF a, QPointF b) const { return firstOn(a, b) == nullptr; }

    /// Heights at which the wire may run, the shortest way first.
    [[nodiscard]] std::vector<double> heights() const {
        std::vector<std::tuple<double, double, double>> ranked;  // and the nearest to the middle
        const double middle = (from_.y() + to_.y()) / 2;
        const auto add = [&](double y, double cost) {
            if (y > std::min(from_.y(), to_.y()) - kLookAround &&
                y < std::max(from_.y(), to_.y()) + kLookAround) {
                const double length = std::abs(y - from_.y()) + std::abs(y - to_.y());
                ranked.emplace_back(length + cost, std::abs(y - middle), y);
            }
        };
        const auto addAround = [&](const QRectF& rect, double clearance, double cost) {
            const double gap = clearance - kLeastClearance;
            add(rect.top() - gap, kCornerCost + cost);
            add(rect.bottom() + gap, kCornerCost + cost);
        };
        add(from_.y(), 0);
        add(to_.y(), 0);
        for (const QRectF& rect : blocked_) {
            addAround(rect, kClearance + offset_, 0);
            if (offset_ > 0) {
                addAround(rect, kClearance, kOtherTrackCost);
            }
            addAround(rect, kTightClearance, kTightCost);
        }
        std::ranges::sort(ranked);
        std::vector<double> heights;
        for (const auto& [cost, distance, y] : ranked) {
            heights.push_back(y);
        }
        return heights;
    }

    /// Where the wire may go from the port to that height, on the port's right (`side` 1) or left
    /// (-1). What stands there pushes it on.
    [[nodiscard]] std::optional<double> column(QPointF port, double side, double height) const {
        const auto isOpen = [&](double x) {
            return isFree({x, port.y()}, {x, height}) && isFree(port, {x, port.y()});
        };
        const double between = to_.x() - from_.x();  // two close ports share one
        const double most = between > 0 ? between / 2 : std::numeric_limits<double>::max();
        for (const double stub : {kStub + offset_, kStub, kLeastStub}) {
            const double x = port.x() + side * std::min(stub, most);
            if (isOpen(x)) {
                return x;
            }
        }
        const double gap = kClearance - kLeastClearance;
        double x = port.x() + side * std::min(kStub, most);
        for (int i = 0; i < kMostPushes; ++i) {
            const QRectF* rect = firstOn({x, port.y()}, {x, height});
            if (!rect) {
                break;
            }
            x = side > 0 ? rect->right() + gap : rect->left() - gap;
        }
        return isOpen(x) ? std::optional(x) : std::nullopt;
    }

    QPointF from_;
    QPointF to_;
    double offset_;
    std::vector<QRectF> blocked_;
};

void addRounded(QPainterPath& path, const std::vector<QPointF>& corners) {
    for (size_t i = 1; i + 1 < corners.size(); ++i) {
        const QLineF back(corners[i], corners[i - 1]);
        const QLineF on(corners[i], corners[i + 1]);
        const double radius = std::min({kCornerRadius, back.length() / 2, on.length() / 2});
        if (radius > 0) {
            path.lineTo(back.pointAt(radius / back.length()));
            path.quadTo(corners[i], on.pointAt(radius / on.length()));
        }
    }
    path.lineTo(corners.back());
}

/// False: something stands in the direct way.
bool addLeg(QPainterPath& path, QPointF to, const InTheWay& inTheWay, int track) {
    QPainterPath direct(path.currentPosition());
    bendTo(direct, to);
    if (!runsBehind(direct, inTheWay)) {
        bendTo(path, to);
        return true;
    }
    const std::vector<QPointF> corners =
        Detour(path.currentPosition(), to, inTheWay, track).corners();
    if (corners.empty()) {
        bendTo(path, to);
    } else {
        addRounded(path, corners);
    }
    return false;
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
                  const InTheWay& inTheWay,
                  int track) {
    WirePath wire{.curve = QPainterPath(from)};
    for (const QPointF& point : via) {
        wire.isClear = addLeg(wire.curve, point, inTheWay, track) && wire.isClear;
    }
    wire.isClear = addLeg(wire.curve, to, inTheWay, track) && wire.isClear;
    wire.points = piecesOf(wire.curve);
    wire.bounds = wire.curve.boundingRect();
    return wire;
}

double distanceTo(const WirePath& path, QPointF point) {
    double least = std::numeric_limits<double>::max();
    for (size_t i = 1; i < path.points.size(); ++i) {
        least = std::min(least, distanceToPiece(path.points[i - 1], path.points[i], point));
    }
    return least;
}

size_t positionOnWire(QPointF from, QPointF to, const std::vector<QPointF>& via, QPointF point) {
    size_t best = 0;
    double least = std::numeric_limits<double>::max();
    for (size_t i = 0; i <= via.size(); ++i) {
        const WirePath part =
            wirePath(i == 0 ? from : via[i - 1], i == via.size() ? to : via[i], {}, InTheWay(), 0);
        if (const double distance = distanceTo(part, point); distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

}  // namespace lowtide::ui
