// docs/memory.md: what Stable Diffusion 1.5 and XL, WAN, HiDream-I1, Z-Image and FLUX.1 need on
// cards of everyday sizes: what the command plans for them, from headers of the true sizes without
// weights.
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <vector>

namespace card_table_test {

using namespace lowtide;
using testing::CommandResult;

namespace {

constexpr const char* kCards[] = {"GTX 1650", "RTX 2060", "RTX 4060", "RTX 4070", "RTX 4090"};
constexpr int kSides[] = {512, 768};
constexpr int kXlSide = 1024;
constexpr const char* kVideoCards[] = {"RTX 4060", "RTX 4070", "RTX 4060 Ti 16GB", "RTX 4090"};
constexpr std::pair<int, int> kVideoSizes[] = {{832, 480}, {1280, 720}};
/// Of the host, so that the tables do not depend on what else computes there.
constexpr const char* kHostBudget = "cpu=12GiB";
constexpr double kPatienceSeconds = 10;  ///< ten times the goal

QString sizeText(const Json& bytes) {
    return QString::fromStdString(formatBytes(bytes.get<Bytes>()));
}

double secondsOf(const Json& plan) {
    double seconds = 0;
    for (const Json& stage : plan.at("stages")) {
        seconds += stage.at("seconds").get<double>();
    }
    return seconds;
}

/// Of each denoiser that streams, in each of its forwards.
QString streamedText(const Json& plan) {
    QStringList streamed;
    for (const Json& residency : plan.at("stays")) {
        const bool isDenoiser = residency.at("role").get<std::string>().starts_with("denoiser");
        if (isDenoiser && residency.at("streamed_bytes_per_pass") > 0) {
            streamed << sizeText(residency.at("streamed_bytes_per_pass"));
        }
    }
    return streamed.isEmpty() ? "nothing" : streamed.join(", ");
}

/// Between two marks of docs/memory.md.
QString writtenTable(const QByteArray& name) {
    const QByteArray page = testing::contentsOf(testing::sourcePath("docs/memory.md"));
    const QByteArray begin = "<!-- " + name + " -->\n";
    const auto at = page.indexOf(begin);
    const auto end = page.indexOf("<!-- end of " + name + " -->");
    return at < 0 || end < at ? "no table" : page.mid(at + begin.size(), end - at - begin.size());
}

}  // namespace

class CardTableTest : public QObject {
    Q_OBJECT

    QString image_;                ///< that its video begins with
    std::vector<double> seconds_;  ///< of each plan

    Json planOf(const char* card,
                int side,
                const QString& example,
                const QStringList& checkpoints) {
        const QString sides = QString::number(side);
        return planWith(
            card,
            example,
            checkpoints + QStringList{"latent.width=" + sides, "latent.height=" + sides},
            {});
    }

    Json planWith(const char* card,
                  const QString& example,
                  const QStringList& settings,
                  const QStringList& policies) {
        const auto listOf = [](const QStringList& texts) {
            Json list = Json::array();
            for (const QString& text : texts) {
                list.push_back(text.toStdString());
            }
            return list;
        };
        const Json options = {{"as", card},
                              {"memoryBudget", kHostBudget},
                              {"set", listOf(settings)},
                              {"policies", listOf(policies)}};
        QElapsedTimer timer;
        timer.start();
        std::string answer;
        const Status status = testing::openModule().runner()->plan(
            testing::exampleText(example), options.dump(), answer);
        seconds_.push_back(static_cast<double>(timer.elapsed()) / 1000);
        return status == Status::Ok ? Json::parse(answer).at("plan") : Json{{"refused", answer}};
    }

    Json smallPlan(const char* card, int side) {
        return planOf(
            card, side, "text_to_image", {"load.checkpoint=" + testing::hollowSd15Folder()});
    }

    Json xlPlan(const char* card, bool isRefined) {
        const QString folder = testing::hollowXlFolder();
        QStringList checkpoints = {"load.checkpoint=" + folder + "/sd_xl_base_1.0.safetensors"};
        if (isRefined) {
            checkpoints << "load_refiner.checkpoint=" + folder + "/sd_xl_refiner_1.0.safetensors";
        }
        return planOf(card, kXlSide, isRefined ? "base_refiner" : "text_to_image", checkpoints);
    }

    Json videoPlan(const char* card,
                   std::pair<int, int> size,
                   bool isOnCpu,
                   const char* kind = "i2v_14b") {
        return planWith(
            card,
            "image_to_video",
            {"load.checkpoint=" + testing::hollowWanFolder(kind),
             "load_image.image=" + image_,
             QString("video.width=%1").arg(size.first),
             QString("video.height=%1").arg(size.second)},
            isOnCpu ? QStringList{"decode=auto@cpu", "video.autoencoder=auto@cpu"} : QStringList());
    }

