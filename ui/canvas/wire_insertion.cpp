#include "ui/canvas/wire_insertion.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr double kReachPixels = 24;

const PortFace* firstThat(const std::vector<PortFace>& ports, const auto& fits) {
    const auto found = std::find_if(ports.begin(), ports.end(), fits);
    return found == ports.end() ? nullptr : &*found;
}

bool hasWires(const NodeFace& face) {
    const auto isLinked = [](const PortFace& port) { return port.isLinked; };
    return firstThat(face.inputs, isLinked) != nullptr ||
           firstThat(face.outputs, isLinked) != nullptr;
}

}  // namespace

std::optional<Insertion> insertionAt(const GraphScene& scene,
                                     const std::string& node,
                                     QPointF pointer,
                                     double zoom) {
    const NodeItem* item = scene.node(node);
    if (item == nullptr || hasWires(item->face())) {
        return std::nullopt;
    }
    const std::optional<size_t> index = scene.wires().wireAt(pointer, kReachPixels / zoom);
    if (!index) {
        return std::nullopt;
    }
    const Wire& wire = scene.wires().wires()[*index];
    const graph::Document& document = scene.model().document();
    const std::string from = outputType(document, scene.model().catalog(), wire.from);
    const std::string to = inputType(document, scene.model().catalog(), wire.to);
    const PortFace* input = firstThat(
        item->face().inputs, [&](const PortFace& port) { return typesFit(from, port.type); });
    const PortFace* output = firstThat(
        item->face().outputs, [&](const PortFace& port) { return typesFit(port.type, to); });
    if (input == nullptr || output == nullptr) {
        return std::nullopt;
    }
    return Insertion{.node = node, .wireTo = wire.to, .input = input->id, .output = output->id};
}

void paintInsertion(QPainter& painter,
                    const GraphScene& scene,
                    const Insertion& insertion,
                    double zoom) {
    const Wire* wire = scene.wires().into(insertion.wireTo);
    const NodeItem* item = scene.node(insertion.node);
    if (wire == nullptr || item == nullptr) {
        return;
    }
    const QColor& colour = scene.look().accent;
    const double width = std::max(2.5, 2 / zoom);
    paintTentativeWire(painter, wire->start, item->inputInScene(insertion.input), colour, width);
    paintTentativeWire(painter, item->outputInScene(insertion.output), wire->end, colour, width);
}

}  // namespace lowtide::ui
