#include "tests/journey/studio/hands.hpp"

#include "tests/fixtures/input.hpp"
#include "ui/canvas/graph_scene.hpp"
#include "ui/canvas/scene_items.hpp"
#include "ui/editors/number_field.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/panel_parts.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <stdexcept>

namespace lowtide::testing {

namespace {

constexpr int kPressedRunMilliseconds = 100000;
constexpr int kSeenMilliseconds = 10000;

}  // namespace

void Hands::press(const char* action) {
    if (!test::isMadeActive(studio_.window())) {
        throw std::runtime_error("the window gets no keys");
    }
    QWidget* focus = QApplication::focusWidget();
    QTest::keySequence(focus ? focus : &studio_.window(),
                       studio_.window().actions().at(action).shortcut());
}

void Hands::clickNode(const std::string& node) {
    ui::GraphView& canvas = studio_.controller().widgets().canvas;
    const ui::NodeItem* item = qobject_cast<ui::GraphScene*>(canvas.scene())->node(node);
    if (!item) {
        throw std::runtime_error("the canvas does not show " + node);
    }
    const QPointF title = item->pos() + item->layout().header.center();
    QTest::mouseClick(
        canvas.viewport(), Qt::LeftButton, Qt::NoModifier, canvas.mapFromScene(title));
}

void Hands::typeValue(const char* row, const char* name, const QString& text) {
    QWidget& whole = widget(row, &studio_.controller().widgets().inspector);
    if (const auto* fold = qobject_cast<ui::Fold*>(&whole); fold && !fold->isOpen()) {
        QTest::mouseClick(&widget("fold", &whole), Qt::LeftButton);
    }
    if (auto* number = whole.findChild<ui::NumberField*>()) {
        QTest::mouseClick(number, Qt::LeftButton);  // its field is there while one types
    }
    QWidget& field = widget(name, &whole);
    QWidget* scrolled = field.parentWidget();
    while (scrolled && !qobject_cast<QScrollArea*>(scrolled)) {
        scrolled = scrolled->parentWidget();
    }
    const auto isSeen = [&] {  // what was opened is laid out a moment later
        if (auto* area = qobject_cast<QScrollArea*>(scrolled)) {
            area->ensureWidgetVisible(&field);
        }
        return !field.visibleRegion().isEmpty();
    };
    if (!QTest::qWaitFor(isSeen, kSeenMilliseconds)) {
        throw std::runtime_error(std::string("nobody sees ") + name);
    }
    retype(field, text);
    QTest::keyClick(&field, qobject_cast<QLineEdit*>(&field) ? Qt::Key_Return : Qt::Key_Tab);
}

ui::QueuedRun Hands::run() {
    quint64 ended = 0;
    ui::RunQueue& queue = studio_.workspace().queue;
    const auto connection = QObject::connect(
        &queue, &ui::RunQueue::ended, &queue, [&ended](quint64 id) { ended = id; });
    press("run.start");
    const bool isOver = QTest::qWaitFor([&] { return ended != 0; }, kPressedRunMilliseconds);
    QObject::disconnect(connection);
    const ui::QueuedRun* made = isOver ? queue.find(ended) : nullptr;
    return made ? *made : ui::QueuedRun();
}

QWidget& Hands::widget(const char* name, QWidget* root) {
    QWidget& within = root ? *root : studio_.window();
    QWidget* seen = nullptr;
    const auto isSeen = [&] {
        for (QWidget* found : within.findChildren<QWidget*>(QLatin1String(name))) {
            seen = !seen && found->isVisible() ? found : seen;
        }
        return seen != nullptr;
    };
    if (!QTest::qWaitFor(isSeen, kSeenMilliseconds)) {
        throw std::runtime_error(std::string("nobody sees ") + name);
    }
    return *seen;
}

void retype(QWidget& field, const QString& text) {
    QTest::mouseClick(&field, Qt::LeftButton);
    QTest::keyClick(&field, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(&field, text);
}

QModelIndex rowNamed(const QAbstractItemView& view, const QString& text) {
    const QAbstractItemModel& model = *view.model();
    for (const Qt::MatchFlag how : {Qt::MatchFixedString, Qt::MatchContains}) {
        const QModelIndexList found = model.match(model.index(0, 0), Qt::DisplayRole, text, 1, how);
        if (!found.isEmpty()) {
            return found.front();
        }
    }
    return {};
}

void doubleClick(QAbstractItemView& view, const QModelIndex& row) {
    if (!row.isValid()) {
        throw std::runtime_error("there is no such row in " + view.objectName().toStdString());
    }
    view.scrollTo(row);
    const QPoint point = view.visualRect(row).center();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::NoModifier, point);
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, Qt::NoModifier, point);
}

void stroke(ui::ImageView& view, const QPointF& from, const QPointF& to) {
    const QPoint begin = view.positionOf(from).toPoint();
    const QPoint end = view.positionOf(to).toPoint();
    QTest::mousePress(&view, Qt::LeftButton, Qt::NoModifier, begin);
    QMouseEvent move(QEvent::MouseMove,
                     end,
                     view.mapToGlobal(end),
                     Qt::NoButton,
                     Qt::LeftButton,
                     Qt::NoModifier);
    QCoreApplication::sendEvent(&view, &move);
    QTest::mouseRelease(&view, Qt::LeftButton, Qt::NoModifier, end);
}

}  // namespace lowtide::testing
