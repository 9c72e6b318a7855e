// A stage with tiles that fits under no policy: the refusal names the largest tile with which it
// does, and the plan agrees.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/rrdb_file.hpp"

#include <QImage>
#include <QtTest/QtTest>

namespace smaller_tiles_test {

using namespace lowtide;

class SmallerTilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    struct Answer {
        Status status = Status::Ok;
        Json issue;  ///< the last one
    };

    static Answer plan(const QString& graph, const Json& options) {
        std::string text;
        Answer answer;
        answer.status =
            testing::openModule().runner()->plan(testing::exampleText(graph), options.dump(), text);
        const Json issues = Json::parse(text).value("issues", Json::array());
        answer.issue = issues.empty() ? Json() : issues.back();
        return answer;
    }

private Q_SLOTS:

    void initTestCase() {
        QImage image(1024, 1024, QImage::Format_RGB888);
        image.fill(Qt::gray);
        QVERIFY(image.save(folder_.filePath("large.png")));
        testing::RrdbFile(testing::RrdbFile::Style::Basicsr, 64, 32, 1, 2, 3)
            .write(folder_.filePath("upscaler.safetensors").toStdString());
    }

    void theHintFits_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("node");
        QTest::addColumn<QStringList>("settings");
        QTest::addColumn<QString>("until");
        const QString large = folder_.filePath("large.png");
        QTest::newRow("decode") << "text_to_image"
                                << "decode"
                                << QStringList{"latent.width=1024", "latent.height=1024"}
                                << "decode";
        QTest::newRow("encode") << "image_to_image"
                                << "encode_image" << QStringList{"load_image.image=" + large}
                                << "encode_image";
        QTest::newRow("upscale") << "upscale_esrgan"
                                 << "upscale"
                                 << QStringList{"latent.width=512",
                                                "latent.height=512",
                                                "decode.tile=256",
                                                "upscale.tile=0",
                                                "load_upscaler.upscaler=" +
                                                    folder_.filePath("upscaler.safetensors")}
                                 << "upscale";
        QTest::newRow("detail") << "speed_then_finish"
                                << "detail"
                                << QStringList{"latent.width=512",
                                               "latent.height=512",
                                               "decode.tile=256",
                                               "detail.tile=0"}
                                << "detail";
        QTest::newRow("start of a video")
            << "image_to_video"
            << "video"
            << QStringList{"load.checkpoint=" + testing::wanGoldenFolder() +
                               "/checkpoints/wan_i2v_0",
                           "load_image.image=" + large,
                           "video.width=832",
                           "video.height=480",
                           "video.frames=5"}
            << "video";
    }

    void theHintFits() {
        QFETCH(QString, graph);
        QFETCH(QString, node);
        QFETCH(QStringList, settings);
        QFETCH(QString, until);
        const std::string name = node.toStdString();
        Json options = {
            {"device", "fake:64GiB"}, {"memoryBudget", "1MiB"}, {"until", {until.toStdString()}}};
        for (const QString& setting : settings) {
            options["set"].push_back(setting.toStdString());
        }
        const Json least = plan(graph, options).issue.at("facts").at("minimum");
        options["memoryBudget"] = std::to_string(least.get<Bytes>() / 2);

        const Answer refused = plan(graph, options);

        QCOMPARE(refused.status, Status::Invalid);
        QCOMPARE(refused.issue.at("code"), Json("memory_infeasible"));
        QCOMPARE(refused.issue.at("node"), Json(name));
        const Json& facts = refused.issue.at("facts");
        QVERIFY2(facts.value("param", "") == "tile", refused.issue.dump().c_str());
        const auto tile = facts.at("value").get<int64_t>();
        const std::string message =
            "set tile of " + name + " to " + std::to_string(tile) + ", which changes pixels";
        QVERIFY2(refused.issue.at("hint").get<std::string>().starts_with(message),
                 refused.issue.dump().c_str());
        Json hinted = options;
        hinted["set"].push_back(name + ".tile=" + std::to_string(tile));
        const Answer fits = plan(graph, hinted);
        QVERIFY2(fits.status == Status::Ok, fits.issue.dump().c_str());
        if (tile < 512) {
            hinted["set"].back() = name + ".tile=" + std::to_string(tile == 128 ? 192 : 2 * tile);
            QCOMPARE(plan(graph, hinted).status, Status::Invalid);
        }
    }
};

LOWTIDE_TEST(SmallerTilesTest)

}  // namespace smaller_tiles_test

#include "smaller_tiles_test.moc"
