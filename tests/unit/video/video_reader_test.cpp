#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/program.hpp"
#include "plugin/image/animation.hpp"
#include "plugin/video/video_file.hpp"
#include "plugin/video/video_writer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/video/moving_frames.hpp"

#include <QCryptographicHash>
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>
#include <map>

namespace video_reader_test {

using namespace lowtide;
using namespace lowtide::video;
using lowtide::testing::errorOf;
using lowtide::testing::movingFrames;

namespace {

QString hashOf(const Image8& frame) {
    const QByteArray pixels(reinterpret_cast<const char*>(frame.pixels.get()),
                            static_cast<qsizetype>(frame.byteCount()));
    return QCryptographicHash::hash(pixels, QCryptographicHash::Sha256).toHex();
}

QStringList hashesIn(const QString& path, const FrameRange& range = {}) {
    const files::InputFile file(path.toStdString());
    const TakenFrames taken = framesIn(file, range, "video");
    const auto reader = openFrames(file, range, taken, "video");
    QStringList hashes;
    while (const std::optional<Image8> frame = reader->next({})) {
        hashes << hashOf(*frame);
    }
    return hashes;
}

}  // namespace

/// Frames as Pillow and ffmpeg show them.
class VideoReaderTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::map<QString, Json> seen_;  ///< by others, in each animation

    static void runFfmpeg(const QStringList& arguments) {
        QProcess ffmpeg;
        ffmpeg.start("ffmpeg", QStringList{"-v", "error", "-nostdin", "-y"} + arguments);
        QVERIFY(ffmpeg.waitForFinished());
        QVERIFY2(ffmpeg.exitCode() == 0, ffmpeg.readAllStandardError());
    }

    /// Two seconds at 24 fps, a key frame every half second.
    QString wholeVideo() {
        const QString path = folder_.filePath("whole.mp4");
        if (!QFile::exists(path)) {
            runFfmpeg({"-f", "lavfi", "-i", "testsrc2=s=96x64:r=24:d=2", "-g", "12", path});
        }
        return path;
    }

private Q_SLOTS:

    void initTestCase() {
        (void)testing::runReference(
            {testing::sourcePath("tests/unit/video/make_animations.py"), folder_.path()});
        QStringList arguments = {testing::sourcePath("tests/unit/video/read_videos.py")};
        const QStringList names = QDir(folder_.path()).entryList(QDir::Files);
        for (const QString& name : names) {
            arguments << folder_.filePath(name);
        }
        const Json seen = parseJson(testing::runReference(arguments).toStdString(), "frames");
        for (qsizetype i = 0; i < names.size(); ++i) {
            seen_[names[i]] = seen.at(static_cast<size_t>(i));
        }
    }

