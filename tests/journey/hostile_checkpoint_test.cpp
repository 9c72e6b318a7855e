#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace hostile_checkpoint_test {

using namespace lowtide;
using testing::contentsOf;
using testing::copyFolder;
using testing::writeFile;

namespace {

void replaceIn(const QString& path, const QByteArray& before, const QByteArray& after) {
    QByteArray bytes = contentsOf(path);
    QVERIFY(bytes.contains(before));
    writeFile(path, bytes.replace(before, after));
}

using Damage = std::function<void(const QString&)>;

struct Case {
    const char* name;
    Damage damage;
    const char* complaint;
};

const QString kUnet = "/unet/diffusion_pytorch_model.safetensors";

std::vector<Case> cases() {
    return {
        {"no index",
         [](const QString& f) { QFile::remove(f + "/model_index.json"); },
         "model_index.json"},
        {"index is not JSON",
         [](const QString& f) { writeFile(f + "/model_index.json", "{"); },
         "model_index.json"},
        {"unknown family",
         [](const QString& f) {
             replaceIn(f + "/model_index.json", "StableDiffusionPipeline", "PaintPipeline");
         },
         "PaintPipeline"},
        {"no weights", [](const QString& f) { QFile::remove(f + kUnet); }, "unet"},
        {"empty weights",
         [](const QString& f) { writeFile(f + kUnet, ""); },
         "diffusion_pytorch_model.safetensors"},
        {"truncated weights",
         [](const QString& f) { writeFile(f + kUnet, contentsOf(f + kUnet).left(100000)); },
         "diffusion_pytorch_model.safetensors"},
        {"header length beyond the file",
         [](const QString& f) {
             writeFile(f + kUnet, QByteArray(8, '\xff') + contentsOf(f + kUnet).mid(8));
         },
         "diffusion_pytorch_model.safetensors"},
        {"missing tensor",
         [](const QString& f) { replaceIn(f + kUnet, "\"conv_in.bias\"", "\"conv_xx.bias\""); },
         "conv_in.bias"},
        {"no unet config",
         [](const QString& f) { QFile::remove(f + "/unet/config.json"); },
         "config.json"},
        {"config of another width",
         [](const QString& f) {
             replaceIn(f + "/unet/config.json",
                       "\"cross_attention_dim\": 128",
                       "\"cross_attention_dim\": 64");
         },
         "unet"},
        {"absurd config",
         [](const QString& f) {
             replaceIn(f + "/unet/config.json", "\"norm_num_groups\": 4", "\"norm_num_groups\": 0");
         },
         "norm_num_groups"},
        {"no vocabulary",
         [](const QString& f) { QFile::remove(f + "/tokenizer/vocab.json"); },
         "vocab.json"},
        {"scheduler without a class",
         [](const QString& f) {
             writeFile(f + "/scheduler/scheduler_config.json", "{\"num_train_timesteps\": 1000}");
         },
         "_class_name"},
        {"impossible schedule",
         [](const QString& f) {
             replaceIn(f + "/scheduler/scheduler_config.json",
                       "\"num_train_timesteps\": 1000",
                       "\"num_train_timesteps\": 0");
         },
         "num_train_timesteps"},
    };
}

}  // namespace

/// Damaged and hostile checkpoints: one message that names file or key, exit 2, no crash.
class HostileCheckpointTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void isRefusedWithTheFileOrKey_data() {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Case& test : cases()) {
            QTest::newRow(test.name) << index++;
        }
    }

    void isRefusedWithTheFileOrKey() {
        QFETCH(int, index);
        const Case test = cases()[static_cast<size_t>(index)];
        const QTemporaryDir folder;
        const QString model = folder.filePath("model");
        copyFolder(testing::sourcePath("resources/mini/model"), model);
        test.damage(model);
        const testing::CommandResult run =
            testing::runInProcess({"run",
                                   testing::exampleGraph("text_to_image"),
                                   "--out",
                                   folder.filePath("out"),
                                   "--set",
                                   "load.checkpoint=" + model,
                                   "--set",
                                   "denoise.steps=1"});
        QVERIFY2(!run.crashed && run.exitCode == 2,
                 qPrintable(QString::number(run.exitCode) + ": " + run.errors));
        QVERIFY2(run.errors.contains(test.complaint), qPrintable(run.errors));
        QVERIFY(!QDir(folder.filePath("out")).exists());
    }
};

LOWTIDE_TEST(HostileCheckpointTest)

}  // namespace hostile_checkpoint_test

#include "hostile_checkpoint_test.moc"
