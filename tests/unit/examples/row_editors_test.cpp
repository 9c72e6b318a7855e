#include "tests/fixtures/test_program.hpp"
#include "tests/unit/examples/canvas_states.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QtTest/QtTest>

#include "examples/qtnodes_host/host/row_editors.hpp"

namespace row_editors_test {

using namespace lowtide;
using namespace lowtide::qtnodes_host;

class RowEditorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        node_ = canvas_.add("denoise.sample");
        editors_ = std::make_unique<RowEditors>();
        editors_->edit(node_);
        editors_->show();
    }

    void typedNumbersReachTheNode() {
        QSignalSpy edited(editors_.get(), &RowEditors::edited);
        auto& steps = editor<QLineEdit>("param steps");
        steps.selectAll();

        QTest::keyClicks(&steps, "35");

        QCOMPARE(node_->node().params.at("steps"), Json(35));
        QCOMPARE(edited.count(), 2);  // one for each key
    }

    void aRefusedValueIsKeptOut_andTheReasonStandsBelow() {
        auto& refusal = editor<QLabel>("refusal of steps");
        auto& steps = editor<QLineEdit>("param steps");
        QVERIFY(!refusal.isVisible());

        QTest::keyClicks(&steps, "00");  // 2000

        QCOMPARE(node_->node().params.at("steps"), Json(20));
        QVERIFY(refusal.isVisible());
        QVERIFY2(refusal.text().contains("150"), qPrintable(refusal.text()));
        QTest::keyClick(&steps, Qt::Key_Backspace);
        QTest::keyClick(&steps, Qt::Key_Backspace);
        QVERIFY(!refusal.isVisible());
    }

    void switchesAndChoices() {
        auto& noise = editor<QCheckBox>("param add_noise");
        QVERIFY(noise.isChecked());
        QTest::keyClick(&noise, Qt::Key_Space);
        QCOMPARE(node_->node().params.at("add_noise"), Json(false));

        auto& sampler = editor<QComboBox>("param sampler");
        QCOMPARE(sampler.currentText(), QString("Euler"));
        QTest::keyClick(&sampler, Qt::Key_Down);
        QCOMPARE(node_->node().params.at("sampler"), Json("ddim"));
    }

    void aValueThatIsInNoListRemains() {
        node_->setParam("sampler", "of tomorrow");

        editors_->edit(node_);

        QCOMPARE(editor<QComboBox>("param sampler").currentText(), QString("of tomorrow"));
        QCOMPARE(node_->node().params.at("sampler"), Json("of tomorrow"));
    }

    void noNodeHasNoEditors() {
        editors_->edit(nullptr);

        QVERIFY(!editors_->findChild<QLineEdit*>());
    }

private:
    template <typename Editor>
    Editor& editor(const char* name) {
        return *editors_->findChild<Editor*>(name);
    }

    const CanvasStates canvas_;
    NodePtr node_;
    std::unique_ptr<RowEditors> editors_;
};

LOWTIDE_WINDOW_TEST(RowEditorsTest)

}  // namespace row_editors_test

#include "row_editors_test.moc"
