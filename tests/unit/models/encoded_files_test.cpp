// What encodings do to the predictions of a network: each file's denoiser along the exact run of
// the same weights in f32. Prints the table of docs/quality.md.
#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/exact_run.hpp"
#include "tests/unit/models/truth.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

namespace encoded_files_test {

using namespace lowtide;
using testing::ExactRun;

namespace {

constexpr double kRounding = 1e-6;  ///< of the same numbers in f32 and in 16 bits

/// The files of a checkpoint, and its exact run.
struct EncodedCheckpoint {
    EncodedCheckpoint(const std::string& name, const std::string& checkpoint) : run(name) {
        testing::makeEncodedFiles(QString::fromStdString(checkpoint), folder.path());
    }

    QTemporaryDir folder;
    ExactRun run;
};

}  // namespace

class EncodedFilesTest : public QObject {
    Q_OBJECT

    std::unique_ptr<EncodedCheckpoint> mini_;
    std::unique_ptr<EncodedCheckpoint> random_;  ///< of the whole test

private Q_SLOTS:

    void initTestCase() {
        mini_ = std::make_unique<EncodedCheckpoint>("mini", testing::miniModel());
        if (testing::isFullTest()) {
            random_ =
                std::make_unique<EncodedCheckpoint>("sd15_0", testing::goldenCheckpoint("sd15_0"));
        }
    }

    void cleanupTestCase() {
        mini_.reset();
        random_.reset();
    }

    void predictionsAreAsFarFromF32AsKnown_data() {
        const testing::Rows<double, double> row("mini", "random");
        row("exact.safetensors", 0, 0);
        row("f16.safetensors", 0, 5.8e-4);  // the mini model's own type
        row("int8.safetensors", 1.9e-3, 4.1e-3);
        row("bnb_int8.safetensors", 2.0e-3, 4.3e-3);
        row("int8_rotated.safetensors", 2.0e-3, 3.9e-3);
        row("mxfp8.safetensors", 7.1e-3, 0.018);
        row("f8.safetensors", 9.7e-3, 0.021);
        row("fp8.safetensors", 9.7e-3, 0.021);
        row("bnb_nf4.safetensors", 0.029, 0.059);
        row("nvfp4.safetensors", 0.033, 0.066);
        row("q8_0.gguf", 7.5e-3, 0.011);
        row("gguf_q8_0.gguf", 7.5e-3, 0.014);
        row("gguf_q5_1.gguf", 0.051, 0.097);
        row("gguf_q5_0.gguf", 0.056, 0.11);
        row("q4_k.gguf", 0.084, 0.146);
        row("gguf_q4_1.gguf", 0.099, 0.2);
        row("gguf_q4_0.gguf", 0.103, 0.215);
    }

    /// Within an eighth: neither worse than the page states, nor better.
    void predictionsAreAsFarFromF32AsKnown() {
        QFETCH(double, mini);
        QFETCH(double, random);
        const QString name = QTest::currentDataTag();
        QString line = "| " + name.section('.', 0, 0);
        for (const auto& [checkpoint, known] :
             {std::pair(mini_.get(), mini), std::pair(random_.get(), random)}) {
            if (!checkpoint) {
                continue;
            }
            const std::string file = checkpoint->folder.filePath(name).toStdString();
            const Json reported = checkpoint->run.measuredWith(file);
            const double mean = reported.at("mean").get<double>();
            line += QString(" | %1 | %2")
                        .arg(mean, 0, 'g', 2)
                        .arg(reported.at("worst").get<double>(), 0, 'g', 2);
            QVERIFY2(std::abs(mean - known) <= std::max(known / 8, kRounding),
                     qPrintable(QString::number(mean)));
        }
        std::printf("%s |\n", qPrintable(line));
    }
};

LOWTIDE_TEST(EncodedFilesTest)

}  // namespace encoded_files_test

#include "encoded_files_test.moc"
