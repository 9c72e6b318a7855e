// Weight files that are changed, cut off, replaced or removed between runs and during one: a clear
// error with the file's name, or the right bits, never a crash and never a mixture.
#include "plugin/files/safetensors.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <filesystem>
#include <fstream>
#include <thread>

namespace adapted_weights_test {

using namespace lowtide;

namespace {

namespace fs = std::filesystem;

/// Between two times that a file can have; the kernel's clock ticks every 4 to 10 ms.
constexpr auto kClockTick = std::chrono::milliseconds(20);
constexpr int kSteps = 3;
/// Events arrive on a thread of their own, while the denoiser goes on: steps enough that one sent
/// at the first arrives long before the last (a step takes about 3 ms, streamed 30 ms).
constexpr int kMappedSteps = 60;
constexpr int kStreamedSteps = 12;
const std::string kUnet = "/unet/diffusion_pytorch_model.safetensors";

/// Writes the weights of a file as F32, so that the cpu reads them where they are mapped.
void widen(const std::string& path) {
    std::map<std::string, std::vector<float>> values;
    std::map<std::string, files::TensorBytes> tensors;
    {
        const files::InputFile file(path);
        for (const auto& [name, info] : files::readSafetensorsHeader(file).tensors) {
            std::vector<qfloat16> halves(static_cast<size_t>(info.bytes) / sizeof(qfloat16));
            file.read(std::as_writable_bytes(std::span(halves)), info.offset);
            values[name].assign(halves.begin(), halves.end());
            tensors[name] = {.type = DType::F32,
                             .shape = info.shape,
                             .bytes = std::as_bytes(std::span(values[name]))};
        }
    }
    files::writeSafetensors(path, tensors);
}

/// A change of the denoiser's file, by name.
void change(const std::string& path, const QString& how) {
    const auto size = static_cast<std::streamoff>(fs::file_size(path));
    if (how == "cut off") {
        fs::resize_file(path, static_cast<uintmax_t>(size / 3));
    } else if (how == "emptied") {
        fs::resize_file(path, 0);
    } else if (how == "written to") {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(size - 4096);
        file.write(std::string(4096, '\x11').data(), 4096);
    } else if (how == "replaced") {
        fs::copy_file(path, path + ".new");
        {
            std::fstream file(path + ".new", std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(size - 4096);
            file.write(std::string(4096, '\x11').data(), 4096);
        }
        fs::rename(path + ".new", path);
    } else {
        fs::remove(path);
    }
}

}  // namespace

class AdaptedWeightsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    /// Whether it is mapped, and steps: the dump of a run that nothing disturbs.
    std::map<std::pair<bool, int>, QByteArray> plain_;

    std::string modelPath() const { return folder_->filePath("model").toStdString(); }

    void makeModel(bool isMapped) {
        folder_ = std::make_unique<QTemporaryDir>();
        fs::copy(testing::sourcePath("resources/mini/model").toStdString(),
                 modelPath(),
                 fs::copy_options::recursive);
        if (isMapped) {
            widen(modelPath() + kUnet);
        }
        std::this_thread::sleep_for(kClockTick);  // a change after this has another time
    }

    testing::ModuleRun run(int steps,
                           const Json& more,
                           const std::function<void(const Json&)>& onEvent = {}) {
        Json options = {{"set",
                         {"load.checkpoint=" + modelPath(),
                          "latent.width=64",
                          "latent.height=64",
                          "denoise.steps=" + std::to_string(steps)}},
                        {"out", folder_->path().toStdString()}};
        options.update(more.is_null() ? Json::object() : more);
        testing::EventLog log(onEvent);
        return testing::runModule(testing::exampleText("text_to_image"), options, log);
    }

    Json dumped() const { return {{"dump", folder_->filePath("dump.safetensors").toStdString()}}; }

private Q_SLOTS:

    void initTestCase() {
        for (const bool isMapped : {false, true}) {
            makeModel(isMapped);
            for (const int steps : {kSteps, kMappedSteps, kStreamedSteps}) {
                QByteArray& plain = plain_[{isMapped, steps}];
                plain = run(steps, dumped()).dump;
                QVERIFY(plain.size() > 10000);
            }
        }
    }

    void duringARun_data() {
        QTest::addColumn<bool>("isMapped");
        QTest::addColumn<QString>("how");
        for (const char* how : {"cut off", "emptied", "written to", "replaced", "removed"}) {
            QTest::addRow("mapped, %s", how) << true << how;
            QTest::addRow("copied, %s", how) << false << how;
        }
    }