    Json imagePlan(const char* card,
                   const QString& checkpoint,
                   const QStringList& settings,
                   std::pair<int, int> size) {
        return planWith(card,
                        "text_to_image",
                        QStringList{"load.checkpoint=" + checkpoint,
                                    QString("latent.width=%1").arg(size.first),
                                    QString("latent.height=%1").arg(size.second)} +
                            settings,
                        {});
    }

    Json noiseModelsPlan(const char* card, std::pair<int, int> size) {
        return imagePlan(
            card, testing::hollowHiDreamFolder(), {"denoise.steps=50", "denoise.cfg=5"}, size);
    }

    Json turboPlan(const char* card, int side, int tile) {
        return imagePlan(card,
                         testing::hollowZImageFolder(),
                         {"denoise.steps=8", "denoise.cfg=1", QString("decode.tile=%1").arg(tile)},
                         {side, side});
    }

    Json fluxPlan(const char* card, std::pair<int, int> size, int tile) {
        return imagePlan(card,
                         testing::hollowFluxFolder(),
                         {"denoise.steps=20", "denoise.cfg=1", QString("decode.tile=%1").arg(tile)},
                         size);
    }

    /// `second`: the second column.
    static QString row(const char* card, const QString& second, const Json& plan) {
        if (plan.contains("refused")) {
            return QString("| %1 | %2 | refused | | | |\n").arg(card, second);
        }
        const Json& device = plan.at("devices").at(0);
        return QString("| %1, %2 | %3 | %4 of %5 | %6 | %7 | %8 s |\n")
            .arg(card, sizeText(plan.at("card").at("memory")), second)
            .arg(sizeText(device.at("peak")),
                 sizeText(device.at("capacity")),
                 sizeText(device.at("minimum")),
                 streamedText(plan))
            .arg(secondsOf(plan), 0, 'f', 1);
    }

    /// Each weight of the roles lies between two sizes.
    static QString wrongWeights(const Json& plan,
                                const std::multimap<std::string, std::pair<Bytes, Bytes>>& sizes) {
        if (plan.contains("refused")) {
            return QString::fromStdString(plan.dump());
        }
        for (const Json& component : plan.at("components")) {
            const auto [first, last] = sizes.equal_range(component.at("role").get<std::string>());
            const auto bytes = component.at("weights").get<Bytes>();
            const bool fits = std::any_of(first, last, [&](const auto& size) {
                return bytes >= size.second.first && bytes <= size.second.second;
            });
            if (!fits) {
                return QString::fromStdString(component.dump());
            }
        }
        return {};
    }

    /// A machine on which others compute may be late with one of them.
    void expectQuickPlans() {
        std::sort(seconds_.begin(), seconds_.end());
        const double median = seconds_[seconds_.size() / 2];
        qInfo("plans: median %.2f s, slowest %.2f s", median, seconds_.back());
        QVERIFY(median < kPatienceSeconds);
        seconds_.clear();
    }

    static void compareTables(const QByteArray& name, const QString& expected) {
        const QString written = writtenTable(name);
        const QString fileName = name + "_table.md";
        if (written != expected) {
            testing::writeFile(fileName, expected.toUtf8());
        }
        QVERIFY2(written == expected,
                 qPrintable(fileName + " has what docs/memory.md should have"));
    }

private Q_SLOTS:

    void initTestCase() {
        // A table of this page is of no machine's measured speeds.
        QVERIFY(qEnvironmentVariable("LOWTIDE_CACHE") != testing::cacheFolder());
        image_ = testing::wanGoldenFolder() + "/images/init.png";
    }

