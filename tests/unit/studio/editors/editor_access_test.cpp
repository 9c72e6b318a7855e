// The painted editors as assistive technology has them.
#include "tests/fixtures/heard_events.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/editors/sample_params.hpp"
#include "ui/access/announce.hpp"
#include "ui/editors/param_editor.hpp"

#include <QSignalSpy>
#include <QtTest/QtTest>

namespace editor_access_test {

using namespace lowtide;
using namespace lowtide::test;
using namespace lowtide::ui;

namespace {

/// An editor of one parameter, and somebody who listens.
struct Editing {
    explicit Editing(const std::string& param) : node(sampleNode()) {
        for (const ParamDesc& desc : node.params) {
            if (desc.id == param) {
                editor.reset(makeParamEditor(node, desc, nullptr, nullptr));
            }
        }
        editor->show();
    }

    [[nodiscard]] QAccessibleInterface* access() const {
        return QAccessible::queryAccessibleInterface(editor.get());
    }

    NodeDesc node;
    HeardEvents heard;
    std::unique_ptr<ParamEditor> editor;
};

}  // namespace

class EditorAccessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { failOnQtWarnings(); }

    void aNumberIsASpinBoxWithItsRange() {
        const Editing steps("steps");
        QAccessibleInterface* access = steps.access();
        QCOMPARE(access->role(), QAccessible::SpinBox);
        QCOMPARE(access->text(QAccessible::Name), QString("Steps"));
        QCOMPARE(access->text(QAccessible::Value), QString("20 steps"));
        QVERIFY(access->valueInterface());
        QCOMPARE(access->valueInterface()->currentValue().toDouble(), 20.0);
        QCOMPARE(access->valueInterface()->minimumValue().toDouble(), 1.0);
        QCOMPARE(access->valueInterface()->maximumValue().toDouble(), 150.0);
        QCOMPARE(access->valueInterface()->minimumStepSize().toDouble(), 1.0);
    }

    void aNumberIsSet_asIfItWereTyped() {
        Editing steps("steps");
        QSignalSpy edited(steps.editor.get(), &ParamEditor::edited);
        steps.access()->valueInterface()->setCurrentValue(31);
        QCOMPARE(edited.count(), 1);
        QVERIFY(edited.front().at(1).toBool());  // one step of undo
        QCOMPARE(steps.editor->value(), Json(31));
        QVERIFY(steps.heard.has("ValueChanged: Steps"));
    }

    void aNumberOutOfRangeIsRefusedAloud() {
        const Editing steps("steps");
        steps.access()->valueInterface()->setCurrentValue(151);
        QCOMPARE(steps.editor->value(), Json(20));
        QVERIFY(!lastAnnounced(*steps.editor).isEmpty());
        QVERIFY(steps.heard.has("Alert: Steps"));
    }

    void aWrongNumberIsInvalidWithItsReason() {
        const Editing steps("steps");
        steps.editor->setValue(Json(900));
        QVERIFY(steps.access()->state().invalid);
        QVERIFY(!steps.access()->text(QAccessible::Description).isEmpty());
        steps.editor->setValue(Json(9));
        QVERIFY(!steps.access()->state().invalid);
    }

    void keysEmitTheNewNumber() {
        Editing steps("steps");
        steps.heard.forget();
        QTest::keyClick(steps.editor.get(), Qt::Key_Up);
        QCOMPARE(steps.heard.lines().filter("ValueChanged: "), QStringList{"ValueChanged: Steps"});
        QCOMPARE(steps.access()->valueInterface()->currentValue().toDouble(), 21.0);
    }

    void pressingANumberOpensItForTyping() {
        const Editing steps("steps");
        const QString press = QAccessibleActionInterface::pressAction();
        QVERIFY(steps.access()->actionInterface()->actionNames().contains(press));
        steps.access()->actionInterface()->doAction(press);
        QVERIFY(steps.editor->findChild<QLineEdit*>("typing")->isVisible());
    }

    void aSeedIsReadAsItsNumber() {
        const Editing seed("seed");
        QAccessibleInterface* number = heardBelow(seed.access(), QAccessible::SpinBox, "Seed");
        QVERIFY(number);
        QCOMPARE(number->valueInterface()->currentValue().toDouble(), 0.0);
        QVERIFY(heardBelow(seed.access(), QAccessible::Button, "Another random seed"));
    }

    void aSwitchIsACheckBox() {
        Editing on("tiled");
        QAccessibleInterface* access = on.access();
        QCOMPARE(access->role(), QAccessible::CheckBox);
        QVERIFY(access->state().checkable);
        const bool before = access->state().checked;
        access->actionInterface()->doAction(QAccessibleActionInterface::toggleAction());
        QCOMPARE(bool(access->state().checked), !before);
        QCOMPARE(on.editor->value(), Json(!before));
        QVERIFY(!on.heard.lines().filter("StateChanged: ").isEmpty());
    }

    void aDisabledEditorOffersNothing() {
        const Editing steps("steps");
        steps.editor->setEnabled(false);
        QVERIFY(steps.access()->state().disabled);
        QCOMPARE(steps.access()->actionInterface()->actionNames(), QStringList());
    }

    /// Whatever kind the parameter is of, somebody who cannot see hears its name.
    void everyKindHasItsName_data() {
        QTest::addColumn<QString>("param");
        for (const ParamDesc& param : sampleNode().params) {
            QTest::newRow(param.id.c_str()) << QString::fromStdString(param.id);
        }
    }

    void everyKindHasItsName() {
        QFETCH(QString, param);
        const Editing editing(param.toStdString());
        QString label;
        for (const ParamDesc& desc : editing.node.params) {
            label = desc.id == param.toStdString() ? QString::fromStdString(desc.label) : label;
        }
        QWidget* keys =
            editing.editor->focusProxy() ? editing.editor->focusProxy() : editing.editor.get();
        while (keys->focusProxy()) {
            keys = keys->focusProxy();
        }
        // A list that shows its choice states both.
        const QString message =
            QAccessible::queryAccessibleInterface(keys)->text(QAccessible::Name);
        QVERIFY2(message == label || message.startsWith(label + ": "), qPrintable(message));
    }
};

}  // namespace editor_access_test

LOWTIDE_WINDOW_TEST(editor_access_test::EditorAccessTest)

#include "editor_access_test.moc"
