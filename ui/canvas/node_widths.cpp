#include "ui/canvas/node_widths.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/canvas/node_layout.hpp"
#include "ui/editors/param_editor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lowtide::ui {

using namespace node_measures;

namespace {

constexpr double kOrdinaryWidth = 256;
constexpr double kStep = 8;  ///< widths stand on the grid, so that edges line up
constexpr double kGap = 24;  ///< for wires, before what stands on the right
constexpr double kFrameMargin = 12;
constexpr double kImageSpace = 216;  ///< by which a node grows downwards when it shows an image

/// Space that values have which nobody can know before.
constexpr double kFileSpace = 156;  ///< "sd_xl_base_1.0.safetensors"
constexpr double kTextSpace = 96;
constexpr double kNumberSpace = 72;
constexpr double kSwitchSpace = 36;

/// In a row, but for label and value: outside, left of the label, between both, right of the value.
constexpr double kRowMargins = 2 * kPadding + kPadding + kPadding / 2 + kPadding + 2;
constexpr double kPortMargins = 2 * (kPadding + 4) + kPadding;
/// In a header, but for the title: the fold mark and one mark of a state.
constexpr double kHeaderMargins = 4 + kMark + 4 + kMark + 4 + kPadding + 2;

double widthOfValue(const ParamDesc& param, const Look& look) {
    switch (param.kind) {
        case ParamKind::Choice: {
            double widest = 0;
            for (const ChoiceDesc& choice : param.choices) {
                widest = std::max(widest, look.width(valueText(param, choice.id), look.smallFont));
            }
            return widest;
        }
        case ParamKind::Bool:
            return kSwitchSpace;
        case ParamKind::Int:
        case ParamKind::Float:
            return kNumberSpace;
        case ParamKind::File:
        case ParamKind::Folder:
            return kFileSpace;
        case ParamKind::Seed:
        case ParamKind::Text:
            break;
    }
    return kTextSpace;
}

double widthOfRow(const RowFace& row, const Look& look) {
    if (row.isLong) {
        return 0;  // it wraps
    }
    const double margins = kRowMargins + rowMarkWidth(row);
    const double label = look.width(row.label, look.smallFont) + 1;
    const double forLabel = (label + kPadding) / (1 - kValueFraction) + 2 * kPadding;
    if (row.desc == nullptr) {
        return std::max(forLabel, margins + label + kTextSpace);
    }
    const double near = std::max(forLabel, margins + label + widthOfValue(*row.desc, look));
    if (row.desc->kind == ParamKind::Bool) {
        return near;
    }
    const QString usual = valueText(*row.desc, graph::toJson(row.desc->defaultValue));
    return std::max(
        near, margins + look.width(row.label, look.largeFont) + look.width(usual, look.largeFont));
}

/// Whether what begins right of the node could come to lie on it. What shows an image grows
/// downwards: what stands lower counts too, so that widths remain as they are then.
bool isLevelWith(const QRectF& body, const QRectF& other) {
    const double growth = other.left() < body.right() ? 0 : kImageSpace;
    return other.top() < body.bottom() + growth && body.top() < other.bottom() + growth;
}

/// Inputs and outputs have halves of the rows that they share.
double widthOfPorts(const NodeFace& face, const Look& look) {
    const auto widest = [&look](const std::vector<PortFace>& ports) {
        double width = 0;
        for (const PortFace& port : ports) {
            width = std::max(width, look.width(port.label, look.smallFont));
        }
        return width;
    };
    return kPortMargins + 2 * std::max(widest(face.inputs), widest(face.outputs));
}

}  // namespace

double wantedWidth(const NodeFace& face, const Look& look) {
    double width = std::max({kOrdinaryWidth,
                             kHeaderMargins + look.width(face.title, look.strongFont),
                             widthOfPorts(face, look)});
    for (const RowFace& row : face.rows) {
        width = std::max(width, widthOfRow(row, look));
    }
    return std::min(std::ceil(width / kStep) * kStep, kMostWidth);
}

std::vector<double> widthsInSpace(const std::vector<WidthWish>& nodes,
                                  const std::vector<QRectF>& boxes) {
    std::vector<QRectF> obstacles = boxes;
    for (const WidthWish& node : nodes) {
        obstacles.push_back(node.body);
    }
    std::vector<size_t> fromLeft(obstacles.size());
    std::iota(fromLeft.begin(), fromLeft.end(), size_t{0});
    std::sort(fromLeft.begin(), fromLeft.end(), [&](size_t a, size_t b) {
        return obstacles[a].left() < obstacles[b].left();
    });
    std::vector<double> widths(nodes.size());
    for (size_t rank = 0; rank < fromLeft.size(); ++rank) {
        if (fromLeft[rank] < boxes.size()) {
            continue;
        }
        const size_t index = fromLeft[rank] - boxes.size();
        const QRectF& body = nodes[index].body;
        double right = body.left() + nodes[index].wanted;
        for (const QRectF& box : boxes) {
            if (box.contains(body)) {
                right = std::min(right, box.right() - kFrameMargin);
            }
        }
        for (size_t next = rank + 1; next < fromLeft.size(); ++next) {
            const QRectF& other = obstacles[fromLeft[next]];
            if (other.left() - kGap >= right) {
                break;  // all that follow are farther
            }
            if (isLevelWith(body, other) && !other.contains(body)) {
                right = other.left() - kGap;
            }
        }
        const double width = std::floor((right - body.left()) / kStep) * kStep;
        widths[index] = std::max(width, kLeastWidth);
    }
    return widths;
}

}  // namespace lowtide::ui
