#include "plugin/base/json.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/editors/sample_params.hpp"
#include "ui/document/edits.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/theme/theme.hpp"

#include <QtWidgets>

#include <set>

namespace lowtide::ui::number_field_test {

class NumberFieldTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { Theme::current().applyTo(*qApp); }

    void init() {
        test::failOnQtWarnings();
        window_ = std::make_unique<QWidget>();
        other_ = new QLineEdit(window_.get());
        other_->setGeometry(8, 60, 100, 28);
        window_->resize(420, 120);
    }

    void dragScrubs_data() {
        QTest::addColumn<int>("pixels");
        QTest::addColumn<int>("modifiers");
        QTest::addColumn<double>("least");
        QTest::addColumn<double>("most");
        // Guidance: 19 units of soft range in 240 pixels, in steps of 0.5, from 7.5.
        QTest::newRow("right") << 60 << int(Qt::NoModifier) << 11.5 << 12.5;
        QTest::newRow("left") << -60 << int(Qt::NoModifier) << 2.5 << 3.5;
        QTest::newRow("fine") << 60 << int(Qt::ShiftModifier) << 7.9 << 8.05;
        QTest::newRow("coarse, to the soft end") << 60 << int(Qt::ControlModifier) << 20.0 << 20.0;
    }

    void dragScrubs() {
        QFETCH(int, pixels);
        QFETCH(int, modifiers);
        QFETCH(double, least);
        QFETCH(double, most);
        ParamEditor* field = show("guidance");
        QSignalSpy reported(field, &ParamEditor::edited);

        drag(field, pixels, Qt::KeyboardModifiers(modifiers));

        const double value = field->value().get<double>();
        QVERIFY2(value >= least && value <= most, qPrintable(QString::number(value)));
        QVERIFY(reported.count() >= 2);
        QVERIFY(!reported.first().at(1).toBool());
        QVERIFY(reported.last().at(1).toBool());
        QVERIFY(!typing(field)->isVisible());
    }

    void dragFromBelowTheSoftRangeDoesNotJump() {
        ParamEditor* field = show("guidance");
        field->setValue(0.5);

        drag(field, 12, Qt::ShiftModifier);

        const double value = field->value().get<double>();
        QVERIFY2(value > 0.5 && value < 0.7, qPrintable(QString::number(value)));
    }

    void clickTypes_andEnterTakesTheExpression() {
        ParamEditor* field = show("width");
        QSignalSpy reported(field, &ParamEditor::edited);
        QSignalSpy gone(field, &ParamEditor::dismissed);

        QTest::mouseClick(field, Qt::LeftButton, {}, QPoint(40, 14));
        QVERIFY(typing(field)->hasFocus());
        QTest::keyClicks(typing(field), "512+64");
        QTest::keyClick(typing(field), Qt::Key_Return);

        QCOMPARE(field->value(), Json(576));
        QCOMPARE(reported.count(), 1);
        QVERIFY(reported.last().at(1).toBool());
        QCOMPARE(gone.count(), 1);
    }

    void digitStartsTyping_andTabTakes() {
        ParamEditor* field = show("steps");
        field->setFocus();

        QTest::keyClicks(field, "3");
        QTest::keyClicks(typing(field), "5");
        QTest::keyClick(typing(field), Qt::Key_Tab);

        QCOMPARE(field->value(), Json(35));
        QVERIFY(!typing(field)->isVisible());
    }

    void hardRangeRefuses_andWhatWasTypedRemains() {
        ParamEditor* field = show("steps");
        QSignalSpy reported(field, &ParamEditor::edited);
        field->begin();

        QTest::keyClicks(typing(field), "151");
        QTest::keyClick(typing(field), Qt::Key_Return);

        QCOMPARE(field->value(), Json(20));
        QCOMPARE(reported.count(), 0);
        QVERIFY(typing(field)->isVisible());
        QCOMPARE(typing(field)->text(), QString("151"));
        QVERIFY2(typing(field)->toolTip().contains("150"), qPrintable(typing(field)->toolTip()));
        QTest::keyClick(typing(field), Qt::Key_Escape);
        QVERIFY(!typing(field)->isVisible());
        QCOMPARE(field->value(), Json(20));
    }

