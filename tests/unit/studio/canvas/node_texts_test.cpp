#include "ui/canvas/node_texts.hpp"

#include <QtTest/QtTest>

using namespace lowtide;
using namespace lowtide::ui;

class NodeTextsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theFooterSaysHowFarItIs_data() {
        QTest::addColumn<double>("left");
        QTest::addColumn<QString>("text");
        QTest::newRow("seconds") << 12.2 << "step 14 of 20, 12 s left";
        QTest::newRow("minutes") << 130.0 << "step 14 of 20, 2 min left";
        QTest::newRow("unknown") << -1.0 << "step 14 of 20";
    }

    void theFooterSaysHowFarItIs() {
        QFETCH(double, left);
        QFETCH(QString, text);
        const NodeFace face{.id = "denoise"};
        const NodeLayout layout = layoutNode(face, {}, {}, 1);
        NodeStatus status;
        status.activity = NodeActivity::Running;
        status.phase = "step 14 of 20";
        status.secondsLeft = left < 0 ? std::nullopt : std::optional(left);

        const std::vector<PaintedText> texts =
            footerTexts(face, status, layout, Look(Theme::current()));

        QCOMPARE(texts.back().full, text);
        QCOMPARE(texts.back().text.text(), text);  // nothing is cut off
    }
};

QTEST_MAIN(NodeTextsTest)
#include "node_texts_test.moc"
