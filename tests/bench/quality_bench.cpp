// What lossy choices cost the trained mini model: images against the exact ones, predictions
// along the exact run, and the same time spent on fewer steps. Prints the tables of
// docs/quality.md.
#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/image/image_difference.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/quantised_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace quality_bench {

using namespace lowtide;

namespace {

constexpr std::array<const char*, 2> kPrompts = {"a cat face on a blue background",
                                                 "a red apple, white background"};
constexpr std::array<int, 3> kSeeds = {1, 2, 3};
constexpr int kSteps = 20;

/// A row: one choice, over all prompts and seeds.
struct Row {
    std::string name;
    double squaredNoise = 0;  ///< mean, of levels in 0..1
    double similarity = 0;
    double error = 0;               ///< teacher-forced
    std::vector<double> fractions;  ///< of the exact sampling's time
    std::array<double, 3> steps{};

    void add(const image::ImageDifference& image) {
        constexpr double kCount = kPrompts.size() * kSeeds.size();
        squaredNoise += std::pow(10, -image.psnr / 10) / kCount;
        similarity += image.ssim.value_or(0) / kCount;
    }

    [[nodiscard]] double psnr() const { return -10 * std::log10(squaredNoise); }

    [[nodiscard]] double fraction() {
        std::ranges::sort(fractions);
        return fractions[fractions.size() / 2];
    }
};

/// What `compare --json` reports of an image; null: equal.
image::ImageDifference differenceIn(const Json& json) {
    const Json& all = json.at("all");
    return {.psnr = all.at("psnr").is_null() ? INFINITY : all.at("psnr").get<double>(),
            .ssim = all.at("ssim").get<double>()};
}

Image8 imageIn(const QString& folder) {
    const files::InputFile file((folder + "/lowtide_00001.png").toStdString());
    const std::string bytes = file.readAll(kGiB);
    return image::decodePng(std::as_bytes(std::span(bytes)), file.name()).image;
}

}  // namespace

class QualityBench : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::map<int, Row> fewerSteps_;  ///< by their number

    [[nodiscard]] testing::CommandResult run(const QStringList& arguments) const {
        const auto result =
            testing::runLowtide(arguments + QStringList{"--out", folder_.filePath("out")},
                                {"LOWTIDE_CACHE=" + folder_.filePath("cache")});
        if (result.exitCode != 0) {
            qWarning("%s", qPrintable(result.errors));
        }
        return result;
    }

    /// Calls `work` with the settings of every prompt and seed.
    static void forEveryImage(const std::function<void(const QStringList&)>& work) {
        for (const char* prompt : kPrompts) {
            for (const int seed : kSeeds) {
                work({"--set",
                      QString("encode.prompt=") + prompt,
                      "--set",
                      "denoise.seed=" + QString::number(seed),
                      "--set",
                      "denoise.steps=" + QString::number(kSteps)});
            }
        }
    }

    /// The variants of a graph's file; the first of them computes everything.
    std::vector<Row> compared(const QString& graph, const QStringList& variations) const {
        std::vector<Row> rows;
        forEveryImage([&](const QStringList& settings) {
            const QStringList arguments =
                QStringList{"compare", graph, "--json"} + settings + variations;
            const Json variants = Json::parse(run(arguments).output.toStdString()).at("variants");
            rows.resize(variants.size());
            for (size_t i = 0; i < rows.size(); ++i) {
                rows[i].name = variants[i].at("name");
                rows[i].fractions.push_back(variants[i].at("sampling_seconds").get<double>() /
                                            variants[0].at("sampling_seconds").get<double>());
                if (i > 0) {
                    rows[i].add(differenceIn(variants[i].at("difference")));
                }
                addSteps(rows[i], variants[i].at("steps"));
            }
        });
        return rows;
    }

    static void addSteps(Row& row, const Json& steps) {
        constexpr double kCount = kPrompts.size() * kSeeds.size();
        constexpr std::array<const char*, 3> kKinds = {"full", "partial", "predicted"};
        for (size_t kind = 0; kind < kKinds.size() && steps.is_object(); ++kind) {
            row.steps[kind] += steps.at(kKinds[kind]).get<double>() / kCount;
        }
    }

    void addErrors(std::vector<Row>& rows, const QString& graph, const QStringList& choices) const {
        forEveryImage([&](const QStringList& settings) {
            const QStringList arguments =
                QStringList{"compare", testing::exampleGraph(graph), "--sensitivity", "--json"} +
                settings + choices;
            const Json found = Json::parse(run(arguments).output.toStdString());
            for (size_t i = 0; i < rows.size(); ++i) {
                const Json& known = found.at("sensitivities");
                const auto row = std::ranges::find_if(known, [&](const Json& each) {
                    return each.at("setting") == found.at("asked").at(i);
                });
                QVERIFY(row != known.end());
                rows[i].error += row->at("error").get<double>() / 6;
            }
        });
    }

    void print(std::vector<Row> rows) {
        std::printf(
            "\n| choice | full / partial / predicted | error | time | PSNR | SSIM | same "
            "time: steps | PSNR | SSIM |\n|---|---|---|---|---|---|---|---|---|\n");
        for (size_t i = 1; i < rows.size(); ++i) {
            Row& row = rows[i];
            const int steps =
                std::clamp(static_cast<int>(std::lround(kSteps * row.fraction())), 4, kSteps - 1);
            const Row& fewer = fewerSteps_.at(steps);
            std::printf(
                "| %s | %.1f / %.1f / %.1f | %.3f | %.2f | %.1f | %.3f | %d | %.1f | %.3f |\n",
                row.name.c_str(),
                row.steps[0],
                row.steps[1],
                row.steps[2],
                row.error,
                row.fraction(),
                row.psnr(),
                row.similarity,
                steps,
                fewer.psnr(),
                fewer.similarity);
        }
    }

    /// Images and errors of a cache.
    void measure(const QString& graph, const QStringList& variations) {
        std::vector<Row> rows = compared(testing::exampleGraph(graph), variations);
        addErrors(rows, graph, variations);
        print(std::move(rows));
    }

    /// Text to image whose denoiser comes from a loader of its own, "load_denoiser".
    QString graphOfTwoFiles() const {
        const files::InputFile file(testing::exampleGraph("text_to_image").toStdString());
        Json graph = Json::parse(file.readAll(kMiB));
        graph.at("nodes")["load_denoiser"] = graph.at("nodes").at("load");
        for (Json& link : graph.at("links")) {
            if (link.at("to") == Json{"denoise", "model"}) {
                link.at("from").front() = "load_denoiser";
            }
        }
        QString path = folder_.filePath("two_files.json");
        testing::writeFile(path, QByteArray::fromStdString(graph.dump()));
        return path;
    }

