#pragma once

#include <QImage>
#include <QObject>

#include "examples/qtnodes_host/adapter/run_status.hpp"
#include "examples/qtnodes_host/adapter/upstream_graph.hpp"

class QWidget;

namespace lowtide::qtnodes_host {

/// A QtNodes scene that offers every Lowtide node and "To host image", a node of the host. All that
/// this program knows of QtNodes stands in canvas.cpp.
class Canvas final : public QObject {
    Q_OBJECT

public:
    /// The descriptions must outlive the canvas.
    explicit Canvas(std::span<const NodeDesc> nodes, QObject* parent = nullptr);
    ~Canvas() override;
    /// Belongs to the layout that it is put into.
    [[nodiscard]] QWidget* view() const;
    /// All nodes, oldest first, with positions up to date.
    [[nodiscard]] std::vector<StatePtr> nodes() const;
    void mark(const UpstreamGraph& graph, const RunStatus& status);
    /// Shows the image of a node "To host image"; the others have no space for one.
    void show(const NodeState& node, const QImage& image);
    [[nodiscard]] QByteArray save() const;
    /// Error{Corrupt} or Error{NotFound}: the canvas is as before.
    void load(const QByteArray& scene);

Q_SIGNALS:
    /// nullptr: none or several nodes are chosen.
    void chosen(const std::shared_ptr<NodeState>& node);
    void rewired();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace lowtide::qtnodes_host
