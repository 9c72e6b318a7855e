// A precision from the graph to the image's metadata, and what is refused.
#include "plugin/base/json.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <span>

namespace precision_test {

using namespace lowtide;
using testing::CommandResult;
using testing::exampleGraph;
using testing::runInProcess;
using testing::runLowtide;

namespace {

const QStringList kSmall = {"--set",
                            "latent.width=64",
                            "--set",
                            "latent.height=64",
                            "--set",
                            "denoise.steps=2",
                            "--set",
                            "denoise.sampler=euler_a"};

QStringList with(const QString& command, const QStringList& more) {
    return QStringList{command, exampleGraph("text_to_image")} + kSmall + more;
}

Json jsonOf(const QString& text) {
    return Json::parse(text.toStdString());
}

}  // namespace

class PrecisionTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    image::DecodedImage imageOf(const QString& out, const QStringList& options) const {
        const CommandResult run = runInProcess(with("run", {"--out", out}) + options);
        if (run.exitCode != 0) {
            qWarning("%s", qPrintable(run.errors));
            return {};
        }
        QFile file(out + "/lowtide_00001.png");
        if (!file.open(QIODevice::ReadOnly)) {
            return {};
        }
        const QByteArray bytes = file.readAll();
        return image::decodePng(
            std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size()))), "png");
    }

    static Json precisionIn(const image::DecodedImage& png) {
        for (const image::ImageText& text : png.texts) {
            if (text.key == "lowtide_precision") {
                return Json::parse(text.text);
            }
        }
        return {};
    }

