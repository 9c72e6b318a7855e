// docs/memory.md says what Stable Diffusion 1.5 needs on cards of everyday sizes: what the command
// plans for them, from headers of the true sizes without weights.
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
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

/// Of the denoiser, in each pass.
QString streamedText(const Json& plan) {
    for (const Json& stay : plan.at("stays")) {
        if (stay.at("role") == "denoiser" && stay.at("streamed_bytes_per_pass") > 0) {
            return sizeText(stay.at("streamed_bytes_per_pass"));
        }
    }
    return "nothing";
}

}  // namespace

class CardTableTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    double slowest_ = 0;

    Json planOf(const char* card, int side) {
        const QString sides = QString::number(side);
        const CommandResult result = testing::runLowtide({"plan",
                                                          testing::exampleGraph("text_to_image"),
                                                          "--json",
                                                          "--as",
                                                          card,
                                                          "--set",
                                                          "load.checkpoint=" + checkpoint(),
                                                          "--set",
                                                          "latent.width=" + sides,
                                                          "--set",
                                                          "latent.height=" + sides});
        slowest_ = std::max(slowest_, result.seconds);
        return result.exitCode == 0 ? Json::parse(result.output.toStdString())
                                    : Json{{"refused", result.errors.toStdString()}};
    }

    QString checkpoint() const { return folder_.filePath("sd15"); }

    QString row(const char* card, int side) {
        const Json plan = planOf(card, side);
        if (plan.contains("refused")) {
            return QString("| %1 | %2 | refused | | | |\n").arg(card).arg(side);
        }
        const Json& device = plan.at("devices").at(0);
        return QString("| %1, %2 | %3 | %4 of %5 | %6 | %7 | %8 s |\n")
            .arg(card, sizeText(plan.at("card").at("memory")))
            .arg(side)
            .arg(sizeText(device.at("peak")),
                 sizeText(device.at("capacity")),
                 sizeText(device.at("minimum")),
                 streamedText(plan))
            .arg(secondsOf(plan), 0, 'f', 1);
    }

private Q_SLOTS:

    void initTestCase() {
        testing::runReference({testing::sourcePath("tests/bench/big_checkpoint.py"),
                               "hollow",
                               "sd15",
                               testing::sourcePath("resources/mini/model"),
                               checkpoint()});
    }

    /// 0.86, 0.12 and 0.05 billion weights, in half types, each at the beginning of a slot; the
    /// table of words stays on the host.
    void theSizesAreTrue() {
        const Json plan = planOf("RTX 4090", 512);
        QVERIFY2(!plan.contains("refused"), plan.dump().c_str());
        const std::map<std::string, std::pair<Bytes, Bytes>> expected = {
            {"denoiser", {1'719'000'000, 1'720'000'000}},
            {"text_encoder", {170'000'000, 171'000'000}},
            {"autoencoder", {98'000'000, 168'000'000}}};
        for (const Json& component : plan.at("components")) {
            const auto [least, most] = expected.at(component.at("role").get<std::string>());
            const auto bytes = component.at("weights").get<Bytes>();
            QVERIFY2(bytes >= least && bytes <= most, component.dump().c_str());
        }
    }

    void thePageHasTheTable() {
        const QByteArray page = testing::contentsOf(testing::sourcePath("docs/memory.md"));
        const QByteArray begin = "<!-- cards -->\n";
        const auto at = page.indexOf(begin);
        const auto end = page.indexOf("<!-- end of cards -->");
        QVERIFY(at >= 0 && end > at);
        const QByteArray written = page.mid(at + begin.size(), end - at - begin.size());
        QString expected =
            "| Stable Diffusion 1.5 | pixels | needs | least | streams in a pass | time |\n"
            "|---|---:|---|---:|---:|---:|\n";
        for (const char* card : kCards) {
            for (const int side : kSides) {
                expected += row(card, side);
            }
        }
        if (QString::fromUtf8(written) != expected) {
            QFile file("cards_table.md");
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(expected.toUtf8());
        }
        qInfo("slowest plan with the start of the program: %.2f s", slowest_);
        QVERIFY2(QString::fromUtf8(written) == expected,
                 "cards_table.md has what the page should have");
        QVERIFY(slowest_ < kPatienceSeconds);
    }
};

LOWTIDE_TEST(CardTableTest)

}  // namespace card_table_test

#include "card_table_test.moc"
