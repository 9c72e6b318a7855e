// docs/memory.md says what Stable Diffusion 1.5 and XL need on cards of everyday sizes: what the
// command plans for them, from headers of the true sizes without weights.
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace card_table_test {

using namespace lowtide;
using testing::CommandResult;

namespace {

constexpr const char* kCards[] = {"GTX 1650", "RTX 2060", "RTX 4060", "RTX 4070", "RTX 4090"};
constexpr int kSides[] = {512, 768};
constexpr int kXlSide = 1024;
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

/// Of each denoiser that streams, in each of its passes.
QString streamedText(const Json& plan) {
    QStringList streamed;
    for (const Json& stay : plan.at("stays")) {
        if (stay.at("role") == "denoiser" && stay.at("streamed_bytes_per_pass") > 0) {
            streamed << sizeText(stay.at("streamed_bytes_per_pass"));
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

    QTemporaryDir folder_;
    double slowest_ = 0;

    Json planOf(const char* card,
                int side,
                const QString& example,
                const QStringList& checkpoints) {
        const QString sides = QString::number(side);
        QStringList arguments = {"plan", testing::exampleGraph(example), "--json", "--as", card};
        for (const QString& setting :
             checkpoints + QStringList{"latent.width=" + sides, "latent.height=" + sides}) {
            arguments << "--set" << setting;
        }
        const CommandResult result = testing::runLowtide(arguments);
        slowest_ = std::max(slowest_, result.seconds);
        return result.exitCode == 0 ? Json::parse(result.output.toStdString())
                                    : Json{{"refused", result.errors.toStdString()}};
    }

    Json smallPlan(const char* card, int side) {
        return planOf(card, side, "text_to_image", {"load.checkpoint=" + folder_.filePath("sd15")});
    }

    Json xlPlan(const char* card, bool isRefined) {
        const QString folder = testing::hollowXlFolder();
        QStringList checkpoints = {"load.checkpoint=" + folder + "/sd_xl_base_1.0.safetensors"};
        if (isRefined) {
            checkpoints << "load_refiner.checkpoint=" + folder + "/sd_xl_refiner_1.0.safetensors";
        }
        return planOf(card, kXlSide, isRefined ? "base_refiner" : "text_to_image", checkpoints);
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

    static void compareTables(const QByteArray& name, const QString& expected) {
        const QString written = writtenTable(name);
        const QString fileName = name + "_table.md";
        if (written != expected) {
            QFile file(fileName);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(expected.toUtf8());
        }
        QVERIFY2(written == expected,
                 qPrintable(fileName + " has what docs/memory.md should have"));
    }

private Q_SLOTS:

    void initTestCase() {
        testing::runReference({testing::sourcePath("tests/bench/big_checkpoint.py"),
                               "hollow",
                               "sd15",
                               testing::sourcePath("resources/mini/model"),
                               folder_.filePath("sd15")});
    }

    /// 0.86, 0.12 and 0.05 billion weights, in half types, each at the beginning of a slot; the
    /// table of words stays on the host.
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
        qInfo("slowest plan with the start of the program: %.2f s", slowest_);
        QVERIFY(slowest_ < kPatienceSeconds);
    }

    /// What the page says beneath the table.
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
        qInfo("slowest plan with the start of the program: %.2f s", slowest_);
        QVERIFY(slowest_ < kPatienceSeconds);
    }
};

LOWTIDE_TEST(CardTableTest)

}  // namespace card_table_test

#include "card_table_test.moc"
