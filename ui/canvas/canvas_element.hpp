#pragma once

#include "ui/canvas/graph_scene.hpp"

#include <QAccessible>
#include <QString>

#include <functional>
#include <vector>

namespace lowtide::ui {

class CanvasElements;
class GraphView;

/// The title of a node, its id where it is not shown.
[[nodiscard]] QString nodeName(const GraphScene& scene, const std::string& node);
/// The label of one of its ports.
[[nodiscard]] QString portName(const GraphScene& scene, const graph::PortRef& port, bool isOutput);
/// "Load checkpoint, Model": a port with its node.
[[nodiscard]] QString endName(const GraphScene& scene, const graph::PortRef& port, bool isOutput);
/// What the node does now, or did in the last run; empty: nothing.
[[nodiscard]] QString activityText(const NodeStatus& status);
/// Those that are not empty, a line each.
[[nodiscard]] QString linesOf(const QStringList& parts);

enum class ElementKind { Node, Input, Row, Image, Output, Wire, Frame, Note };

/// A thing of the canvas: `owner` is its node (of a wire, the node that it leads into), frame or
/// note, `item` the port or parameter.
struct ElementKey {
    ElementKind kind = ElementKind::Node;
    std::string owner;
    std::string item;

    auto operator<=>(const ElementKey&) const = default;
};

/// Something that can be done with an element.
struct ElementAction {
    QString id;    ///< as assistive technology calls it
    QString text;  ///< for the user
    std::function<void()> act;
};

/// One thing of the canvas as Qt's accessibility sees it. It looks at the scene and keeps nothing.
class CanvasElement : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    CanvasElement(CanvasElements& all, ElementKey key);

    [[nodiscard]] const ElementKey& key() const { return key_; }

    [[nodiscard]] bool isValid() const override;

    [[nodiscard]] QObject* object() const override { return nullptr; }

    [[nodiscard]] QWindow* window() const override;
    [[nodiscard]] QAccessibleInterface* parent() const override;
    [[nodiscard]] QAccessibleInterface* child(int index) const override;
    [[nodiscard]] int childCount() const override;
    [[nodiscard]] int indexOfChild(const QAccessibleInterface* child) const override;
    [[nodiscard]] QAccessibleInterface* childAt(int x, int y) const override;
    [[nodiscard]] QString text(QAccessible::Text text) const override;

    void setText(QAccessible::Text, const QString&) override {}

    [[nodiscard]] QRect rect() const override;
    [[nodiscard]] QAccessible::State state() const override;
    void* interface_cast(QAccessible::InterfaceType type) override;

    [[nodiscard]] QStringList actionNames() const override;
    [[nodiscard]] QString localizedActionName(const QString& name) const override;
    [[nodiscard]] QString localizedActionDescription(const QString& name) const override;
    void doAction(const QString& name) override;

    [[nodiscard]] QStringList keyBindingsForAction(const QString&) const override { return {}; }

    [[nodiscard]] virtual QString name() const = 0;
    /// What a screen reader reads after the name: the state, what is wrong, what it is for.
    [[nodiscard]] virtual QString description() const = 0;

    [[nodiscard]] virtual QString value() const { return {}; }

    /// Reports that value() was `before` and is another one now.
    virtual void announceValue(const QString& before);

protected:
    [[nodiscard]] virtual std::vector<ElementKey> children() const { return {}; }

    [[nodiscard]] virtual std::vector<ElementAction> actions() const { return {}; }

    [[nodiscard]] virtual QRectF sceneRect() const = 0;

    [[nodiscard]] virtual ElementKey parentKey() const {
        return {ElementKind::Node, key_.owner, {}};
    }

    [[nodiscard]] CanvasElements& all() const { return all_; }

    [[nodiscard]] GraphScene& scene() const;
    [[nodiscard]] GraphView& view() const;
    /// Only while the element is there.
    [[nodiscard]] NodeItem& node() const;

    CanvasElements& all_;
    ElementKey key_;
};

/// The element of the key, of its kind.
[[nodiscard]] std::unique_ptr<CanvasElement> makeElement(CanvasElements& all,
                                                         const ElementKey& key);

/// Makers of the kinds, each in a file of its own.
[[nodiscard]] std::unique_ptr<CanvasElement> makeNodeElement(CanvasElements& all,
                                                             const ElementKey& key);
[[nodiscard]] std::unique_ptr<CanvasElement> makePortElement(CanvasElements& all,
                                                             const ElementKey& key);
[[nodiscard]] std::unique_ptr<CanvasElement> makeRowElement(CanvasElements& all,
                                                            const ElementKey& key);
[[nodiscard]] std::unique_ptr<CanvasElement> makeWireElement(CanvasElements& all,
                                                             const ElementKey& key);
[[nodiscard]] std::unique_ptr<CanvasElement> makeBoxElement(CanvasElements& all,
                                                            const ElementKey& key);
[[nodiscard]] std::unique_ptr<CanvasElement> makeImageElement(CanvasElements& all,
                                                              const ElementKey& key);

}  // namespace lowtide::ui
