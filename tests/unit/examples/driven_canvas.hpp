#pragma once
// A user at the window of examples/qtnodes_host: real mouse and key events, at the points where
// QtNodes draws things.

#include <QGraphicsView>
#include <QPoint>
#include <QString>
#include <QStringList>
#include <QtNodes/DataFlowGraphicsScene>

#include "examples/qtnodes_host/main_window.hpp"

namespace lowtide::qtnodes_host {

class DrivenCanvas {
public:
    explicit DrivenCanvas(MainWindow& window);

    /// What the menu under a right click offers, as "category/name".
    [[nodiscard]] QStringList offered();
    /// Adds a node through the menu at a point of the view.
    QtNodes::NodeId add(const QString& name, QPoint point);
    /// Drags from an output to an input; whether a wire stands afterwards.
    bool wire(QtNodes::NodeId from, unsigned output, QtNodes::NodeId to, unsigned input);
    /// Clicks on the node's title.
    void choose(QtNodes::NodeId node);
    /// Clicks a button of the tool bar.
    void press(const QString& action);
    /// Replaces the text of an editor of the chosen node by keys.
    void type(const QString& editor, const QString& text);

    [[nodiscard]] QtNodes::NodeProcessingStatus status(QtNodes::NodeId node) const;
    [[nodiscard]] QString log() const;

    [[nodiscard]] QtNodes::AbstractGraphModel& model() const { return scene_.graphModel(); }

private:
    QPoint portInWindow(QtNodes::NodeId node, QtNodes::PortType side, unsigned port) const;
    QPoint inWindow(QPointF scenePosition) const;

    MainWindow& window_;
    QGraphicsView& view_;
    QtNodes::DataFlowGraphicsScene& scene_;
};

}  // namespace lowtide::qtnodes_host