    /// What is known of a file is forgotten when it changes.
    void aFileThatChangedIsLookedAtAgain() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("video.png").toStdString();
        const auto framesOf = [&](int count) {
            const std::vector<Image8> frames = movingFrames(count, 32, 16);
            const VideoEncoding encoding{.format = &formats().back(),
                                         .size = {.widthPixels = 32, .heightPixels = 16},
                                         .frames = count,
                                         .rate = 8};
            files::OutputFile file(path);
            const auto writer = openVideo(file, encoding, {});
            for (const Image8& frame : frames) {
                writer->add(frame, {});
            }
            writer->finish({});
            file.commit();
            return framesIn(files::InputFile(path), {}, "video").frames;
        };
        QCOMPARE(framesOf(3), int64_t{3});
        QCOMPARE(framesOf(5), int64_t{5});
    }

    /// Frames that only state where they differ, that are cleared or restored behind, that have a
    /// palette or are blended; one is shown twice as long.
    void showsWhatOthersShow_data() {
        QTest::addColumn<QString>("name");
        for (const auto& [name, seen] : seen_) {
            QTest::newRow(qPrintable(name)) << name;
        }
    }

    void showsWhatOthersShow() {
        QFETCH(QString, name);
        const QString path = folder_.filePath(name);
        const Json& seen = seen_.at(name);
        QStringList expected;
        for (size_t i = 0; i < seen.at("frames").size(); ++i) {
            const bool isTwice = std::abs(seen.at("times")[i].get<double>() - 160) < 1;
            for (int shown = isTwice ? 2 : 1; shown > 0; --shown) {
                expected << QString::fromStdString(seen.at("frames")[i].get<std::string>());
            }
        }
        QCOMPARE(hashesIn(path), expected);
        const bool isSingle = name.startsWith("single");
        QCOMPARE(expected.size(), isSingle ? 1 : name.startsWith("palette") ? 6 : 7);
        const double rate = framesIn(files::InputFile(path.toStdString()), {}, "video").rate;
        QCOMPARE(rate, isSingle ? 0 : name.startsWith("palette") ? 10 : 12.5);
    }

    void takesSomeFrames_data() {
        QTest::addColumn<QString>("format");
        QTest::newRow("PNG") << "png";
        QTest::newRow("lossless WebP") << "webp_lossless";
        QTest::newRow("MP4") << "mp4";
    }

    void takesSomeFrames() {
        QFETCH(QString, format);
        const FormatInfo& info = *std::ranges::find_if(
            formats(), [&](const FormatInfo& each) { return format == each.id; });
        const QString path = folder_.filePath(QString("some") + info.ending);
        const VideoEncoding encoding{.format = &info,
                                     .size = {.widthPixels = 64, .heightPixels = 48},
                                     .frames = 10,
                                     .rate = 12};
        files::OutputFile output(path.toStdString());
        const auto writer = openVideo(output, encoding, {});
        for (const Image8& frame : movingFrames(encoding.frames, 64, 48)) {
            writer->add(frame, {});
        }
        writer->finish({});
        output.commit();
        const QStringList all = hashesIn(path);
        QCOMPARE(all.size(), 10);
        QCOMPARE(hashesIn(path, {.first = 2, .most = 3}), all.mid(2, 3));
        QCOMPARE(hashesIn(path, {.first = 1, .every = 3}), QStringList({all[1], all[4], all[7]}));
        QCOMPARE(hashesIn(path, {.first = 9, .most = 5, .every = 4}), QStringList({all[9]}));
        const files::InputFile file(path.toStdString());
        QCOMPARE(framesIn(file, {.every = 3}, "video").rate, 4.0);
        const auto error = errorOf([&] { (void)framesIn(file, {.first = 10}, "video"); });
        QVERIFY(error.has_value());
        QCOMPARE(error->item(), std::string("first"));
        QVERIFY(QString::fromStdString(error->message().str()).contains("has 10 frames"));
    }

    /// A video that was cut without encoding keeps packets that are not shown; times may differ.
    void beginsAtAnyFrame_data() {
        const testing::Rows<QString, QStringList, int> row("name", "how", "frames");
        row("MP4", "whole.mp4", {}, 48);
        row("WebM", "whole.webm", {"-c:v", "libvpx-vp9"}, 48);
        row("cut MP4", "cut.mp4", {"-c", "copy"}, 31);
        row("frames of different lengths",
            "times.mp4",
            {"-vf", "select=not(mod(n\\,3))+lt(mod(n\\,7)\\,2)", "-fps_mode", "vfr"},
            25);
        row("PNG", "restored.png", {}, 7);
    }

    void beginsAtAnyFrame() {
        QFETCH(QString, name);
        QFETCH(QStringList, how);
        QFETCH(int, frames);
        const QString path = folder_.filePath(name);
        const QString whole = wholeVideo();
        if (!how.isEmpty()) {
            const QStringList begin = name == "cut.mp4" ? QStringList{"-ss", "0.7"} : QStringList();
            runFfmpeg(begin + QStringList{"-i", whole} + how + QStringList{path});
        }
        const QStringList all = hashesIn(path);
        QCOMPARE(all.size(), frames);
        const files::InputFile file(path.toStdString());
        const VideoHeader header = headerOf(file, "");
        for (const int64_t first : {0, 5, frames - 1}) {
            const auto reader = openFramesFrom(file, header, first, "");
            QStringList rest;
            while (const std::optional<Image8> frame = reader->next({})) {
                rest << hashOf(*frame);
            }
            QCOMPARE(rest, all.mid(first));
        }
    }

    void distinguishesAnimationsFromImages_data() {
        const testing::Rows<QString, bool> row("name", "isThatMany");
        row("PNG", "blended.png", true);
        row("WebP", "clear.webp", true);
        row("one PNG", "single.png", false);
        row("one WebP", "single.webp", false);
    }

    void distinguishesAnimationsFromImages() {
        QFETCH(QString, name);
        QFETCH(bool, isThatMany);
        const QByteArray bytes = testing::contentsOf(folder_.filePath(name));
        QVERIFY(!bytes.isEmpty());
        const auto seen = [](const QByteArray& part) {
            return image::isAnimation(image::sourceOf(
                std::as_bytes(std::span(part.constData(), static_cast<size_t>(part.size())))));
        };
        QCOMPARE(seen(bytes), isThatMany);
        for (qsizetype count = 0; count < 64; ++count) {
            (void)seen(bytes.first(count));  // reads nothing behind the end
        }
    }

    /// Cut or changed anywhere, an animation is refused or gives other frames; nothing else
    /// happens.
    void survivesDamage_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"blended.png", "restored.png", "palette.png", "clear.webp"}) {
            QTest::newRow(name) << name;
        }
    }

    void survivesDamage() {
        QFETCH(QString, name);
        const QByteArray whole = testing::contentsOf(folder_.filePath(name));
        QVERIFY(whole.size() > 200);
        const auto read = [](const QByteArray& bytes) {
            const auto error = errorOf([&] {
                const auto reader = image::openAnimation(
                    std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size()))),
                    "damaged");
                while (reader->next({})) {
                }
            });
            QVERIFY(!error || error->kind() == ErrorKind::Corrupt ||
                    error->kind() == ErrorKind::Unsupported);
        };
        for (qsizetype at = 0; at < whole.size(); at += 1 + whole.size() / 150) {
            read(whole.first(at));
            QByteArray changed = whole;
            changed[at] = static_cast<char>(~changed[at]);
            read(changed);
        }
    }

    void refusesOtherFiles_data() {
        const testing::Rows<QByteArray, QString> row("bytes", "message");
        row("text", "no video at all", "no video");
        row("cut MP4",
            QByteArray("\0\0\0\x18"
                       "ftypisom",
                       12),
            "other.mp4");
        row("picture", "\xff\xd8\xff\xe0 and so on", "other.mp4");
    }

    void refusesOtherFiles() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, message);
        const std::string path = folder_.filePath("other.mp4").toStdString();
        files::writeFileAtomically(path, bytes.toStdString());
        const auto error = errorOf([&] { (void)framesIn(files::InputFile(path), {}, "video"); });
        QVERIFY(error.has_value());
        const QString output = QString::fromStdString(error->message().str());
        QVERIFY2(output.contains(message) || output.contains("ffprobe"), qPrintable(output));
        QVERIFY2(!output.contains(folder_.path()), qPrintable(output));
    }

    /// Formats that name other files are no videos: no result key would know those, and a graph
    /// from elsewhere would show frames of any file.
    void refusesPlaylists_data() {
        const testing::Rows<QString, QByteArray> row("name", "text");
        row("HLS",
            "list.mp4",
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nFILE\n#EXT-X-ENDLIST\n");
        row("concat", "list.mp4", "ffconcat version 1.0\nfile 'FILE'\n");
        row("DASH",
            "list.mpd",
            QByteArray("<?xml version=\"1.0\"?>\n<MPD "
                       "xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" "
                       "profiles=\"urn:mpeg:dash:profile:isoff-on-demand:2011\" "
                       "mediaPresentationDuration=\"PT2S\"><Period><AdaptationSet "
                       "mimeType=\"video/mp4\">"
                       "<Representation id=\"0\" "
                       "bandwidth=\"1\"><BaseURL>FILE</BaseURL></Representation>"
                       "</AdaptationSet></Period></MPD>\n"));
    }

    void refusesPlaylists() {
        QFETCH(QString, name);
        QFETCH(QByteArray, text);
        const QTemporaryDir folder;
        const std::string path = folder.filePath(name).toStdString();
        files::writeFileAtomically(path, text.replace("FILE", wholeVideo().toUtf8()).toStdString());
        const auto error = errorOf([&] { (void)framesIn(files::InputFile(path), {}, "video"); });
        QVERIFY(error.has_value());
        const QString output = QString::fromStdString(error->message().str());
        QVERIFY2(output.contains(name) && output.contains("playlist"), qPrintable(output));
    }

    /// The file states that it was longer, or the reader of its container does.
    void reportsCutFiles_data() {
        const testing::Rows<QString, QStringList> row("name", "how");
        row("WebM", "whole.webm", {"-c:v", "libvpx-vp9"});
        row("AVI", "long.avi", {"-c:v", "mpeg4"});
        row("fragmented MP4", "long.mp4", {"-movflags", "frag_keyframe+empty_moov"});
    }

    void reportsCutFiles() {
        QFETCH(QString, name);
        QFETCH(QStringList, how);
        const QString path = folder_.filePath(name);
        if (!QFile::exists(path)) {
            runFfmpeg(QStringList{"-i", wholeVideo()} + how + QStringList{path});
        }
        const QByteArray whole = testing::contentsOf(path);
        const TakenFrames taken = framesIn(files::InputFile(path.toStdString()), {}, "video");
        QCOMPARE(taken.frames, int64_t{48});
        QCOMPARE(taken.damage.str(), std::string());

        files::writeFileAtomically(path.toStdString(), whole.first(whole.size() / 2).toStdString());
        const TakenFrames cut = framesIn(files::InputFile(path.toStdString()), {}, "video");

        QVERIFY(cut.frames < 48);
        QVERIFY2(!cut.damage.empty(), qPrintable(QString::number(cut.frames)));
        QVERIFY2(cut.damage.str().find(" @ 0x") == std::string::npos, cut.damage.str().c_str());
    }

    /// Bytes that changed inside a frame are seen when it is decoded.
    void reportsBrokenFrames() {
        const auto damageOf = [](const std::string& path) {
            const files::InputFile file(path);
            const TakenFrames taken = framesIn(file, {}, "video");
            const auto reader = openFrames(file, {}, taken, "video");
            while (reader->next({})) {
            }
            return reader->damage({}).str();
        };
        QByteArray bytes = testing::contentsOf(wholeVideo());
        QCOMPARE(damageOf(wholeVideo().toStdString()), std::string());
        const qsizetype media = bytes.indexOf("mdat");
        for (qsizetype at = media + 900; at < media + 1100; at += 10) {
            bytes[at] = static_cast<char>(~bytes[at]);
        }
        const std::string path = folder_.filePath("broken.mp4").toStdString();
        files::writeFileAtomically(path, bytes.toStdString());

        QVERIFY(!damageOf(path).empty());
    }

    /// Whatever stands on the PATH under these names.
    void survivesAnotherFfmpeg_data() {
        const testing::Rows<QByteArray> row("commands");
        row("garbage", "head -c 5000 /dev/urandom");
        row("nothing", "exit 0");
        row("failure", "echo broken >&2; exit 7");
        row("other JSON", "echo '[{\"streams\": 3}]'");
        row("numbers that are none", "echo '{\"streams\":[{\"width\":\"x\",\"height\":1e99}]}'");
        row("one that leaves a child", "sleep 100 & echo '{}'");
    }

    void survivesAnotherFfmpeg() {
        QFETCH(QByteArray, commands);
        const QTemporaryDir programs;
        for (const char* name : {"ffmpeg", "ffprobe"}) {
            QFile program(programs.filePath(name));
            QVERIFY(program.open(QIODevice::WriteOnly));
            program.write("#!/bin/sh\n" + commands + "\n");
            program.setPermissions(program.permissions() | QFile::ExeOwner);
        }
        const std::string path = folder_.filePath("any.mp4").toStdString();
        files::writeFileAtomically(path, testing::contentsOf(wholeVideo()).toStdString());
        const QByteArray before = qgetenv("PATH");
        qputenv("PATH", programs.path().toUtf8() + ":" + before);
        const auto error = errorOf([&] { (void)framesIn(files::InputFile(path), {}, "video"); });
        qputenv("PATH", before);
        QVERIFY(error.has_value());
        QVERIFY(error->message().str().size() < 1000);
    }

    void knowsVideosByTheirBegin() {
        const auto begins = [](const QByteArray& bytes) {
            return beginsAsVideo(
                std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size()))));
        };
        QVERIFY(
            begins(QByteArray("\0\0\0\x20"
                              "ftypisom",
                              12)));
        QVERIFY(begins(QByteArray("\x1A\x45\xDF\xA3")));
        QVERIFY(
            !begins(QByteArray("\0\0\0\x20"
                               "ftypavif",
                               12)));
        QVERIFY(!begins(QByteArray()));
        QVERIFY(!begins(QByteArray("{}")));
        QVERIFY(hasVideoName("a/B.MP4") && hasVideoName("x.webm") && !hasVideoName("x.webp"));
    }
};

LOWTIDE_TEST(VideoReaderTest)

}  // namespace video_reader_test

#include "video_reader_test.moc"
