// What is reported about a run whose size or guidance is far from what its model is used with.

#include "nodes/denoise/denoise_notes.hpp"
#include "plugin/base/json.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace usual_size_test {

using namespace lowtide;
using models::ModelInfo;

namespace {

ModelInfo trainedAt(int64_t side) {
    ModelInfo info;
    info.checkpoint = "model";
    info.usual.pixels = side * side;
    return info;
}

}  // namespace

class UsualSizeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aSizeFarFromTheTrainingIsNoted_data() {
        QTest::addColumn<int>("trained");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<bool>("isEmpty");
        QTest::addColumn<QString>("proposed");  // empty: no note
        QTest::newRow("SDXL at 1024") << 1024 << 1024 << 1024 << true << "";
        QTest::newRow("SDXL at 512") << 1024 << 512 << 512 << true << "1024 x 1024";
        QTest::newRow("SDXL at 832 x 1216") << 1024 << 832 << 1216 << true << "";
        QTest::newRow("SDXL at 768") << 1024 << 768 << 768 << true << "";
        QTest::newRow("SDXL, an image of 512") << 1024 << 512 << 512 << false << "1024 x 1024";
        QTest::newRow("SD 1.x at 512 x 768") << 512 << 512 << 768 << true << "";
        QTest::newRow("SD 1.x at 1024") << 512 << 1024 << 1024 << true << "512 x 512";
        QTest::newRow("SD 1.x, a second pass at 1024") << 512 << 1024 << 1024 << false << "";
        QTest::newRow("SD 2.1 at 256 x 512") << 768 << 256 << 512 << true << "536 x 1080";
        QTest::newRow("the mini model") << 128 << 32 << 32 << true << "";
    }

    void aSizeFarFromTheTrainingIsNoted() {
        QFETCH(int, trained);
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(bool, isEmpty);
        QFETCH(QString, proposed);
        const ModelInfo info = trainedAt(trained);
        const Issues notes = nodes::sizeNotes(
            info, {1, 4, height / info.latent.factor, width / info.latent.factor}, isEmpty);
        QCOMPARE(notes.empty(), proposed.isEmpty());
        if (!notes.empty()) {
            QCOMPARE(notes.front().code, std::string("usual_size"));
            QVERIFY(notes.front().severity == Severity::Info);
            QVERIFY2(notes.front().message.str().ends_with("at about " + proposed.toStdString()),
                     notes.front().message.str().c_str());
        }
    }

    void theSizeOfAVideoIsNotNoted() {
        ModelInfo info = trainedAt(1024);
        const Shape small{1, 4, 1, 8, 8};
        info.latent.hasFrames = true;
        QVERIFY(info.latent.holds(small));
        QVERIFY(nodes::sizeNotes(info, small, true).empty());
    }

    void hostsLearnTheUsualPixels() {
        QCOMPARE(*nodes::sizeFacts(trainedAt(1024)), (Json{{"usual_pixels", 1024 * 1024}}));
        QVERIFY(!nodes::sizeFacts(trainedAt(0)));
    }

    void muchGuidanceIsNoted_data() {
        const testing::Rows<double, double, bool> row("usual", "cfg", "isNoted");
        row("Z-Image-Turbo at 7.5", 1.0, 7.5, true);
        row("Z-Image-Turbo", 1.0, 1.0, false);
        row("Z-Image-Turbo, a little", 1.0, 1.5, false);
        row("Z-Image at 7.5", 5.0, 7.5, false);
        row("nothing known", 0.0, 30.0, false);
    }

    void muchGuidanceIsNoted() {
        QFETCH(double, usual);
        QFETCH(double, cfg);
        QFETCH(bool, isNoted);
        ModelInfo info;
        info.checkpoint = "model";
        info.usual.cfg = usual;
        const Issues notes = nodes::guidanceNotes(info, cfg);
        QCOMPARE(!notes.empty(), isNoted);
        if (isNoted) {
            QCOMPARE(notes.front().item, std::string("cfg"));
        }
    }
};

LOWTIDE_TEST(UsualSizeTest)

}  // namespace usual_size_test

#include "usual_size_test.moc"