    void fractionIsRefusedWhereWholeNumbersAreNeeded() {
        ParamEditor* field = show("steps");
        field->begin();

        QTest::keyClicks(typing(field), "20/3");
        QTest::keyClick(typing(field), Qt::Key_Return);

        QCOMPARE(field->value(), Json(20));
        QVERIFY(typing(field)->toolTip().contains("whole"));
    }

    void doubleClickBringsTheDefaultBack() {
        ParamEditor* field = show("steps");
        field->setValue(33);
        QSignalSpy reported(field, &ParamEditor::edited);

        QTest::mouseClick(field, Qt::LeftButton, {}, QPoint(40, 14));
        QTest::mouseDClick(typing(field), Qt::LeftButton, {}, QPoint(40, 14));

        QCOMPARE(field->value(), Json(20));
        QCOMPARE(reported.count(), 1);
        QVERIFY(!typing(field)->isVisible());
    }

    void wheelStepsOnlyWithFocus() {
        ParamEditor* field = show("guidance");
        other_->setFocus();
        QVERIFY(!turnWheel(field, 120));
        QCOMPARE(field->value(), Json(7.5));

        field->setFocus();

        QVERIFY(turnWheel(field, 120));
        QCOMPARE(field->value(), Json(8.0));
    }

    void arrowsStep_data() {
        testing::addTable<int, int, double>(
            {"key", "modifiers", "value"},
            {{"up", int(Qt::Key_Up), int(Qt::NoModifier), 8.0},
             {"down", int(Qt::Key_Down), int(Qt::NoModifier), 7.0},
             {"fine", int(Qt::Key_Up), int(Qt::ShiftModifier), 7.55},
             {"coarse", int(Qt::Key_Up), int(Qt::ControlModifier), 12.5},
             {"page", int(Qt::Key_PageUp), int(Qt::NoModifier), 12.5},
             {"delete", int(Qt::Key_Delete), int(Qt::NoModifier), 7.5}});
    }

    void arrowsStep() {
        QFETCH(int, key);
        QFETCH(int, modifiers);
        QFETCH(double, value);
        ParamEditor* field = show("guidance");
        field->setFocus();

        QTest::keyClick(field, Qt::Key(key), Qt::KeyboardModifiers(modifiers));

        QCOMPARE(field->value().get<double>(), value);
    }

    void stepsEndAtTheHardRange() {
        ParamEditor* field = show("steps");
        field->setValue(149);
        field->setFocus();

        QTest::keyClick(field, Qt::Key_PageUp);

        QCOMPARE(field->value(), Json(150));
    }

    void escapeInADragBringsTheStartBack() {
        ParamEditor* field = show("guidance");
        field->setFocus();
        QTest::mousePress(field, Qt::LeftButton, {}, QPoint(50, 14));
        QTest::mouseMove(field, QPoint(90, 14));
        move(field, QPoint(120, 14), Qt::NoModifier);
        QVERIFY(field->value() != Json(7.5));

        QTest::keyClick(field, Qt::Key_Escape);

        QCOMPARE(field->value(), Json(7.5));
    }

    void valueThatDoesNotFitRemains_andIsMarked_data() {
        testing::addTable<QString>(
            {"json"},
            {{"text", "\"many\""}, {"list", "[1,2]"}, {"beyond", "9999"}, {"fraction", "2.5"}});
    }

    void valueThatDoesNotFitRemains_andIsMarked() {
        QFETCH(QString, json);
        ParamEditor* field = show("steps");
        const Json value = Json::parse(json.toStdString());

        field->setValue(value);

        QCOMPARE(field->value(), value);
        QVERIFY(field->property("problem").toBool());
        QVERIFY(!field->toolTip().isEmpty());
        field->grab();
    }

    void decimalsBeyondTheStepAreShown() {
        ParamEditor* field = show("guidance");

        field->setValue(7.123456);
        field->begin();

        QCOMPARE(typing(field)->text(), QString("7.123456"));
    }

    void settingAValueEmitsNothing() {
        ParamEditor* field = show("steps");
        QSignalSpy reported(field, &ParamEditor::edited);

        field->setValue(30);

        QCOMPARE(reported.count(), 0);
    }