private Q_SLOTS:

    /// What `plan` shows is what the image states.
    void isPlannedComputedAndWrittenDown() {
        const QStringList asked = {"--precision",
                                   "denoise=speed,storage=bf16",
                                   "--precision",
                                   "decode=quality,compute=bf16"};
        const CommandResult plan = runInProcess(with("plan", QStringList{"--json"} + asked));
        QVERIFY2(plan.exitCode == 0, qPrintable(plan.errors));
        const Json planned = jsonOf(plan.output).at("precision");
        QCOMPARE(planned.size(), size_t{3});
        QCOMPARE(planned.at("denoise").at("storage"), Json("bf16"));
        QCOMPARE(planned.at("denoise").at("compute"), Json("f32"));
        QCOMPARE(planned.at("denoise").at("preset"), Json("speed"));
        QCOMPARE(planned.at("denoise").at("lossy").size(), size_t{1});
        QCOMPARE(planned.at("decode").at("compute"), Json("bf16"));
        QCOMPARE(planned.at("decode").at("finite_check"), Json(true));
        QCOMPARE(planned.at("encode").at("lossy"), Json::array());
        QCOMPARE(planned.at("encode").at("switches").at("tf32_matmul"),
                 Json("not applicable here"));

        const image::DecodedImage lossy = imageOf(folder_.filePath("lossy"), asked);
        QCOMPARE(precisionIn(lossy), planned);
        const image::DecodedImage plain = imageOf(folder_.filePath("plain"), {});
        QVERIFY(precisionIn(plain) != planned);
        QVERIFY(plain.image.pixels && lossy.image.pixels);
        const size_t bytes = plain.image.byteCount();
        QVERIFY(std::memcmp(plain.image.pixels.get(), lossy.image.pixels.get(), bytes) != 0);
    }

    /// Each under its own name, and refused by the node's.
    void aNodeOfTwoNetworksHasTwoPrecisions() {
        const QStringList asked = {
            exampleGraph("speed_then_finish"), "--precision", "detail=quality,compute=bf16"};
        const CommandResult plan = runInProcess(QStringList{"plan", "--json"} + asked);
        QVERIFY2(plan.exitCode == 0, qPrintable(plan.errors));
        const Json planned = jsonOf(plan.output).at("precision");
        QVERIFY(!planned.contains("detail"));
        for (const char* role : {"autoencoder", "denoiser"}) {
            const Json& own = planned.at(std::string("detail.") + role);
            QCOMPARE(own.at("component"), Json(role));
            QCOMPARE(own.at("compute"), Json("bf16"));
            QCOMPARE(own.at("lossy").size(), size_t{1});
        }
        const CommandResult exact = runInProcess(QStringList{"check", "--exact"} + asked);
        QCOMPARE(exact.exitCode, 2);
        QVERIFY2(exact.errors.contains("is lossy"), qPrintable(exact.errors));
    }

    /// Of the denoiser, whose file has 16 bits, half the bytes are planned and moved.
    void fewerBytesArePlanned() {
        const auto weights = [&](const QStringList& options) {
            const Json plan = jsonOf(
                runInProcess(with("plan", QStringList{"--json", "--device", "fake:1GiB"} + options))
                    .output);
            for (const Json& stage : plan.at("stages")) {
                if (stage.at("node") == "denoise") {
                    return stage.at("moved").get<double>();
                }
            }
            return 0.0;
        };
        const double whole = weights({"--policy", "denoise=model"});
        const double half =
            weights({"--policy", "denoise=model", "--precision", "denoise=quality,storage=f8"});
        QVERIFY(whole > 0);
        QVERIFY2(half / whole > 0.5 && half / whole < 0.55,  // norms and scales are not halved
                 qPrintable(QString::number(half / whole)));
    }

    void theTableIsReadable() {
        const CommandResult plan =
            runInProcess(with("plan", {"--precision", "denoise=quality,storage=f8"}));
        QVERIFY2(plan.exitCode == 0, qPrintable(plan.errors));
        QVERIFY2(plan.output.contains("the weights of the denoiser are stored as f8, its file has "
                                      "f16"),
                 qPrintable(plan.output));
    }

    void exactRefusesWhatIsLossy_data() {
        testing::addTable<QString, QString>(
            {"precision", "reason"},
            {{"storage", "denoise=quality,storage=f8", "stored as f8"},
             {"compute", "decode=quality,compute=bf16", "the autoencoder computes in bf16"},
             {"nothing lossy", "denoise=quality,storage=file", ""},
             {"a preset that changes nothing here", "denoise=speed", ""}});
    }

    void exactRefusesWhatIsLossy() {
        QFETCH(QString, precision);
        QFETCH(QString, reason);
        for (const char* command : {"run", "plan", "check"}) {
            QStringList options = {"--exact", "--precision", precision};
            if (command == QString("run")) {
                options += {"--out", folder_.filePath("exact")};
            }
            const CommandResult result = runInProcess(with(command, options));
            if (reason.isEmpty()) {
                QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
                continue;
            }
            QCOMPARE(result.exitCode, 2);
            const QString node = precision.section('=', 0, 0);
            QVERIFY2(result.errors.contains(node + ".precision: node " + node + " is lossy"),
                     qPrintable(result.errors));
            QVERIFY2(result.errors.contains(reason), qPrintable(result.errors));
        }
    }

    void anExactGraphRefusesByItself() {
        Json graph = Json::parse(testing::exampleText("text_to_image"));
        graph["exact"] = true;
        graph["nodes"]["denoise"]["precision"] = {{"storage", "bf16"}};
        const QString path = folder_.filePath("exact.json");
        testing::writeFile(path, graph.dump().c_str());
        const CommandResult result = runInProcess({"check", path});
        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains("node denoise is lossy"), qPrintable(result.errors));
    }

    void badPrecisionsAreRefused_data() {
        testing::addTable<QString, QString>(
            {"precision", "reason"},
            {{"preset", "denoise=fast", "there is no preset \"fast\""},
             {"type", "denoise=quality,storage=i4", "not \"i4\""},
             {"no network", "save=speed", "runs no network, so it has no precision"},
             {"no node", "nobody=speed", "no node \"nobody\""}});
    }

    void badPrecisionsAreRefused() {
        QFETCH(QString, precision);
        QFETCH(QString, reason);
        const CommandResult result = runInProcess(with("check", {"--precision", precision}));
        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains(reason), qPrintable(result.errors));
    }

    void theCudnnApiIsReportedAsItIs() {
        const QString report = folder_.filePath("report.json");
        const CommandResult run = runLowtide(with(
            "run", {"--cudnn-api", "v7", "--out", folder_.filePath("api"), "--report", report}));
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json written = Json::parse(testing::contentsOf(report).toStdString());
        const auto reported = QString::fromStdString(written.at("cudnnApi").get<std::string>());
        QVERIFY2(reported.startsWith("v7"), qPrintable(reported));
        QCOMPARE(written.at("precision").at("decode").at("compute"), Json("f32"));
        QCOMPARE(runLowtide(with("check", {"--cudnn-api", "v9"})).exitCode, 2);
    }
};

LOWTIDE_TEST(PrecisionTest)

}  // namespace precision_test

#include "precision_test.moc"
