// Whole runs on a real GPU: f32 compared with the CPU's, and a GPU that others use too.
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/gpu/gpu.hpp"

#include <QFloat16>
#include <QProcess>
#include <QTemporaryDir>

namespace cuda_images_test {

using namespace lowtide;

namespace {

constexpr const char* kHolder = "bin/gpu_holder";

std::string graphOf(const char* example) {
    return testing::contentsOf(testing::sourcePath(QString("examples/graphs/%1.json").arg(example)))
        .toStdString();
}

testing::ModuleRun run(const char* example, const Json& options) {
    testing::EventLog log;
    testing::ModuleRun ended = testing::runModule(graphOf(example), options, log);
    testing::openModule().runner()->release("all");
    return ended;
}

testing::TensorFile tensorsOf(const QTemporaryDir& folder, const char* example, Json options) {
    options["dump"] = folder.filePath("dump.safetensors").toStdString();
    options["out"] = folder.path().toStdString();
    const testing::ModuleRun ended = run(example, options);
    if (ended.status != Status::Ok) {
        throw std::runtime_error(ended.report.at("issues").dump());
    }
    return testing::tensorsIn(ended.dump);
}

/// Forwards that were recorded.
int recordsIn(const Json& report) {
    int records = 0;
    for (const Json& event : report.at("timeline")) {
        records += event.at("what") == "record" ? 1 : 0;
    }
    return records;
}

}  // namespace

class CudaImagesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

private Q_SLOTS:

    void initTestCase() {
        LOWTIDE_NEEDS_GPU();
        QVERIFY(testing::openModule().runner() != nullptr);
    }

    /// In f32 without TF32 every recorded value agrees as with the reference (design, section 5).
    /// On a GPU the preset quality computes in the file's f16.
    void f32AgreesWithTheCpu_data() {
        QTest::addColumn<QString>("graph");
        for (const char* graph : {"text_to_image", "hires", "text_to_image_deepcache"}) {
            QTest::newRow(graph) << graph;
        }
    }

