#include "plugin/base/units.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/canvas/node_layout.hpp"
#include "ui/canvas/node_widths.hpp"

#include <QtTest/QtTest>

namespace node_texts_test {

using namespace lowtide;
using namespace lowtide::ui;

class NodeTextsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theFooterStatesHowFarItIs_data() {
        testing::addTable<double, QString>({"left", "text"},
                                           {{"seconds", 12.2, "step 14 of 20, 12 s left"},
                                            {"minutes", 130.0, "step 14 of 20, 2 min left"},
                                            {"unknown", -1.0, "step 14 of 20"}});
    }

    void theFooterStatesHowFarItIs() {
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

    void theFooterCutsNothing_data() { addSizes(); }

    void theFooterCutsNothing() {
        QFETCH(TextSize, size);
        const NodeFace face{.id = "denoise", .subtitle = "Denoise"};
        const NodeLayout layout = layoutNode(face, {}, {}, 1);
        NodeStatus status;
        status.policy = "auto: model";
        status.activity = NodeActivity::Running;
        status.phase = "step 2 of 8";
        status.secondsLeft = 4.7;
        for (const bool isRunning : {true, false}) {
            const std::vector<PaintedText> texts =
                footerTexts(face, status, layout, Look(Theme::current()), size);
            QVERIFY2(texts.back().full.startsWith(isRunning ? "step 2 of 8" : "17 s"),
                     qPrintable(texts.back().full));
            for (const PaintedText& text : texts) {
                QCOMPARE(text.text.text(), text.full);
            }
            status.activity = NodeActivity::Finished;
            status.milliseconds = 17400;
            status.peakBytes = 1023 * kMiB;
        }
    }

    void aNameOfOneWordIsWholeNextToAFile_data() { addSizes(); }

    void aNameOfOneWordIsWholeNextToAFile() {
        QFETCH(TextSize, size);
        const ParamDesc file{.id = "checkpoint", .label = "Checkpoint", .kind = ParamKind::File};
        const NodeFace face{.rows = {{.desc = &file,
                                      .label = "Checkpoint",
                                      .value = "a-model-of-a-long-name.safetensors"}}};
        const std::vector<PaintedText> texts = textsOf(face, size);
        QCOMPARE(texts[1].text.text(), QString("Checkpoint"));
    }

    void everyChoiceIsWhole_whereTheNodeHasSpace() {
        const ParamDesc choice{.id = "component",
                               .label = "Component",
                               .kind = ParamKind::Choice,
                               .defaultValue = std::string("all"),
                               .choices = {{.id = "all", .label = "All"},
                                           {.id = "second", .label = "Text encoder 2, CLIP-G"}}};
        const NodeFace face{
            .rows = {{.desc = &choice, .label = "Component", .value = "Text encoder 2, CLIP-G"}}};
        const Look look(Theme::current());
        const double width = wantedWidth(face, look);

        const std::vector<PaintedText> texts =
            faceTexts(face, layoutNode(face, labelWidths(face, look), {}, 0, width), look);

        QVERIFY(width <= node_measures::kMostWidth);
        QCOMPARE(texts[2].text.text(), texts[2].full);
    }

    void aValueThatChangesLeavesTheWidth() {
        const ParamDesc text{.id = "prefix", .label = "Prefix", .kind = ParamKind::Text};
        const Look look(Theme::current());
        const NodeFace face{.rows = {{.desc = &text, .label = "Prefix", .value = "a"}}};
        NodeFace typed = face;
        typed.rows[0].value = QString(60, 'W');

        QCOMPARE(wantedWidth(typed, look), wantedWidth(face, look));
    }

    void widthsAreKept_ofEachFontAndNotForever() {
        const Look look(Theme::current());
        QCOMPARE(look.bodyFont.pixelSize(), look.strongFont.pixelSize());
        QVERIFY(look.width("Denoise", look.bodyFont) < look.width("Denoise", look.strongFont));

        for (size_t i = 0; i <= Look::kMostWidths; ++i) {
            static_cast<void>(look.width(QString::number(i), look.smallFont));
        }
        QVERIFY(look.keptWidths() <= Look::kMostWidths);
    }

    void titlesFromAfarKeepWithinTheirNode_data() {
        testing::addTable<QSizeF, int>({"pixels", "lines"},
                                       {{"a tall node", QSizeF(81, 90), 2},
                                        {"a collapsed one", QSizeF(81, 12), 1},
                                        {"a few pixels", QSizeF(20, 30), 0}});
    }

    void titlesFromAfarKeepWithinTheirNode() {
        QFETCH(QSizeF, pixels);
        QFETCH(int, lines);
        const Look look(Theme::current());

        const std::vector<PaintedText> texts = farTitle("Encode the second prompt", pixels, look);

        QCOMPARE(int(texts.size()), lines);
        for (const PaintedText& text : texts) {
            QVERIFY(text.font.pixelSize() >= 11);
            QVERIFY(text.topLeft.x() + text.text.size().width() <= pixels.width());
            QVERIFY(text.text.text().size() > 3);
        }
    }

    void labelAndValueShareTheirRow_data() { addSizes(); }

    void labelAndValueShareTheirRow() {
        QFETCH(TextSize, size);
        const QString words = "a long row of words which no node has space for";
        const NodeFace face{.rows = {{.label = words, .value = words}}};

        const std::vector<PaintedText> texts = textsOf(face, size);

        QCOMPARE(texts.size(), size_t{3});
        const PaintedText& label = texts[1];
        QVERIFY(label.topLeft.x() + label.text.size().width() <= texts[2].topLeft.x());
        QVERIFY(texts[2].text.text().size() > 8);
    }

    void aLongTextRemainsInItsField_data() { addSizes(); }

    void aLongTextRemainsInItsField() {
        QFETCH(TextSize, size);
        const NodeFace face{.rows = {{.label = "Prompt",
                                      .value = QString("words ").repeated(60),
                                      .isLong = true,
                                      .lines = 4}}};

        const PaintedText last = textsOf(face, size).back();

        const QRectF field = layoutNode(face, {}, {}, 0).rows[0].field;
        QVERIFY(last.topLeft.y() + last.text.size().height() <= field.bottom());
    }

private:
    static void addSizes() {
        QTest::addColumn<TextSize>("size");
        QTest::newRow("near") << TextSize::Normal;
        QTest::newRow("far") << TextSize::Large;
    }

    static std::vector<PaintedText> textsOf(const NodeFace& face, TextSize size) {
        const Look look(Theme::current());
        return faceTexts(face, layoutNode(face, labelWidths(face, look), {}, 0), look, size);
    }
};

LOWTIDE_WINDOW_TEST(NodeTextsTest)

}  // namespace node_texts_test

#include "node_texts_test.moc"
