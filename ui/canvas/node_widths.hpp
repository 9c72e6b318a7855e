#pragma once

#include "ui/canvas/look.hpp"
#include "ui/canvas/node_face.hpp"

#include <QRectF>

#include <vector>

namespace lowtide::ui {

/// How wide the node would be painted: its title, names and values stand whole, of choices each,
/// from afar the default values too; within kLeastWidth and kMostWidth. It does not depend on
/// values and states, so that nothing moves while a number is dragged or a run goes on.
[[nodiscard]] double wantedWidth(const NodeFace& face, const Look& look);

/// A node where it stands, as narrow as nodes are, and its wantedWidth().
struct WidthWish {
    QRectF body;
    double wanted = 0;
};

/// How wide each node is painted: as wanted where there is space on its right, before other nodes,
/// notes and frames, and within the frame that holds it; never narrower than kLeastWidth. Graphs
/// were laid out for that width, so what is opened lies on nothing more than before, and no
/// position changes.
[[nodiscard]] std::vector<double> widthsInSpace(const std::vector<WidthWish>& nodes,
                                                const std::vector<QRectF>& boxes);

}  // namespace lowtide::ui