    void f32AgreesWithTheCpu() {
        QFETCH(QString, graph);
        Json options = {{"device", "cpu"},
                        {"set", {"denoise.steps=4"}},
                        {"precisions",
                         {"encode=quality,storage=f32,compute=f32",
                          "denoise=quality,storage=f32,compute=f32",
                          "decode=quality,storage=f32,compute=f32"}}};
        if (graph == "hires") {
            options["precisions"].push_back("refine=quality,storage=f32,compute=f32");
        }
        const auto onCpu = tensorsOf(folder_, qPrintable(graph), options);
        options["device"] = "cuda";
        const auto onGpu = tensorsOf(folder_, qPrintable(graph), options);
        const std::string wrong = testing::disagreements(onCpu, onGpu);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void presetsStateWhatTheyDo_data() {
        QTest::addColumn<QString>("preset");
        for (const char* preset : {"quality", "balanced", "speed"}) {
            QTest::newRow(preset) << preset;
        }
    }

    void presetsStateWhatTheyDo() {
        QFETCH(QString, preset);
        const std::string name = preset.toStdString();
        const testing::ModuleRun ended =
            run("text_to_image",
                {{"device", "cuda"},
                 {"out", folder_.path().toStdString()},
                 {"precisions", {"encode=" + name, "denoise=" + name, "decode=" + name}}});
        QVERIFY2(ended.status == Status::Ok, ended.report.at("issues").dump().c_str());
        qInfo("%s", ended.report.at("precision").dump().c_str());
    }

    /// A resident denoiser's forwards are replayed from a record, a streamed one's are computed.
    /// The preset speed chooses algorithms by time: not the same bits every time.
    void replayedForwardsHaveTheBitsOfComputedOnes_data() {
        QTest::addColumn<QString>("preset");
        QTest::newRow("quality") << "quality";
        QTest::newRow("balanced") << "balanced";
    }

    void replayedForwardsHaveTheBitsOfComputedOnes() {
        QFETCH(QString, preset);
        const QString dump = folder_.filePath("dump.safetensors");
        const auto ran = [&](const char* policy, Bytes budget = 0) {
            Json options = {{"device", "cuda"},
                            {"set", {"denoise.steps=8"}},
                            {"policies", {std::string("denoise=") + policy}},
                            {"precisions", {"denoise=" + preset.toStdString()}},
                            {"dump", dump.toStdString()},
                            {"out", folder_.path().toStdString()}};
            if (budget > 0) {
                options["memoryBudget"] = std::to_string(budget);
            }
            return run("text_to_image", options);
        };
        const testing::ModuleRun replayed = ran("none");
        const testing::ModuleRun computed = ran("leaf+stream");
        QCOMPARE(replayed.status, Status::Ok);
        QCOMPARE(computed.status, Status::Ok);
        QCOMPARE(recordsIn(replayed.report), 1);
        QCOMPARE(recordsIn(computed.report), 0);
        QVERIFY(replayed.dump == computed.dump);
        Bytes peak = 0;
        for (const Json& device : replayed.report.at("plan").at("devices")) {
            peak = device.at("device") == "cuda:0" ? device.at("peak").get<Bytes>() : peak;
        }
        const testing::ModuleRun tight = ran("none", peak - 1);  // no memory for a record
        QCOMPARE(tight.status, Status::Ok);
        QCOMPARE(recordsIn(tight.report), 0);
        QVERIFY(tight.dump == replayed.dump);
    }

    void quantisedFilesGiveOneImage_data() {
        QTest::addColumn<QString>("storage");
        QTest::newRow("f8") << "f8";
        QTest::newRow("int8") << "int8";
    }

    /// Decoded when they arrive, held as they are and streamed: the same bits.
    void quantisedFilesGiveOneImage() {
        QFETCH(QString, storage);
        const QString model = folder_.filePath(storage);
        testing::copyFolder(testing::sourcePath("resources/mini/model"), model);
        const QString unet = model + "/unet/diffusion_pytorch_model.safetensors";
        QVERIFY(QFile::remove(unet));
        const testing::Ended converted =
            testing::runProgram(testing::buildPath("bin/lowtide"),
                                {"convert", "builtin:mini", "--storage", storage, "--out", unet});
        QVERIFY2(converted.exitCode == 0, qPrintable(converted.errors));
        const auto ran = [&](const char* policy, const char* precision) {
            return run("text_to_image",
                       {{"device", "cuda"},
                        {"set", {"denoise.steps=5", "load.checkpoint=" + model.toStdString()}},
                        {"policies", {std::string("denoise=") + policy}},
                        {"precisions", {std::string("denoise=") + precision}},
                        {"dump", folder_.filePath("dump.safetensors").toStdString()},
                        {"out", folder_.path().toStdString()}});
        };
        const testing::ModuleRun decoded = ran("none", "quality");
        QVERIFY2(decoded.status == Status::Ok, decoded.report.at("issues").dump().c_str());
        for (const char* policy : {"none", "leaf+stream", "leaf+stream,pin=0"}) {
            const testing::ModuleRun held = ran(policy, "quality,storage=file");
            QVERIFY2(held.status == Status::Ok, held.report.at("issues").dump().c_str());
            QVERIFY2(held.dump == decoded.dump, policy);
        }
    }

    /// 22: what another process holds is not counted on.
    void aGpuThatOthersUseIsSharedOrRefused() {
        Json options = {{"device", "cuda"}, {"out", folder_.path().toStdString()}};
        QProcess holder;
        holder.start(testing::buildPath(kHolder), {QString::number(kGiB)});
        QVERIFY(holder.waitForReadyRead(60000));
        const testing::ModuleRun limited = run("text_to_image", options);
        QVERIFY2(limited.status == Status::Ok, limited.report.at("issues").dump().c_str());
        std::string text;
        testing::openModule().runner()->devices(text);
        int64_t capacity = 0;
        for (const Json& device : Json::parse(text).at("devices")) {
            capacity =
                device.at("id") == "cuda:0" ? device.at("capacity").get<int64_t>() : capacity;
        }
        options["memoryBudget"] = std::to_string(capacity);
        const testing::ModuleRun greedy = run("text_to_image", options);
        QCOMPARE(greedy.status, Status::Invalid);
        holder.closeWriteChannel();
        QVERIFY(holder.waitForFinished());
    }

    void memoryThatIsTakenMeanwhile_data() {
        QTest::addColumn<int>("left");
        QTest::addColumn<int>("pixels");  // of each row others: the allocator has no blocks of them
        QTest::newRow("16 MiB") << 16 << 448;
        QTest::newRow("64 MiB") << 64 << 512;
        QTest::newRow("256 MiB") << 256 << 576;
    }

    /// 25: the image is the same, or it is stated why there is none, and nothing is left.
    void memoryThatIsTakenMeanwhile() {
        QFETCH(int, left);
        QFETCH(int, pixels);
        const QString sign = folder_.filePath(QString("take %1").arg(left));
        const std::string size = std::to_string(pixels);
        const Json options = {
            {"device", "cuda"},
            {"forceExecution", true},
            {"set", {"denoise.steps=100", "latent.width=" + size, "latent.height=" + size}},
            {"dump", folder_.filePath("dump.safetensors").toStdString()},
            {"out", folder_.path().toStdString()}};
        QProcess holder;
        holder.start(testing::buildPath(kHolder), {"but", QString::number(left * kMiB), sign});
        QVERIFY(holder.waitForReadyRead(60000));
        testing::EventLog log([&](const Json& event) {
            if (event.at("event") == "nodeStarted" && event.at("node") == "denoise") {
                static_cast<void>(QFile(sign).open(QIODevice::WriteOnly));
            }
        });
        const testing::ModuleRun limited =
            testing::runModule(graphOf("text_to_image"), options, log);
        QCOMPARE(testing::bytesOn("cuda:0"), int64_t{0});
        holder.closeWriteChannel();
        QVERIFY(holder.waitForFinished());
        testing::openModule().runner()->release("all");
        if (limited.status != Status::Ok) {
            const Json& issue = limited.report.at("issues").back();
            QCOMPARE(issue.at("code"), Json("out_of_memory"));
            qInfo("%s", issue.dump().c_str());
        }
        const testing::ModuleRun alone = run("text_to_image", options);
        QCOMPARE(alone.status, Status::Ok);
        QVERIFY(limited.status != Status::Ok || limited.dump == alone.dump);
    }

    void nothingIsLeftOnTheGpu() {
        const testing::ModuleRun ended =
            run("text_to_image", {{"device", "cuda"}, {"out", folder_.path().toStdString()}});
        QVERIFY(ended.status == Status::Ok);
        QCOMPARE(testing::bytesOn("cuda:0"), int64_t{0});
    }
};

LOWTIDE_TEST(CudaImagesTest)

}  // namespace cuda_images_test

#include "cuda_images_test.moc"
