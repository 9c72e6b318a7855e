// Stages without networks behind images that lie on the host, in runs on a GPU.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

namespace host_stages_test {

using namespace lowtide;

class HostStagesTest : public QObject {
    Q_OBJECT

    /// The run's report; its image is the file that it saved.
    static Json run(const Json& graph, const std::string& device, const QString& folder) {
        const testing::ModuleRun ended = testing::runModule(
            graph.dump(),
            {{"device", device},
             {"out", folder.toStdString()},
             {"set", {"denoise.steps=1", "latent.width=64", "latent.height=64"}}});
        return ended.status == Status::Ok ? ended.report : Json();
    }

    /// The image that, by the report, was written last.
    static QImage imageOf(const Json& report) {
        const Json& files = report.at("files");
        return files.empty()
                   ? QImage()
                   : QImage(QString::fromStdString(files.back().at("path").get<std::string>()));
    }

    static QImage enlargedFile(const std::string& device) {
        const QTemporaryDir folder;
        const QString file = folder.filePath("picture.png");
        QImage image(20, 12, QImage::Format_RGB888);
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                image.setPixel(x, y, qRgb(12 * x, 20 * y, x * y));
            }
        }
        image.save(file);
        const Json graph = {
            {"format", 1},
            {"nodes",
             {{"load", {{"type", "load.image"}, {"params", {{"image", file.toStdString()}}}}},
              {"enlarge", {{"type", "upscale.image"}, {"params", {{"scale", 1.5}}}}},
              {"save", {{"type", "save.image"}}}}},
            {"links",
             {{{"from", {"load", "image"}}, {"to", {"enlarge", "image"}}},
              {{"from", {"enlarge", "image"}}, {"to", {"save", "image"}}}}}};
        const testing::ModuleRun ended = testing::runModule(
            graph.dump(), {{"device", device}, {"out", folder.path().toStdString()}});
        if (ended.status != Status::Ok) {
            qWarning("%s", ended.report.dump().c_str());
            return {};
        }
        return imageOf(ended.report).copy();
    }

private Q_SLOTS:

    void cleanup() { testing::openModule().runner()->release("all"); }

    /// First in the process: the host is a device of this run, though it computes on a GPU.
    void countsTheHostOfARunOnAGpu_whateverRanBefore() {
        const QTemporaryDir folder;
        const Json graph = Json::parse(testing::exampleText("text_to_image"));
        const auto computedOnHost = [&] {
            const Json report = run(graph, "fake", folder.path());
            return report.at("repetitions")
                .at(0)
                .at("ledger")
                .at("cpu")
                .at("peak_tags")
                .value("activations", int64_t{0});
        };

        const int64_t first = computedOnHost();

        QVERIFY(first > 0);
        cleanup();
        QVERIFY(run(graph, "cpu", folder.path()).is_object());
        cleanup();
        QCOMPARE(computedOnHost(), first);
    }

    void enlargesALoadedImage_onAGpuAsOnTheHost() {
        const QImage onGpu = enlargedFile("fake");

        QCOMPARE(onGpu.size(), QSize(30, 18));
        QCOMPARE(onGpu, enlargedFile("cpu"));
    }

    void enlargesAKeptImageAgain_data() {
        testing::addTable<std::string>({"device"}, {{"fake", "fake"}, {"cpu", "cpu"}});
    }

    /// Another factor for an image that the run before made: it comes from the host.
    void enlargesAKeptImageAgain() {
        QFETCH(std::string, device);
        const QTemporaryDir folder;
        Json graph = Json::parse(testing::exampleText("text_to_image"));
        for (Json& link : graph["links"]) {
            if (link["to"] == Json({"save", "image"})) {
                link["to"] = {"enlarge", "image"};
            }
        }
        graph["links"].push_back({{"from", {"enlarge", "image"}}, {"to", {"save", "image"}}});
        graph["nodes"]["enlarge"] = {{"type", "upscale.image"}, {"params", {{"scale", 2.0}}}};
        QCOMPARE(imageOf(run(graph, device, folder.path())).size(), QSize(128, 128));
        graph["nodes"]["enlarge"]["params"]["scale"] = 1.5;

        const Json again = run(graph, device, folder.path());

        QCOMPARE(again.at("repetitions").at(0).at("executed"), Json({"enlarge", "save"}));
        QCOMPARE(imageOf(again).size(), QSize(96, 96));
    }
};

LOWTIDE_TEST(HostStagesTest)

}  // namespace host_stages_test

#include "host_stages_test.moc"