    /// At the denoiser's first step; its weights are mapped on the cpu, or streamed to a GPU.
    void duringARun() {
        QFETCH(bool, isMapped);
        QFETCH(QString, how);
        makeModel(isMapped);
        Json options = dumped();
        if (!isMapped) {
            options["device"] = "fake:1GiB";
            options["policies"] = {"denoise=leaf+stream"};
        }
        const int steps = isMapped ? kMappedSteps : kStreamedSteps;
        bool isChanged = false;

        const testing::ModuleRun ended = run(steps, options, [&](const Json& event) {
            if (!isChanged && event.at("event") == "nodeProgress" &&
                event.at("node") == "denoise") {
                isChanged = true;
                change(modelPath() + kUnet, how);
            }
        });

        QVERIFY(isChanged);
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
        if (how == "replaced" || how == "removed") {
            QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
            QVERIFY(ended.dump == (plain_[{isMapped, steps}]));
            return;
        }
        QCOMPARE(ended.status, Status::Failed);
        const Json issue = ended.report.at("issues").back();
        QCOMPARE(issue.at("code"), Json("corrupt_file"));
        QCOMPARE(issue.at("node"), Json("denoise"));
        const auto message = QString::fromStdString(issue.at("message").get<std::string>());
        QVERIFY2(message.contains("denoiser") && message.contains("diffusion_pytorch_model"),
                 qPrintable(message));
    }

    /// Nothing is left of weights that a user asked to keep on the GPU when their file changed.
    void whatIsKeptIsWhole() {
        makeModel(false);
        const Json options = {{"device", "fake:1GiB"}, {"policies", {"denoise=model,after=keep"}}};

        const testing::ModuleRun ended = run(kSteps, options, [&](const Json& event) {
            if (event.at("event") == "nodeStarted" && event.at("node") == "decode") {
                change(modelPath() + kUnet, "written to");
            }
        });

        QCOMPARE(ended.status, Status::Ok);  // the denoiser had finished before
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

    /// With the size and the time that it had: only the reader that met the truncated map knows it.
    void aFileThatIsWholeAgainIsUsedAgain() {
        makeModel(true);
        const std::string path = modelPath() + kUnet;
        const std::string copy = path + ".copy";
        fs::copy_file(path, copy);
        const auto time = fs::last_write_time(path);
        bool isChanged = false;
        const testing::ModuleRun failed = run(kMappedSteps, {}, [&](const Json& event) {
            if (!isChanged && event.at("event") == "nodeProgress" &&
                event.at("node") == "denoise") {
                isChanged = true;
                change(path, "cut off");
            }
        });
        QCOMPARE(failed.status, Status::Failed);
        {
            std::ifstream whole(copy, std::ios::binary);
            std::ofstream(path, std::ios::binary) << whole.rdbuf();
        }
        fs::last_write_time(path, time);

        const testing::ModuleRun again = run(kMappedSteps, dumped());

        QVERIFY2(again.status == Status::Ok, again.report.dump().c_str());
        QVERIFY(again.dump == (plain_[{true, kMappedSteps}]));
    }

    void betweenTwoRuns_data() {
        testing::addRows("how", {"cut off", "emptied", "written to", "replaced", "removed"});
    }

    /// In one process, whose results of the first run are kept.
    void betweenTwoRuns() {
        QFETCH(QString, how);
        makeModel(false);
        QCOMPARE(run(kSteps, {}).status, Status::Ok);
        QVERIFY(run(kSteps, {}).report.at("repetitions")[0].at("executed").empty());

        change(modelPath() + kUnet, how);
        const testing::ModuleRun after = run(kSteps, {});

        if (how == "written to" || how == "replaced") {
            QCOMPARE(after.status, Status::Ok);
            const Json executed = after.report.at("repetitions")[0].at("executed");
            QVERIFY2(executed.dump().find("denoise") != std::string::npos, executed.dump().c_str());
            QVERIFY(run(kSteps, dumped()).dump != (plain_[{false, kSteps}]));
            return;
        }
        QCOMPARE(after.status, Status::Invalid);
        const Json issue = after.report.at("issues").back();
        QCOMPARE(issue.at("node"), Json("load"));
        QVERIFY2(issue.at("message").get<std::string>().find("diffusion_pytorch_model") !=
                     std::string::npos,
                 issue.dump().c_str());
    }
};

LOWTIDE_TEST(AdaptedWeightsTest)

}  // namespace adapted_weights_test

#include "adapted_weights_test.moc"
