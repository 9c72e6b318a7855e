// Images of quantised checkpoints: every value is that of the same weights decoded before.
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/small_run.hpp"

#include <QtTest/QtTest>

#include <map>
#include <vector>

namespace quantised_image_test {

using namespace lowtide;
using testing::dumpOf;

namespace {

const bool kIsFull = testing::isFullTest();

/// Where weights are, how they come there, and in which type they lie.
struct Way {
    const char* device;
    const char* policy;
    const char* precision;
};

constexpr const char* kAsInFile = "quality,storage=file";

constexpr const char* kDecodedOnce = "quality,storage=f32";

/// Decoded once, and held as the file has it, decoded with every lease. What is chosen where
/// nothing is asked is one of them (quantised_parts_test).
const std::vector<Way> kFewWays = {{"cpu", "leaf+stream", kDecodedOnce},
                                   {"fake", "block:1+stream", kAsInFile}};

/// What copies once, in parts and as a stream, to a device and on the host.
std::vector<Way> everyWay() {
    std::vector<Way> ways;
    for (const char* device : {"cpu", "fake"}) {
        for (const char* precision : {"", kDecodedOnce, kAsInFile}) {
            for (const char* policy :
                 {"none", "model", "block:1+stream", "leaf", "leaf+stream", "auto"}) {
                ways.push_back({device, policy, precision});
            }
        }
    }
    return ways;
}

/// All of them; of a larger network three kinds, and all where there is time.
std::map<QString, QStringList> filesByCheckpoint() {
    const QStringList all(std::begin(testing::kQuantisedFiles), std::end(testing::kQuantisedFiles));
    const QStringList three = {
        "q5_k.gguf", "int8_rotated.safetensors", "bnb_nf4_nested.safetensors"};
    return {{"sd15_1", all}, {"sdxl_1", kIsFull ? all : three}};
}

}  // namespace

class QuantisedImageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// With one start of the libraries that make them.
    void initTestCase() {
        for (const auto& [checkpoint, names] : filesByCheckpoint()) {
            (void)testing::quantisedFolder(checkpoint, names);
        }
    }

    void isThatOfDecodedWeights_data() {
        const testing::Rows<QString, QString> row("checkpoint", "file");
        for (const auto& [checkpoint, names] : filesByCheckpoint()) {
            for (const QString& file : names) {
                row(qPrintable(checkpoint + ", " + file), checkpoint, file);
            }
        }
    }

    void isThatOfDecodedWeights() {
        QFETCH(QString, checkpoint);
        QFETCH(QString, file);
        const QString path = testing::quantisedFile(checkpoint, file);
        const QString decoded = testing::decodedFile(path);
        const QByteArray expected = dumpOf({.checkpoint = decoded});
        QVERIFY2(expected.size() > 100000, expected.constData());
        // Numbers in 16 bits have a product of their own: all ways give its bits.
        const bool isHalf = file.startsWith("f16.") || file.startsWith("bf16.");
        QByteArray first;

        for (const Way& way : kIsFull ? everyWay() : kFewWays) {
            const QByteArray seen = dumpOf({.checkpoint = path,
                                            .device = way.device,
                                            .policy = way.policy,
                                            .precision = way.precision});
            first = isHalf && first.isEmpty() ? seen : isHalf ? first : expected;
            QVERIFY2(seen == first,
                     qPrintable(QString("%1, %2, %3: ").arg(way.device, way.policy, way.precision) +
                                seen.left(2000)));
        }
        const std::string problems =
            testing::disagreements(testing::tensorsIn(expected), testing::tensorsIn(first));
        QVERIFY2(problems.empty(), problems.c_str());
        if (kIsFull) {
            const auto inOurs = [&](const QString& of) {
                return dumpOf(
                    {.checkpoint = of, .policy = "leaf", .precision = "quality,storage=f8"});
            };
            const QByteArray ours = inOurs(path), ofDecoded = inOurs(decoded);
            QVERIFY(isHalf || ours == ofDecoded);
            QCOMPARE(
                testing::disagreements(testing::tensorsIn(ofDecoded), testing::tensorsIn(ours)),
                std::string());
        }
    }
};

LOWTIDE_TEST(QuantisedImageTest)

}  // namespace quantised_image_test

#include "quantised_image_test.moc"
