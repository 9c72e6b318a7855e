#include "tests/unit/examples/driven_canvas.hpp"

#include <QApplication>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QWindow>
#include <QtNodes/internal/AbstractNodeGeometry.hpp>
#include <QtNodes/internal/NodeGraphicsObject.hpp>
#include <QtTest/QtTest>

#include <functional>

namespace lowtide::qtnodes_host {

using namespace QtNodes;

namespace {

constexpr QPoint kEmptySpot{40, 40};

/// Right-clicks and does something with the menu, which blocks until it is closed.
void withMenu(QWindow& window, QPoint point, const std::function<void(QMenu&)>& act) {
    QTimer::singleShot(0, &window, [&] {
        QMenu* menu = nullptr;
        QVERIFY(QTest::qWaitFor([&] {
            menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            return menu && QTest::qWaitForWindowExposed(menu);
        }));
        act(*menu);
        menu->close();
    });
    QTest::mouseClick(&window, Qt::RightButton, Qt::NoModifier, point);
}

}  // namespace

DrivenCanvas::DrivenCanvas(MainWindow& window)
    : window_(window),
      view_(dynamic_cast<QGraphicsView&>(*window.canvas().view())),
      scene_(dynamic_cast<DataFlowGraphicsScene&>(*view_.scene())) {}

QStringList DrivenCanvas::offered() {
    QStringList names;
    withMenu(*window_.windowHandle(), view_.mapTo(&window_, kEmptySpot), [&](QMenu& menu) {
        for (QTreeWidgetItemIterator item(menu.findChild<QTreeWidget*>()); *item; ++item) {
            if ((*item)->parent()) {
                names << (*item)->parent()->text(0) + "/" + (*item)->text(0);
            }
        }
    });
    return names;
}

NodeId DrivenCanvas::add(const QString& name, QPoint point) {
    const auto before = model().allNodeIds();
    withMenu(*window_.windowHandle(), view_.mapTo(&window_, point), [&](QMenu& menu) {
        QTest::keyClicks(menu.findChild<QLineEdit*>(), name);
        auto& tree = *menu.findChild<QTreeWidget*>();
        for (QTreeWidgetItem* item : tree.findItems(name, Qt::MatchExactly | Qt::MatchRecursive)) {
            tree.scrollToItem(item);
            QTest::mouseClick(tree.viewport(),
                              Qt::LeftButton,
                              Qt::NoModifier,
                              tree.visualItemRect(item).center());
        }
    });
    for (const NodeId id : model().allNodeIds()) {
        if (!before.contains(id)) {
            return id;
        }
    }
    return InvalidNodeId;
}

bool DrivenCanvas::wire(NodeId from, unsigned output, NodeId to, unsigned input) {
    QWindow* window = window_.windowHandle();
    const QPoint start = portInWindow(from, PortType::Out, output);
    const QPoint end = portInWindow(to, PortType::In, input);
    const size_t before = model().allConnectionIds(to).size();
    QTest::mousePress(window, Qt::LeftButton, Qt::NoModifier, start);
    QTest::mouseMove(window, (start + end) / 2);
    QTest::mouseMove(window, end);
    QTest::mouseRelease(window, Qt::LeftButton, Qt::NoModifier, end);
    QCoreApplication::processEvents();
    return model().allConnectionIds(to).size() == before + 1;
}

void DrivenCanvas::choose(NodeId node) {
    NodeGraphicsObject* item = scene_.nodeGraphicsObject(node);
    const QSize size = scene_.nodeGeometry().size(node);
    const QPoint title = inWindow(item->mapToScene(size.width() / 2.0, 8));
    QTest::mouseClick(window_.windowHandle(), Qt::LeftButton, Qt::NoModifier, title);
}

void DrivenCanvas::press(const QString& name) {
    for (QToolBar* bar : window_.findChildren<QToolBar*>()) {
        for (QAction* action : bar->actions()) {
            if (action->text() == name) {
                QTest::mouseClick(bar->widgetForAction(action), Qt::LeftButton);
            }
        }
    }
}

void DrivenCanvas::type(const QString& editor, const QString& text) {
    auto* field = window_.findChild<QWidget*>(editor);
    QVERIFY2(field, qPrintable(editor));
    QTest::mouseClick(qobject_cast<QPlainTextEdit*>(field)
                          ? static_cast<QAbstractScrollArea*>(field)->viewport()
                          : field,
                      Qt::LeftButton);
    QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(field, Qt::Key_Delete);
    QTest::keyClicks(field, text);
}

NodeProcessingStatus DrivenCanvas::status(NodeId node) const {
    return model().nodeData(node, NodeRole::ProcessingStatus).value<NodeProcessingStatus>();
}

QString DrivenCanvas::log() const {
    return window_.findChild<QWidget*>("log")->findChild<QPlainTextEdit*>()->toPlainText();
}

QPoint DrivenCanvas::portInWindow(NodeId node, PortType side, unsigned port) const {
    return inWindow(scene_.nodeGeometry().portScenePosition(
        node, side, port, scene_.nodeGraphicsObject(node)->sceneTransform()));
}

QPoint DrivenCanvas::inWindow(QPointF scenePosition) const {
    return view_.viewport()->mapTo(&window_, view_.mapFromScene(scenePosition));
}

}  // namespace lowtide::qtnodes_host
