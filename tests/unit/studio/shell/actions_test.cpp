#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "ui/bridge/node_status.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/document/edits.hpp"
#include "ui/studio/actions.hpp"
#include "ui/studio/keys_sheet.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <map>

namespace actions_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

QStringList textsIn(const QMenu& menu) {
    QStringList texts;
    for (const QAction* action : menu.actions()) {
        texts += action->menu() ? textsIn(*action->menu()) : QStringList{action->objectName()};
    }
    return texts;
}

bool isOnlyAKey(const QString& id) {
    for (const ActionDesc& desc : actionTable()) {
        if (id == QLatin1String(desc.id)) {
            return desc.scope == ActionScope::Key;
        }
    }
    return false;
}

/// A canvas below menus, as a window has it: one node feeds another, the first is selected.
struct CanvasWindow {
    CanvasWindow()
        : catalog({{.id = "a", .label = "A", .outputs = {{.id = "out", .type = "X"}}},
                   {.id = "b",
                    .label = "B",
                    .inputs = {{.id = "in", .type = "X"}},
                    .outputs = {{.id = "out", .type = "X"}},
                    .params = {{.id = "steps",
                                .label = "Steps",
                                .kind = ParamKind::Int,
                                .defaultValue = int64_t{20}}}}}),
          model(catalog) {
        graph::Document document;
        addNode(document, *catalog.find("a"), {0, 0});
        addNode(document, *catalog.find("b"), {400, 0});
        connect(document, {"a", "out"}, {"b", "in"});
        model.load(std::move(document));
        view = new GraphView(model, statuses, nullptr);
        window.setCentralWidget(view);
        fillMenus(*window.menuBar(), actions);
        connectCanvas(actions, *view);
        window.resize(900, 600);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        view->select({"b"});
        view->setFocus();
    }

    /// All that a key could change here.
    [[nodiscard]] QString state() {
        QString text = QString::fromStdString(graph::toText(model.document()));
        for (const std::string& id : view->selectedNodes()) {
            text += QString::fromStdString(id) + u' ';
        }
        for (const QWidget* child : view->findChildren<QWidget*>()) {
            text += child->isVisible() ? child->objectName() : QString();
        }
        return text + QString::number(view->transform().m11());
    }

    void press(const QKeySequence& key) {
        view->setFocus();
        QTest::keyClick(view, key[0].key(), key[0].keyboardModifiers());
    }

    graph::Catalog catalog;
    GraphModel model;
    NodeStatuses statuses;
    Actions actions;
    QMainWindow window;
    GraphView* view = nullptr;
};

}  // namespace

class ActionsTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void everyActionHasTextTipAndMenu_data() {
        QTest::addColumn<QString>("id");
        for (const ActionDesc& desc : actionTable()) {
            QTest::newRow(desc.id) << QString::fromLatin1(desc.id);
        }
    }

    void everyActionHasTextTipAndMenu() {
        QFETCH(QString, id);
        const Actions actions;
        const QAction& action = actions.at(id.toStdString());
        QVERIFY(!plainText(action).isEmpty());
        QVERIFY(!action.statusTip().isEmpty());
        QVERIFY(action.toolTip().startsWith(action.statusTip()));
        QMenuBar bar;
        fillMenus(bar, actions);
        QStringList texts;
        for (const QAction* top : bar.actions()) {
            texts += textsIn(*top->menu());
        }
        QCOMPARE(texts.count(id), isOnlyAKey(id) ? 0 : 1);
    }

    /// One without is not in the list of titles, and remains English in every language.
    void everyMenuHasAnAccessKey() {
        const Actions actions;
        QMenuBar bar;
        fillMenus(bar, actions);
        for (const QMenu* menu : bar.findChildren<QMenu*>()) {
            QVERIFY2(menu->title().contains('&'), qPrintable(menu->title()));
        }
    }

    /// Two of one key: it only steps between them, and Enter is needed as well.
    void noMenuHasAnAccessKeyTwice() {
        const Actions actions;
        QMenuBar bar;
        fillMenus(bar, actions);
        QStringList twice;
        for (const QMenu* menu : bar.findChildren<QMenu*>()) {
            std::map<QString, QString> taken;
            for (const QAction* action : menu->actions()) {
                const QString key = QKeySequence::mnemonic(action->text()).toString();
                if (!key.isEmpty() && !taken.emplace(key, action->text()).second) {
                    twice << menu->objectName() + ": " + taken[key] + ", " + action->text();
                }
            }
        }
        QVERIFY2(twice.isEmpty(), qPrintable(twice.join(u'\n')));
    }

    void tooltipsReportTheKey() {
        const Actions actions;
        const QAction& run = actions.at("run.start");
        QVERIFY(run.toolTip().contains(run.shortcut().toString(QKeySequence::NativeText)));
    }

    void noKeyIsUsedTwice() {
        const Actions actions;
        std::map<QString, QString> owners;
        for (const ActionDesc& desc : actionTable()) {
            for (const QKeySequence& key : actions.defaultKeys(desc.id)) {
                QVERIFY2(!key.isEmpty(), desc.id);
                const QString text = key.toString(QKeySequence::PortableText);
                const auto [owner, isNew] = owners.emplace(text, desc.id);
                QVERIFY2(isNew, qPrintable(text + ": " + owner->second + ", " + desc.id));
            }
        }
        QVERIFY(owners.size() > 40);
    }

    void noAccessKeyIsUsedTwiceInAMenu() {
        const Actions actions;
        std::set<std::pair<QString, QChar>> used;
        for (const ActionDesc& desc : actionTable()) {
            if (desc.scope == ActionScope::Key) {
                continue;
            }
            const QString text = actions.at(desc.id).text();
            const qsizetype mark = text.indexOf(QLatin1Char('&'));
            QVERIFY2(mark >= 0 && mark + 1 < text.size(), desc.id);
            const auto key = std::pair(QString::fromLatin1(desc.menu), text.at(mark + 1).toLower());
            QVERIFY2(used.insert(key).second, desc.id);
        }
    }

    void singleLettersWorkOnTheCanvasOnly() {
        const Actions actions;
        for (const ActionDesc& desc : actionTable()) {
            for (const QKeySequence& key : actions.defaultKeys(desc.id)) {
                const bool isPlain = key[0].keyboardModifiers() == Qt::NoModifier;
                const bool isFunctionKey =
                    key[0].key() >= Qt::Key_F1 && key[0].key() <= Qt::Key_F35;
                QVERIFY2(!isPlain || isFunctionKey || desc.scope != ActionScope::Window, desc.id);
            }
        }
    }

    void otherKeysAreKeptByIdAndComeBack() {
        Actions first;
        first.setKeys("run.start", keysFromText("F5"));
        first.setKeys("file.save", {});
        const std::map<QString, QString> changed = first.changedKeys();
        QCOMPARE(changed.size(), size_t{2});
        Actions second;
        second.setChangedKeys(changed);
        QCOMPARE(toText(second.at("run.start").shortcuts()), QString("F5"));
        QVERIFY(second.at("file.save").shortcuts().isEmpty());
        second.setChangedKeys({{"no.such", "F9"}});
        QCOMPARE(second.at("run.start").shortcuts(), second.defaultKeys("run.start"));
        QVERIFY(second.changedKeys().empty());
    }

    void theOwnerOfAKeyIsFound() {
        const Actions actions;
        QCOMPARE(actions.usedBy(keysFromText("Ctrl+S"), "run.start"), std::string("file.save"));
        QCOMPARE(actions.usedBy(keysFromText("Ctrl+S"), "file.save"), std::string());
        QCOMPARE(actions.usedBy({}, "run.start"), std::string());
    }

    void theSheetRefusesAKeyThatIsTaken() {
        Actions actions;
        KeysSheet sheet(actions);
        auto* list = sheet.findChild<QTreeWidget*>("list");
        const auto items = list->findItems("Run", Qt::MatchExactly | Qt::MatchRecursive);
        QCOMPARE(items.size(), 2);  // the menu and the action
        list->setCurrentItem(items.back());
        auto* key = sheet.findChild<QKeySequenceEdit*>("key");
        key->setKeySequence(QKeySequence("Ctrl+S"));
        Q_EMIT key->editingFinished();
        QVERIFY(sheet.findChild<QLabel*>("note")->text().contains("Save"));
        QCOMPARE(actions.at("run.start").shortcuts(), actions.defaultKeys("run.start"));
        key->setKeySequence(QKeySequence("F5"));
        Q_EMIT key->editingFinished();
        QCOMPARE(toText(actions.at("run.start").shortcuts()), QString("F5"));
    }

    void theSheetRefusesAKeyThatOpensAMenu() {
        Actions actions;
        QMainWindow window;
        window.menuBar()->addMenu("&Help");
        KeysSheet sheet(actions, &window);
        auto* list = sheet.findChild<QTreeWidget*>("list");
        list->setCurrentItem(list->findItems("Run", Qt::MatchExactly | Qt::MatchRecursive).back());
        auto* key = sheet.findChild<QKeySequenceEdit*>("key");
        QTest::keyClick(key, Qt::Key_H, Qt::AltModifier);
        Q_EMIT key->editingFinished();
        QVERIFY(sheet.findChild<QLabel*>("note")->text().contains("Help"));
        QCOMPARE(actions.at("run.start").shortcuts(), actions.defaultKeys("run.start"));
    }

    void everyCommandOfTheCanvasIsAnAction_thatTheSheetShows() {
        Actions actions;
        KeysSheet sheet(actions);
        const auto* list = sheet.findChild<QTreeWidget*>("list");
        std::map<QString, QString> shown;
        for (int menu = 0; menu < list->topLevelItemCount(); ++menu) {
            for (int row = 0; row < list->topLevelItem(menu)->childCount(); ++row) {
                const QTreeWidgetItem* item = list->topLevelItem(menu)->child(row);
                shown[item->data(0, Qt::UserRole).toString()] = item->text(1);
            }
        }
        QCOMPARE(shown.size(), actionTable().size());
        for (const CanvasCommand& command : canvasCommands()) {
            QCOMPARE(actions.defaultKeys(command.id),
                     keysFromText(QString::fromLatin1(command.keys)));
            QVERIFY2(shown.contains(command.id), command.id);
            QCOMPARE(shown[command.id].isEmpty(), std::string_view(command.keys).empty());
        }
    }

    void anotherKeyActsOnTheCanvas_andTheOldOneNoLonger_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("other");
        const auto row = [](const char* id, const char* other) {
            QTest::newRow(id) << id << other;
        };
        row("edit.delete_join", "Ctrl+J");
        row("edit.duplicate", "Ctrl+Alt+D");
        row("node.add", "A");
        row("node.edit", "E");
        row("node.mute", "Ctrl+Alt+M");
        row("node.pin", "K");
        row("view.pan", "Ctrl+Space");
        row("view.walk_left", "H");
        row("view.wires_left", "Ctrl+Alt+H");
        row("view.zoom_in", "Z");
    }

    void anotherKeyActsOnTheCanvas_andTheOldOneNoLonger() {
        QFETCH(QString, id);
        QFETCH(QString, other);
        CanvasWindow canvas;
        const QKeySequence before = canvas.actions.defaultKeys(id.toStdString()).front();
        const QKeySequence after(other, QKeySequence::PortableText);
        KeysSheet sheet(canvas.actions);
        auto* list = sheet.findChild<QTreeWidget*>("list");
        for (QTreeWidgetItemIterator item(list); *item; ++item) {
            if ((*item)->data(0, Qt::UserRole) == id) {
                list->setCurrentItem(*item);
            }
        }
        auto* key = sheet.findChild<QKeySequenceEdit*>("key");
        QTest::keyClick(key, after[0].key(), after[0].keyboardModifiers());
        Q_EMIT key->editingFinished();
        QCOMPARE(canvas.actions.at(id.toStdString()).shortcut(), after);
        const QString rest = canvas.state();
        canvas.press(before);
        QCOMPARE(canvas.state(), rest);
        canvas.press(after);
        QVERIFY(canvas.state() != rest);
    }

    void theSheetFindsActionsByKeyAndName() {
        Actions actions;
        KeysSheet sheet(actions);
        auto* list = sheet.findChild<QTreeWidget*>("list");
        sheet.findChild<QLineEdit*>("search")->setText("bypass");
        int shown = 0;
        for (QTreeWidgetItemIterator item(list, QTreeWidgetItemIterator::NotHidden); *item;
             ++item) {
            ++shown;
        }
        QCOMPARE(shown, 2);  // "Node" and "Bypass"
        sheet.show();
        QCOMPARE(test::textProblems(sheet), QStringList());
    }

    /// Every action of an earlier version had other keys (tests/unit/studio/earlier).
    void keysOfAnEarlierVersionAreKept() {
        const QTemporaryDir folder;
        const QString file = folder.filePath("settings.json");
        testing::writeFile(
            file,
            testing::contentsOf(testing::sourcePath("tests/unit/studio/earlier/settings.json")));
        const Settings settings(file);
        const std::map<QString, QString>& saved = settings.preferences().keys;
        Actions actions;

        actions.setChangedKeys(saved);

        QVERIFY(saved.size() > 100);
        for (const auto& [id, keys] : saved) {
            QCOMPARE(id + " " + toText(actions.at(id.toStdString()).shortcuts()), id + " " + keys);
        }
    }
};

LOWTIDE_WINDOW_TEST(ActionsTest)

}  // namespace actions_test

#include "actions_test.moc"