private Q_SLOTS:

    void fewerSteps() {
        QStringList numbers;
        for (int steps = kSteps; steps >= 4; --steps) {
            numbers << QString::number(steps);
        }
        std::vector<Row> rows = compared(testing::exampleGraph("text_to_image"),
                                         {"--vary", "denoise.steps=" + numbers.join(',')});
        std::printf("\n| steps | PSNR | SSIM |\n|---|---|---|\n");
        for (size_t i = 1; i < rows.size(); ++i) {
            const int steps = kSteps - static_cast<int>(i);
            std::printf("| %d | %.1f | %.3f |\n", steps, rows[i].psnr(), rows[i].similarity);
            fewerSteps_[steps] = std::move(rows[i]);
        }
    }

    void deepCache() {
        measure("text_to_image_deepcache",
                {"--vary", "deepcache.interval=1,2,3,5", "--vary", "deepcache.depth=0,1,3,4,6,7"});
    }

    void blockCache() {
        measure("text_to_image_block_cache",
                {"--vary",
                 "block_cache.threshold=0,0.05,0.1,0.15,0.2,0.3",
                 "--vary",
                 "block_cache.predictor=reuse,taylor"});
    }

    void forecastInWindows() {
        measure("text_to_image_forecast",
                {"--vary",
                 "forecast.warm_up=20,4",
                 "--vary",
                 "forecast.predictor=taylor,spectrum,reuse"});
    }

    void forecastByChange() {
        measure("text_to_image_forecast",
                {"--set",
                 "forecast.gate=output_change",
                 "--set",
                 "forecast.predictor=reuse",
                 "--vary",
                 "forecast.threshold=0,0.1,0.2,0.4"});
    }

    /// Presets are f32 on a CPU; the types that they have on GPUs are named.
    void types() {
        const std::vector<QString> precisions = {"quality,storage=file,compute=f32",
                                                 "quality",
                                                 "balanced",
                                                 "speed",
                                                 "quality,storage=f16,compute=f16",
                                                 "quality,storage=bf16,compute=bf16",
                                                 "quality,storage=f8,compute=bf16"};
        std::vector<Row> rows(precisions.size());
        forEveryImage([&](const QStringList& settings) {
            std::vector<Image8> images;
            for (size_t i = 0; i < rows.size(); ++i) {
                const QStringList arguments =
                    QStringList{"run", testing::exampleGraph("text_to_image")} + settings +
                    QStringList{"--precision", "denoise=" + precisions[i]};
                QCOMPARE(run(arguments).exitCode, 0);
                images.push_back(imageIn(folder_.filePath("out")));
                rows[i].name = precisions[i].toStdString();
                rows[i].add(image::difference(images.front(), images.back()));
                QDir(folder_.filePath("out")).removeRecursively();
            }
        });
        std::vector<Row> errors(precisions.size() - 1);
        addErrors(errors, "text_to_image", {});
        std::printf("\n| precision | error | PSNR | SSIM |\n|---|---|---|---|\n");
        for (size_t i = 1; i < rows.size(); ++i) {
            std::printf("| %s | %.4f | %.1f | %.4f |\n",
                        rows[i].name.c_str(),
                        errors[i - 1].error,
                        rows[i].psnr(),
                        rows[i].similarity);
        }
    }

    /// The denoiser in every encoding, the rest of the model as it is. How far its predictions are:
    /// models_encoded_files.
    void encodings() {
        const QString folder = folder_.filePath("encodings");
        QDir().mkpath(folder);
        testing::makeEncodedFiles(testing::sourcePath("resources/mini/model"), folder);
        QStringList files = {"exact.safetensors"};
        for (const QString& name : QDir(folder).entryList({"*.safetensors", "*.gguf"})) {
            if (name != files.front()) {
                files << name;
            }
        }
        QStringList paths;
        for (const QString& name : std::as_const(files)) {
            paths << folder + "/" + name;
        }
        const std::vector<Row> rows =
            compared(graphOfTwoFiles(), {"--vary", "load_denoiser.checkpoint=" + paths.join(',')});
        QCOMPARE(static_cast<qsizetype>(rows.size()), files.size());
        std::printf("\n| encoding | PSNR | SSIM |\n|---|---|---|\n");
        for (size_t i = 1; i < rows.size(); ++i) {
            std::printf("| %s | %.1f | %.4f |\n",
                        qPrintable(files.at(static_cast<qsizetype>(i))),
                        rows[i].psnr(),
                        rows[i].similarity);
        }
    }
};

LOWTIDE_TEST(QualityBench)

}  // namespace quality_bench

#include "quality_bench.moc"
