#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/canvas/node_face.hpp"

#include <QLabel>
#include <QString>

namespace lowtide::ui {

/// What a port is: label, wire type, whether it may be left open, what it is for.
[[nodiscard]] QString portTip(const PortFace& port);

/// Issues of the node, other remarks on it, and what it does.
[[nodiscard]] QString nodeTip(const NodeFace& face, const NodeStatus& status);

/// What a parameter is for.
[[nodiscard]] QString rowTip(const RowFace& row);

/// `text` behind the issues of that port or parameter.
[[nodiscard]] QString withIssues(const QString& text,
                                 const NodeStatus& status,
                                 const std::string& item);

/// A sentence at the pointer: why a wire may not end there, why nothing was pasted.
class PointerTip : public QLabel {
    Q_OBJECT

public:
    explicit PointerTip(QWidget* parent);

    /// Shows it next to `at` (of the parent) and within the parent; an empty text hides it.
    void report(const QString& text, QPoint at);
};

}  // namespace lowtide::ui
