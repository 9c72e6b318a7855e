#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/program.hpp"
#include "plugin/image/image_difference.hpp"
#include "plugin/image/image_header.hpp"
#include "plugin/video/video_file.hpp"
#include "plugin/video/video_writer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/video/moving_frames.hpp"

#include <QCryptographicHash>
#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <csignal>
#include <sys/resource.h>

namespace video_writer_test {

using namespace lowtide;
using namespace lowtide::video;
using lowtide::testing::errorOf;
using lowtide::testing::movingFrames;

namespace {

constexpr int kFrames = 9;
constexpr int kWidth = 64;
constexpr int kHeight = 48;
/// Of colours that 4:2:0 halves, at crf 17 and quality 90: edges of the square are what differs.
constexpr double kLeastPsnr = 28;
/// WebP's times are milliseconds: nine frames at 29.97 and at 30 a second are the same.
constexpr double kRateError = 0.05;

VideoEncoding encodingOf(const FormatInfo& format, double rate) {
    return {.format = &format,
            .size = {.widthPixels = kWidth, .heightPixels = kHeight},
            .frames = kFrames,
            .rate = rate};
}

/// With all that ffmpeg's file of texts gives a meaning, and as long as a large graph.
std::vector<image::ImageText> longTexts() {
    std::string graph = R"({"prompt": "a = b; # \\ no comment)"
                        "\n\ttwo lines, \xE7\x8C\xAB \xF0\x9F\x90\x88\", \"rest\": \"";
    while (graph.size() < 200'000) {
        graph += "0123456789=;#\\\n";
    }
    return {{"lowtide_graph", graph + "\"}"}, {"lowtide_precision", "{}"}};
}

std::vector<image::ImageText> textsIn(const files::InputFile& file, const FormatInfo& format) {
    if (format.encoder) {
        return readVideoHeader(file, "").texts;
    }
    const image::ByteSource source{.size = static_cast<uint64_t>(file.identity().size),
                                   .read = [&](std::span<std::byte> target, uint64_t offset) {
                                       file.read(target, static_cast<Bytes>(offset));
                                   }};
    return image::readImageTexts(source, file.name());
}

std::string textNamed(const std::vector<image::ImageText>& texts, const std::string& key) {
    const auto found = std::ranges::find(texts, key, &image::ImageText::key);
    return found == texts.end() ? "" : found->text;
}

}  // namespace

/// What is written is what ffprobe and Pillow read.
class VideoWriterTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QStringList entries() const {
        return QDir(folder_.path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

    QString written(const FormatInfo& format, double rate) const {
        const QString path = folder_.filePath(QString("%1%2").arg(format.id, format.ending));
        files::OutputFile file(path.toStdString());
        const auto writer = openVideo(file, encodingOf(format, rate), longTexts());
        for (const Image8& frame : movingFrames(kFrames, kWidth, kHeight)) {
            writer->add(frame, {});
        }
        writer->finish({});
        file.commit();
        return path;
    }

private Q_SLOTS:

    void init() {
        QVERIFY(QDir(folder_.path()).removeRecursively());
        QVERIFY(QDir().mkpath(folder_.path()));
    }

    void isReadBack_data() { testing::addEach(formats(), &FormatInfo::id); }

    /// With a rate that is no whole number; the next slots have whole ones.
    void isReadBack() {
        QFETCH(int, index);
        const FormatInfo& info = formats()[static_cast<size_t>(index)];
        const double rate = 29.97;
        const QString path = written(info, rate);
        QCOMPARE(entries(), QStringList(QFileInfo(path).fileName()));

        const files::InputFile file(path.toStdString());
        const TakenFrames taken = framesIn(file, {}, "video");
        QCOMPARE(taken.frames, kFrames);
        QCOMPARE(taken.size.widthPixels, kWidth);
        QCOMPARE(taken.size.heightPixels, kHeight);
        QVERIFY2(std::abs(taken.rate - rate) < kRateError, qPrintable(QString::number(taken.rate)));
        const auto reader = openFrames(file, {}, taken, "video");
        const bool isExact =
            info.format == video::Format::Png || info.format == video::Format::WebPLossless;
        for (const Image8& frame : movingFrames(kFrames, kWidth, kHeight)) {
            const std::optional<Image8> seen = reader->next({});
            QVERIFY(seen.has_value());
            const double psnr = image::difference(frame, *seen).psnr;
            QVERIFY2(isExact ? std::isinf(psnr) : psnr > kLeastPsnr,
                     qPrintable(QString::number(psnr)));
        }
        QVERIFY(!reader->next({}).has_value());

        const std::vector<image::ImageText> texts = textsIn(file, info);
        for (const image::ImageText& each : longTexts()) {
            QVERIFY2(textNamed(texts, each.key) == each.text, each.key.c_str());
        }
    }

    /// Frames, times, size; pixels where none are lost.
    void othersReadAnimations() {
        QStringList paths;
        for (const FormatInfo& format : formats()) {
            if (!format.encoder) {
                paths << written(format, 16);
            }
        }
        const Json seen = parseJson(
            testing::runReference(
                QStringList{testing::sourcePath("tests/unit/video/read_videos.py")} + paths)
                .toStdString(),
            "Pillow");
        QCOMPARE(seen.size(), size_t{3});
        for (const Json& video : seen) {
            QVERIFY(video.at("size") == Json::array({kWidth, kHeight}));
            QCOMPARE(video.at("frames").size(), size_t{kFrames});
            for (const Json& time : video.at("times")) {
                QVERIFY(std::abs(time.get<double>() - 62.5) <= 1);
            }
        }
        const auto frames = movingFrames(kFrames, kWidth, kHeight);
        for (const size_t exact : {1, 2}) {  // lossless WebP, PNG
            for (size_t i = 0; i < frames.size(); ++i) {
                const QByteArray pixels(reinterpret_cast<const char*>(frames[i].pixels.get()),
                                        static_cast<qsizetype>(frames[i].byteCount()));
                QCOMPARE(
                    QString::fromStdString(seen[exact].at("frames")[i].get<std::string>()),
                    QString(QCryptographicHash::hash(pixels, QCryptographicHash::Sha256).toHex()));
            }
        }
    }

    /// What players go by: codec, colours, and that it can be played while it loads.
    void ffprobeReadsVideos() {
        for (const FormatInfo& format : formats()) {
            if (!format.encoder) {
                continue;
            }
            const std::string path = written(format, 24).toStdString();
            const Json stream = parseJson(files::answerOf({.path = *files::findProgram("ffprobe"),
                                                           .arguments = {"-v",
                                                                         "error",
                                                                         "-count_frames",
                                                                         "-show_streams",
                                                                         "-of",
                                                                         "json",
                                                                         path}},
                                                          1u << 20,
                                                          {})
                                              .text,
                                          "ffprobe")
                                    .at("streams")
                                    .at(0);
            QCOMPARE(stream.at("codec_name").get<std::string>(),
                     std::string(format.format == video::Format::Mp4 ? "h264" : "vp9"));
            QCOMPARE(stream.at("nb_read_frames").get<std::string>(), std::to_string(kFrames));
            QCOMPARE(stream.at("avg_frame_rate").get<std::string>(), std::string("24/1"));
            QCOMPARE(stream.at("pix_fmt").get<std::string>(), std::string("yuv420p"));
            QCOMPARE(stream.at("color_space").get<std::string>(), std::string("bt709"));
            QCOMPARE(stream.at("color_range").get<std::string>(), std::string("tv"));
        }
    }

    void refusesWhatAFormatDoesNotTake() {
        const auto messageOf = [](VideoEncoding encoding, int64_t width, double rate) {
            encoding.size.widthPixels = width;
            encoding.rate = rate;
            const auto error = errorOf([&] { checkEncoding(encoding); });
            return error ? QString::fromStdString(error->item() + ": " + error->message().str())
                         : QString();
        };
        const VideoEncoding mp4 = encodingOf(formats()[0], 16);
        QCOMPARE(messageOf(mp4, 64, 16), QString());
        QVERIFY(messageOf(mp4, 63, 16).startsWith("format: frames of 63 x 48"));
        QVERIFY(messageOf(mp4, 20'000, 16).contains("takes 16383 a side"));
        QVERIFY(messageOf(mp4, 64, 0).startsWith("rate: "));
        QVERIFY(messageOf(mp4, 64, std::nan("")).startsWith("rate: "));
    }

    /// Each check of a graph asks for encoders: one that hangs may keep one of them waiting.
    void aProgramThatHangsIsAskedOnce() {
        const QTemporaryDir programs;
        QFile program(programs.filePath("ffmpeg"));
        QVERIFY(program.open(QIODevice::WriteOnly));
        program.write("#!/bin/sh\nsleep 100\n");
        program.setPermissions(program.permissions() | QFile::ExeOwner);
        program.close();
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", programs.path().toUtf8() + ":" + path);
        const auto first = errorOf([] { checkEncoding(encodingOf(formats()[0], 16)); });
        QElapsedTimer waited;
        waited.start();
        const auto second = errorOf([] { checkEncoding(encodingOf(formats()[0], 16)); });
        const qint64 milliseconds = waited.elapsed();
        qputenv("PATH", path);
        QVERIFY(first && second);
        QCOMPARE(second->message().str(), first->message().str());
        QVERIFY2(milliseconds < 5000, qPrintable(QString::number(milliseconds)));
        QVERIFY(!errorOf([] { checkEncoding(encodingOf(formats()[0], 16)); }));
    }

    void reportsWhatIsMissing() {
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", "/nowhere");
        const auto error = errorOf([] { checkEncoding(encodingOf(formats()[0], 16)); });
        const auto none = errorOf([] { checkEncoding(encodingOf(formats()[2], 16)); });
        qputenv("PATH", path);
        QVERIFY(error.has_value());
        QCOMPARE(error->item(), std::string("format"));
        QVERIFY(
            QString::fromStdString(error->message().str()).contains("needs the program ffmpeg"));
        QVERIFY(!none.has_value());
    }

    /// A disk that is full leaves no half file, and an error that states so.
    void aFullDiskLeavesNothing_data() { isReadBack_data(); }

    void aFullDiskLeavesNothing() {
        QFETCH(int, index);
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{.rlim_cur = 512, .rlim_max = before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
        const auto error =
            errorOf([&] { (void)written(formats()[static_cast<size_t>(index)], 16); });
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::Device);
        QCOMPARE(entries(), QStringList());
    }

    void cancellingLeavesNothing_data() { isReadBack_data(); }

    void cancellingLeavesNothing() {
        QFETCH(int, index);
        StopSource stop;
        const auto error = errorOf([&] {
            files::OutputFile file(folder_.filePath("a.video").toStdString());
            const auto writer =
                openVideo(file, encodingOf(formats()[static_cast<size_t>(index)], 16), {});
            const auto frames = movingFrames(kFrames, kWidth, kHeight);
            writer->add(frames[0], stop.token());
            stop.cancel(CancelMode::Now);
            for (const Image8& frame : frames) {
                writer->add(frame, stop.token());
            }
            writer->finish(stop.token());
        });
        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::Cancelled);
        QCOMPARE(entries(), QStringList());
    }
};

LOWTIDE_TEST(VideoWriterTest)

}  // namespace video_writer_test

#include "video_writer_test.moc"
