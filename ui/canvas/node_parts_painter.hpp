#pragma once

#include "ui/canvas/node_painter.hpp"

namespace lowtide::ui {

/// The parts of paintNode().
void paintHeader(QPainter& painter, const NodeAppearance& node, const Look& look);
void paintRows(QPainter& painter, const NodeAppearance& node, const Look& look);
void paintPorts(QPainter& painter, const NodeAppearance& node, const Look& look);
void paintPicture(QPainter& painter, const NodeAppearance& node);
void paintFooter(QPainter& painter, const NodeAppearance& node, const Look& look);
void paintProgress(QPainter& painter, const NodeAppearance& node, const Look& look);

}  // namespace lowtide::ui
