#include "tests/journey/studio/clicks.hpp"

#include "tests/fixtures/input.hpp"
#include "tests/journey/studio/hands.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>
#include <stdexcept>

namespace lowtide::testing {

namespace {

constexpr int kSeenWithinMilliseconds = 10000;
constexpr int kPopupMilliseconds = 20;

[[noreturn]] void missing(const QString& what) {
    throw std::runtime_error("nobody sees " + what.toStdString());
}

/// nullptr: it is not there, or not yet.
QAction* entryIn(const QMenu& menu, const QString& text) {
    const QList<QAction*> actions = menu.actions();
    const auto found = std::find_if(actions.begin(), actions.end(), [&](const QAction* action) {
        return action->text().remove(QLatin1Char('&')).contains(text);
    });
    return found == actions.end() ? nullptr : *found;
}

}  // namespace

void Clicks::awaitReady(QWidget& widget) {
    if (!QTest::qWaitFor([&] { return widget.isVisible() && widget.isEnabled(); },
                         kSeenWithinMilliseconds)) {
        missing(widget.objectName());
    }
    QWidget* window = widget.window();
    const bool isPopup = window->windowType() == Qt::Popup;
    if (!isPopup && !test::isMadeActive(*window)) {
        missing(window->objectName());
    }
}

void Clicks::at(QWidget& widget, const QPoint& point) {
    awaitReady(widget);
    ++count_;
    QTest::mouseClick(&widget, Qt::LeftButton, Qt::NoModifier, point);
}

void Clicks::on(QWidget& widget) {
    at(widget, widget.rect().center());
}

void Clicks::onTool(const char* action) {
    QAction& wanted = studio_.window().actions().at(action);
    for (auto* bar : studio_.window().findChildren<QToolBar*>()) {
        if (QWidget* button = bar->widgetForAction(&wanted)) {
            on(*button);
            return;
        }
    }
    missing(QLatin1String(action));
}

void Clicks::onMenu(const char* menu, const char* action) {
    QMenuBar& bar = *studio_.window().menuBar();
    auto* opened = bar.findChild<QMenu*>(QLatin1String(menu));
    if (!opened) {
        missing(QLatin1String(menu));
    }
    at(bar, bar.actionGeometry(opened->menuAction()).center());
    at(*opened, opened->actionGeometry(&studio_.window().actions().at(action)).center());
}

void Clicks::onTab(const QString& title) {
    for (auto* tabs : studio_.window().findChildren<QTabBar*>()) {
        for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab) {
            if (tabs->tabText(tab) == title) {
                at(*tabs, tabs->tabRect(tab).center());
                return;
            }
        }
    }
    missing(title);
}

void Clicks::onRow(QAbstractItemView& view, const QModelIndex& row) {
    awaitReady(*view.viewport());  // rows may move meanwhile
    view.scrollTo(row);
    at(*view.viewport(), view.visualRect(row).center());
}

void Clicks::twiceOnRow(QAbstractItemView& view, const QModelIndex& row) {
    onRow(view, row);
    ++count_;
    QTest::mouseDClick(
        view.viewport(), Qt::LeftButton, Qt::NoModifier, view.visualRect(row).center());
}

void Clicks::choose(QComboBox& box, const QString& text) {
    const int row = box.findText(text, Qt::MatchContains);
    if (row < 0) {
        missing(text);
    }
    on(box);
    QTest::qWait(2 * QApplication::doubleClickInterval());  // it takes no hasty release
    QAbstractItemView& list = *box.view();
    const QModelIndex line = box.model()->index(row, 0, box.rootModelIndex());
    list.scrollTo(line);
    QTest::mouseMove(list.viewport(), list.visualRect(line).center());
    onRow(list, line);
    // A list that goes late would take the next key.
    if (!QTest::qWaitFor([&] { return box.currentIndex() == row && !list.isVisible(); },
                         kSeenWithinMilliseconds)) {
        missing(text);
    }
}

/// The menu has an event loop of its own: who looks into it waits until it is open and has the
/// entry, however long both take.
void Clicks::chooseInMenu(QToolButton& button, const QString& text) {
    QTimer look;
    look.setObjectName("user");
    QElapsedTimer since;
    bool isChosen = false;
    QObject::connect(&look, &QTimer::timeout, &button, [&] {
        QMenu* menu = button.menu();
        QAction* entry = menu && menu->isVisible() ? entryIn(*menu, text) : nullptr;
        if (entry && entry->isEnabled()) {
            look.stop();
            isChosen = true;
            at(*menu, menu->actionGeometry(entry).center());
        } else if (since.hasExpired(kSeenWithinMilliseconds)) {
            look.stop();
            missing(text);
        }
    });
    since.start();
    look.start(kPopupMilliseconds);
    at(button, {button.width() - 2, button.height() / 2});
    static_cast<void>(QTest::qWaitFor([&] { return !look.isActive(); }, kSeenWithinMilliseconds));
    if (!isChosen) {
        missing(text);
    }
}

void Clicks::onNode(const char* node) {
    Hands(studio_).clickNode(node);
    ++count_;
}

void Clicks::onParam(const char* param) {
    QWidget& row = Hands(studio_).widget(param, &studio_.controller().widgets().inspector);
    const QPoint point(8, 8);
    QContextMenuEvent event(QContextMenuEvent::Mouse, point, row.mapToGlobal(point));
    QApplication::sendEvent(&row, &event);
    ++count_;
}

void Clicks::inPopup(const char* menu, const char* action) {
    QMenu* opened = nullptr;
    if (!QTest::qWaitFor(
            [&] {
                opened = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                return opened && opened->objectName() == QLatin1String(menu);
            },
            kSeenWithinMilliseconds)) {
        missing(QLatin1String(menu));
    }
    auto* chosen = opened->findChild<QAction*>(QLatin1String(action));
    if (!chosen) {
        missing(QLatin1String(action));
    }
    at(*opened, opened->actionGeometry(chosen).center());
}

void Clicks::drop(QWidget& widget, const QString& file, const QPoint& point) {
    awaitReady(widget);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter(point, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&widget, &enter);
    if (!enter.isAccepted()) {
        throw std::runtime_error("nobody takes " + file.toStdString());
    }
    QDragMoveEvent move(point, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&widget, &move);
    QDropEvent letGo(point, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&widget, &letGo);
    ++count_;
}

void Clicks::stroke(ui::ImageView& view, const QPointF& from, const QPointF& to) {
    testing::stroke(view, from, to);
    ++count_;
}

void Clicks::inNextDialog(const char* dialog, const char* widget) {
    answerDialog(dialog, [this, widget](QDialog& opened) {
        auto* found = opened.findChild<QWidget*>(QLatin1String(widget));
        if (!found) {
            missing(QLatin1String(widget));
        }
        on(*found);
    });
}

}  // namespace lowtide::testing
