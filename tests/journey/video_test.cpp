#include "plugin/base/json.hpp"
#include "plugin/files/output_file.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace video_test {

using namespace lowtide;
using testing::CommandResult;

/// Videos as a user saves them, opens them again, and works on their frames.
class VideoTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QString checkpoints_;

    QString file(const QString& name) const { return folder_.filePath(name); }

    CommandResult run(const QString& graph,
                      const QStringList& settings,
                      const QStringList& environment = {}) const {
        QStringList arguments = {
            "run", graph, "--out", folder_.path(), "--model-folder", checkpoints_};
        for (const QString& setting : settings) {
            arguments << "--set" << setting;
        }
        return environment.isEmpty() ? testing::runInProcess(arguments)
                                     : testing::runLowtide(arguments, environment);
    }

    static QStringList smallVideo(const QString& format) {
        return {"load.checkpoint=wan_t2v_0",
                "video.width=64",
                "video.height=48",
                "video.frames=5",
                "denoise.steps=2",
                "save_video.format=" + format};
    }

    /// load.video -> upscale.image -> save.video.
    QString enlargingGraph(const QString& video) const {
        const Json graph = {
            {"format", 2},
            {"nodes",
             {{"load", {{"type", "load.video"}, {"params", {{"video", video.toStdString()}}}}},
              {"upscale", {{"type", "upscale.image"}, {"params", {{"factor", 2.0}}}}},
              {"save",
               {{"type", "save.video"}, {"params", {{"prefix", "large"}, {"format", "png"}}}}}}},
            {"links",
             {{{"from", {"load", "image"}}, {"to", {"upscale", "image"}}},
              {{"from", {"upscale", "image"}}, {"to", {"save", "image"}}}}}};
        const QString path = file("enlarge.json");
        files::writeFileAtomically(path.toStdString(), graph.dump());
        return path;
    }

private Q_SLOTS:

    void initTestCase() { checkpoints_ = testing::wanGoldenFolder() + "/checkpoints"; }

    void init() {
        QVERIFY(QDir(folder_.path()).removeRecursively());
        QVERIFY(QDir().mkpath(folder_.path()));
    }

    /// A video that was opened again as a graph becomes the same file, to the byte.
    void runsAgainFromItsFile_data() {
        testing::addTable<QString, QString>({"format", "ending"},
                                            {{"MP4", "mp4", ".mp4"},
                                             {"WebM", "webm", ".webm"},
                                             {"WebP", "webp", ".webp"},
                                             {"PNG", "png", ".png"}});
    }

    void runsAgainFromItsFile() {
        QFETCH(QString, format);
        QFETCH(QString, ending);
        const CommandResult first = run(testing::exampleGraph("text_to_video"), smallVideo(format));
        QVERIFY2(first.exitCode == 0, qPrintable(first.errors));
        const QString video = file("lowtide_00001" + ending);
        QVERIFY(QFile::exists(video));

        const CommandResult again = run(video, {});

        QVERIFY2(again.exitCode == 0, qPrintable(again.errors));
        QCOMPARE(testing::contentsOf(file("lowtide_00002" + ending)), testing::contentsOf(video));
    }

    /// What a video states of itself names what the flow was shifted by, and no folder of the
    /// machine.
    void reportsHowItWasMade() {
        const CommandResult made = run(testing::exampleGraph("text_to_video"), smallVideo("png"));
        QCOMPARE(made.exitCode, 0);
        const QByteArray video = testing::contentsOf(file("lowtide_00001.png"));
        QVERIFY(video.contains("Flow shift: 3"));
        QVERIFY(!video.contains(folder_.path().toUtf8()));
        QVERIFY(!video.contains(checkpoints_.toUtf8()));
    }

    /// Nodes for images work on frames, and the rate is kept.
    void worksOnFrames() {
        QVERIFY(run(testing::exampleGraph("text_to_video"),
                    smallVideo("webp_lossless") + QStringList{"video.rate=12"})
                    .exitCode == 0);

        const CommandResult large = run(enlargingGraph("lowtide_00001.webp"), {});

        QVERIFY2(large.exitCode == 0, qPrintable(large.errors));
        const Json seen =
            parseJson(testing::runReference({testing::sourcePath("tests/unit/video/read_videos.py"),
                                             file("large_00001.png")})
                          .toStdString(),
                      "frames")[0];
        QVERIFY(seen.at("size") == Json::array({128, 96}));
        QCOMPARE(seen.at("times").size(), size_t{5});
        QVERIFY(std::abs(seen.at("times")[0].get<double>() - 1000.0 / 12) < 1);
    }

    /// Before a model is read: what is missing, and what can be chosen instead.
    void reportsThatFfmpegIsMissing() {
        const CommandResult refused =
            run(testing::exampleGraph("text_to_video"), smallVideo("mp4"), {"PATH=/nowhere"});
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.errors.contains("save_video.format: MP4 (H.264) needs the program ffmpeg"),
                 qPrintable(refused.errors));
        QVERIFY(refused.errors.contains("WebP or PNG"));
        QVERIFY(run(testing::exampleGraph("text_to_video"), smallVideo("webp"), {"PATH=/nowhere"})
                    .exitCode == 0);
    }

    void refusesWhatIsNoVideo_data() {
        testing::addTable<QByteArray, QString, QString>(
            {"bytes", "settings", "message"},
            {{"nothing", QByteArray(), "", "load.video"},
             {"text", "no video", "", "load.video"},
             {"cut", QByteArray("RIFF\x10\0\0\0WEBPVP8X", 16), "", "load.video"}});
    }

    void refusesWhatIsNoVideo() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, message);
        files::writeFileAtomically(file("a.webp").toStdString(), bytes.toStdString());
        const CommandResult refused = run(enlargingGraph("a.webp"), {});
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.errors.contains(message), qPrintable(refused.errors));
        QVERIFY2(!refused.errors.contains("fault of the program"), qPrintable(refused.errors));
    }
};

LOWTIDE_TEST(VideoTest)

}  // namespace video_test

#include "video_test.moc"
