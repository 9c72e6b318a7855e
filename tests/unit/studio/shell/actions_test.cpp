#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "ui/studio/actions.hpp"
#include "ui/studio/keys_sheet.hpp"
#include "ui/studio/menus.hpp"

#include <QtTest/QtTest>

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

}  // namespace

class ActionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

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
        QCOMPARE(texts.count(id), 1);
    }

    void tooltipsTellTheKey() {
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
                QVERIFY2(!isPlain || isFunctionKey || desc.scope == ActionScope::Canvas, desc.id);
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
};

QTEST_MAIN(ActionsTest)
#include "actions_test.moc"