    /// 0.86, 0.12 and 0.05 billion weights, in half types, each at the beginning of a slot; the
    /// table of words remains on the host.
    void theSizesAreTrue() {
        const QString wrong = wrongWeights(smallPlan("RTX 4090", 512),
                                           {{"denoiser", {1'719'000'000, 1'720'000'000}},
                                            {"text_encoder", {170'000'000, 171'000'000}},
                                            {"autoencoder", {98'000'000, 168'000'000}}});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// 2.57 and 2.26 billion weights of base and refiner, 0.69 of the second encoder.
    void theSizesOfXlAreTrue() {
        const QString wrong = wrongWeights(xlPlan("RTX 4090", true),
                                           {{"denoiser", {5'134'000'000, 5'136'000'000}},
                                            {"denoiser", {4'518'000'000, 4'520'000'000}},
                                            {"text_encoder", {170'000'000, 171'000'000}},
                                            {"text_encoder_2", {1'262'000'000, 1'264'000'000}},
                                            {"autoencoder", {98'000'000, 168'000'000}}});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    void thePageHasTheTable() {
        QString expected =
            "| Stable Diffusion 1.5 | pixels | needs | least | streams in a pass | time |\n"
            "|---|---:|---|---:|---:|---:|\n";
        for (const char* card : kCards) {
            for (const int side : kSides) {
                expected += row(card, QString::number(side), smallPlan(card, side));
            }
        }
        compareTables("cards", expected);
        expectQuickPlans();
    }

    /// The tables are of plans as users see them.
    void theCommandPlansTheSame() {
        const QString base = testing::hollowXlFolder() + "/sd_xl_base_1.0.safetensors";
        const CommandResult plan = testing::runLowtide({"plan",
                                                        testing::exampleGraph("text_to_image"),
                                                        "--json",
                                                        "--as",
                                                        "RTX 4060",
                                                        "--memory-budget",
                                                        kHostBudget,
                                                        "--set",
                                                        "load.checkpoint=" + base,
                                                        "--set",
                                                        "latent.width=1024",
                                                        "--set",
                                                        "latent.height=1024"});
        QVERIFY2(plan.exitCode == 0, qPrintable(plan.errors));
        QCOMPARE(row("RTX 4060", "base", Json::parse(plan.output.toStdString())),
                 row("RTX 4060", "base", xlPlan("RTX 4060", false)));
    }

    /// What the page states beneath the table.
    void tilesBringXlOntoASmallCard() {
        const QString base = "/sd_xl_base_1.0.safetensors";
        const Json plan =
            planOf("GTX 1650",
                   kXlSide,
                   "text_to_image",
                   {"load.checkpoint=" + testing::hollowXlFolder() + base, "decode.tile=512"});
        QVERIFY2(!plan.contains("refused"), plan.dump().c_str());
    }

    void thePageHasTheTableOfXl() {
        QString expected =
            "| Stable Diffusion XL, 1024 pixels | networks | needs | least | streams in a pass | "
            "time |\n"
            "|---|---|---|---:|---:|---:|\n";
        for (const char* card : kCards) {
            expected += row(card, "base", xlPlan(card, false));
            expected += row(card, "base and refiner", xlPlan(card, true));
        }
        compareTables("XL cards", expected);
        expectQuickPlans();
    }

    /// 16.4 billion weights, 5.68 in the text encoder, of which the table is kept on the host, 0.63
    /// in the image encoder.
    void theSizesOfWanAreTrue() {
        const QString wrong = wrongWeights(videoPlan("RTX 4090", kVideoSizes[0], false),
                                           {{"denoiser", {32'780'000'000, 32'800'000'000}},
                                            {"text_encoder", {9'250'000'000, 9'280'000'000}},
                                            {"image_encoder", {2'400'000'000, 2'530'000'000}},
                                            {"autoencoder", {253'000'000, 508'000'000}}});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }

    /// What the page states above the table.
    void tilesBringLargeVideosOntoASmallCard() {
        const Json plan = planWith("RTX 4060",
                                   "image_to_video",
                                   {"load.checkpoint=" + testing::hollowWanFolder(),
                                    "load_image.image=" + image_,
                                    "video.width=1280",
                                    "video.height=720",
                                    "video.tile=512",
                                    "decode.tile=512"},
                                   {});
        QVERIFY2(!plan.contains("refused"), plan.dump().c_str());
    }

    void thePageHasTheTableOfWan() {
        QString expected =
            "| WAN 2.1 14B, image to video, 81 frames | pixels, autoencoder | needs | least | "
            "streams in a pass | time |\n"
            "|---|---|---|---:|---:|---:|\n";
        for (const char* card : kVideoCards) {
            for (const auto& size : kVideoSizes) {
                const QString pixels = QString("%1 x %2, ").arg(size.first).arg(size.second);
                expected += row(card, pixels + "on the card", videoPlan(card, size, false));
                expected += row(card, pixels + "on the CPU", videoPlan(card, size, true));
            }
        }
        compareTables("WAN cards", expected);
        expectQuickPlans();
    }

    /// A high-noise and a low-noise model of 14.3 billion weights, which take turns.
    void thePageHasTheTableOfTwoNoiseModels() {
        const char* const kind = "i2v_a14b";
        const QString wrong = wrongWeights(videoPlan("RTX 4090", kVideoSizes[0], false, kind),
                                           {{"denoiser", {28'570'000'000, 28'600'000'000}},
                                            {"denoiser_2", {28'570'000'000, 28'600'000'000}},
                                            {"text_encoder", {9'250'000'000, 9'280'000'000}},
                                            {"autoencoder", {253'000'000, 508'000'000}}});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QString expected =
            "| WAN 2.2 A14B, image to video, 81 frames | pixels, autoencoder | needs | least | "
            "streams in a pass | time |\n"
            "|---|---|---|---:|---:|---:|\n";
        for (const char* card : kVideoCards) {
            for (const auto& size : kVideoSizes) {
                const QString pixels = QString("%1 x %2, ").arg(size.first).arg(size.second);
                expected += row(card, pixels + "on the CPU", videoPlan(card, size, true, kind));
            }
        }
        compareTables("WAN 2.2 cards", expected);
        expectQuickPlans();
    }

    /// 17.1 billion weights in the transformer, 8.0 in Llama and 4.8 in T5, of which the tables of
    /// words remain on the host and Llama's way back to words is not read.
    void thePageHasTheTableOfHiDream() {
        constexpr std::pair<int, int> kSquare{1024, 1024};
        const QString wrong = wrongWeights(noiseModelsPlan("RTX 4090", kSquare),
                                           {{"denoiser", {34'200'000'000, 34'300'000'000}},
                                            {"text_encoder", {170'000'000, 172'000'000}},
                                            {"text_encoder_2", {1'260'000'000, 1'266'000'000}},
                                            {"text_encoder_3", {9'250'000'000, 9'290'000'000}},
                                            {"text_encoder_4", {13'950'000'000, 13'970'000'000}},
                                            {"autoencoder", {167'000'000, 336'000'000}}});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QString expected =
            "| HiDream-I1 Full, 50 steps | pixels | needs | least | streams in a pass | time |\n"
            "|---|---|---|---:|---:|---:|\n";
        for (const char* card : kVideoCards) {
            for (const auto& size : {kSquare, std::pair(1248, 832)}) {
                const QString pixels = QString("%1 x %2").arg(size.first).arg(size.second);
                expected += row(card, pixels, noiseModelsPlan(card, size));
            }
        }
        compareTables("HiDream cards", expected);
        expectQuickPlans();
    }

    /// 6.2 billion weights in the transformer, 4.0 in Qwen 3 with its table of words, without its
    /// last layer.
    void thePageHasTheTableOfZImage() {
        constexpr int kWhole = 0;
        constexpr int kTile = 512;
        const QString wrong = wrongWeights(turboPlan("RTX 4090", 1024, kWhole),
                                           {{"denoiser", {12'300'000'000, 12'320'000'000}},
                                            {"text_encoder", {7'000'000'000, 7'300'000'000}},
                                            {"autoencoder", {167'000'000, 336'000'000}}});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QString expected =
            "| Z-Image-Turbo, 8 steps | pixels | needs | least | streams in a pass | time |\n"
            "|---|---|---|---:|---:|---:|\n";
        for (const char* card :
             {"RTX 2060", "RTX 4060", "RTX 4070", "RTX 4060 Ti 16GB", "RTX 4090"}) {
            expected += row(card, "1024 x 1024", turboPlan(card, 1024, kWhole));
            expected +=
                row(card, "2048 x 2048, decoded in tiles of 512", turboPlan(card, 2048, kTile));
        }
        compareTables("Z-Image cards", expected);
        expectQuickPlans();
    }

    /// 11.9 billion weights in the transformer, 4.8 in T5, of which the table of words lies on the
    /// host.
    void thePageHasTheTableOfFlux() {
        constexpr std::pair<int, int> kSquare{1024, 1024};
        constexpr std::pair<int, int> kWide{1920, 1088};
        constexpr int kWhole = 0;
        constexpr int kTile = 512;
        const QString wrong = wrongWeights(fluxPlan("RTX 4090", kSquare, kWhole),
                                           {{"denoiser", {23'800'000'000, 23'810'000'000}},
                                            {"text_encoder", {170'000'000, 171'000'000}},
                                            {"text_encoder_2", {9'250'000'000, 9'290'000'000}},
                                            {"autoencoder", {167'000'000, 336'000'000}}});
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QString expected =
            "| FLUX.1 dev, 20 steps | pixels | needs | least | streams in a pass | time |\n"
            "|---|---|---|---:|---:|---:|\n";
        for (const char* card : kVideoCards) {
            expected += row(card, "1024 x 1024", fluxPlan(card, kSquare, kWhole));
            expected +=
                row(card, "1920 x 1088, decoded in tiles of 512", fluxPlan(card, kWide, kTile));
        }
        compareTables("FLUX.1 cards", expected);
        expectQuickPlans();
    }
};

LOWTIDE_TEST(CardTableTest)

}  // namespace card_table_test

#include "card_table_test.moc"
