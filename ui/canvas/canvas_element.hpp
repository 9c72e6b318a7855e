#pragma once

#include "ui/access/spoken.hpp"
#include "ui/canvas/graph_scene.hpp"

#include <QAccessible>
#include <QString>

#include <functional>
#include <vector>

namespace lowtide::ui {

class CanvasElements;

enum class ElementKind { Node, Input, Row, Image, Output, Wire, Frame, Note, Group };

/// A thing of the canvas: `owner` is its node or folded group (of a wire, that which it leads
/// into), frame, note or open group, `item` the port or parameter.
struct ElementKey {
    ElementKind kind = ElementKind::Node;
    std::string owner;
    std::string item;

    auto operator<=>(const ElementKey&) const = default;
};

/// What assistive technology sees of an element, in addition to its role.
struct ElementFace {
    QString name;
    QString description;  ///< read after the name: the state, what is wrong, what it is for
    QString value;
    QAccessible::State state;
    QRectF area;  ///< of the scene
    std::vector<ElementKey> children;
};

/// Something that can be done with an element.
struct ElementAction {
    QString id;    ///< as assistive technology calls it
    QString text;  ///< for the user
    std::function<void()> act;
};

/// One thing of the canvas as Qt's accessibility sees it. It looks at the scene and keeps nothing.
class CanvasElement : public QAccessibleInterface,
                      public QAccessibleActionInterface,
                      public QAccessibleImageInterface,
                      public QAccessibleValueInterface {
public:
    CanvasElement(CanvasElements& all, ElementKey key);

    [[nodiscard]] const ElementKey& key() const { return key_; }

    [[nodiscard]] ElementFace face() const;
    /// Reports that the value was `before` and is another one now.
    void announceValue(const QString& before);

    [[nodiscard]] bool isValid() const override;

    [[nodiscard]] QObject* object() const override { return nullptr; }

    [[nodiscard]] QWindow* window() const override;
    [[nodiscard]] QAccessibleInterface* parent() const override;
    [[nodiscard]] QAccessibleInterface* child(int index) const override;
    [[nodiscard]] int childCount() const override;
    [[nodiscard]] int indexOfChild(const QAccessibleInterface* child) const override;
    [[nodiscard]] QAccessibleInterface* childAt(int x, int y) const override;
    [[nodiscard]] QList<QPair<QAccessibleInterface*, QAccessible::Relation>> relations(
        QAccessible::Relation match) const override;
    [[nodiscard]] QAccessible::Role role() const override;
    [[nodiscard]] QString text(QAccessible::Text text) const override;
    void setText(QAccessible::Text text, const QString& words) override;
    [[nodiscard]] QRect rect() const override;
    [[nodiscard]] QAccessible::State state() const override;
    void* interface_cast(QAccessible::InterfaceType type) override;

    [[nodiscard]] QStringList actionNames() const override;
    [[nodiscard]] QString localizedActionName(const QString& name) const override;
    [[nodiscard]] QString localizedActionDescription(const QString& name) const override;
    void doAction(const QString& name) override;

    [[nodiscard]] QStringList keyBindingsForAction(const QString&) const override { return {}; }

    // Of images.
    [[nodiscard]] QString imageDescription() const override;
    [[nodiscard]] QSize imageSize() const override;
    [[nodiscard]] QPoint imagePosition() const override;

    // Of rows that hold a number.
    [[nodiscard]] QVariant currentValue() const override;
    void setCurrentValue(const QVariant& value) override;
    [[nodiscard]] QVariant maximumValue() const override;
    [[nodiscard]] QVariant minimumValue() const override;
    [[nodiscard]] QVariant minimumStepSize() const override;

private:
    [[nodiscard]] std::vector<ElementAction> actions() const;
    [[nodiscard]] QString plainValue() const;
    void take(const QString& words);
    void take(const Json& value);

    CanvasElements& all_;
    ElementKey key_;
    PlainText text_;  ///< of the value of a row
};

}  // namespace lowtide::ui