    void seedOf64BitsRemainsExact() {
        ParamEditor* field = show("seed");
        const uint64_t seed = 18446744073709551557u;
        field->begin();
        auto* line = field->findChild<QLineEdit*>("typing");

        QTest::keyClicks(line, "18446744073709551557");
        QTest::keyClick(line, Qt::Key_Return);

        QCOMPARE(field->value().get<uint64_t>(), seed);
        QVERIFY(field->value().is_number_unsigned());
        QTest::keyClick(field->findChild<QWidget*>("number"), Qt::Key_Down);
        QCOMPARE(field->value().get<uint64_t>(), seed - 1);
    }

    void dieThrowsAnotherSeed() {
        ParamEditor* field = show("seed");
        QSignalSpy reported(field, &ParamEditor::edited);

        QTest::mouseClick(field->findChild<QToolButton*>("dice"), Qt::LeftButton);

        QCOMPARE(reported.count(), 1);
        QVERIFY(reported.last().at(1).toBool());
        QVERIFY(field->value().is_number_unsigned());
        QVERIFY(field->value().get<uint64_t>() != 0);
    }

    /// As Run draws them, so that users can read and type them.
    void dieThrowsSeedsThatCanBeRead() {
        ParamEditor* field = show("seed");
        for (int i = 0; i < 16; ++i) {
            QTest::mouseClick(field->findChild<QToolButton*>("dice"), Qt::LeftButton);
            QVERIFY(field->value().get<uint64_t>() < kDrawnSeeds);
        }
    }

    void dieKeepsWithinTheRange() {
        ParamDesc seed = test::paramOf(test::sampleNode(), "seed");
        seed.max = 9;
        ParamEditor* field = show(seed);
        auto* dice = field->findChild<QToolButton*>("dice");

        std::set<uint64_t> thrown;

        for (int i = 0; i < 40; ++i) {
            QTest::mouseClick(dice, Qt::LeftButton);
            thrown.insert(field->value().get<uint64_t>());
        }

        QVERIFY(*thrown.rbegin() <= 9);
        QVERIFY(thrown.size() > 2);  // a throw beyond the range would be refused
    }

private:
    ParamEditor* show(const char* id) { return show(test::paramOf(test::sampleNode(), id)); }

    ParamEditor* show(const ParamDesc& param) {
        node_ = test::sampleNode();
        param_ = param;
        ParamEditor* field = makeParamEditor(node_, param_, nullptr, window_.get());
        field->setGeometry(8, 8, 400, 28);
        window_->show();
        window_->activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(window_.get()));
        return field;
    }

    static QLineEdit* typing(ParamEditor* field) { return field->findChild<QLineEdit*>("typing"); }

    static void move(QWidget* field, QPoint to, Qt::KeyboardModifiers modifiers) {
        QMouseEvent event(
            QEvent::MouseMove, to, field->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, modifiers);
        QApplication::sendEvent(field, &event);
    }

    static void drag(QWidget* field, int pixels, Qt::KeyboardModifiers modifiers) {
        const QPoint start(200, 14);
        QTest::mousePress(field, Qt::LeftButton, modifiers, start);
        for (int i = 1; i <= 20; ++i) {
            move(field, start + QPoint(pixels * i / 20, 0), modifiers);
        }
        QTest::mouseRelease(field, Qt::LeftButton, modifiers, start + QPoint(pixels, 0));
    }

    static bool turnWheel(QWidget* field, int angle) {
        QWheelEvent event(QPointF(20, 14),
                          field->mapToGlobal(QPointF(20, 14)),
                          {},
                          QPoint(0, angle),
                          Qt::NoButton,
                          Qt::NoModifier,
                          Qt::NoScrollPhase,
                          false);
        event.ignore();
        QApplication::sendEvent(field, &event);
        return event.isAccepted();
    }

    NodeDesc node_;
    ParamDesc param_;
    std::unique_ptr<QWidget> window_;
    QLineEdit* other_ = nullptr;
};

LOWTIDE_WINDOW_TEST(NumberFieldTest)

}  // namespace lowtide::ui::number_field_test

#include "number_field_test.moc"
