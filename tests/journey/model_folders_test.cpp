// --model-folder: graphs that name files, and the folders in which other programs keep them.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace model_folders_test {

using namespace lowtide;
using testing::CommandResult;

namespace {

constexpr const char* kControlPreset = "sdxl_controlnet_12gib";
constexpr const char* kLoraPreset = "sdxl_lora_12gib";
constexpr const char* kIpPreset = "sdxl_ip_adapter_12gib";

CommandResult checked(const QString& preset, const QStringList& folders) {
    QStringList arguments = {"check", preset};
    for (const QString& path : folders) {
        arguments << "--model-folder" << path;
    }
    return testing::runLowtide(arguments);
}

}  // namespace

class ModelFoldersTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    QString hollow_;

    /// Folders of hollow_ under other names.
    void link(const QString& from, const QString& to) const {
        const QString path = folder_->filePath(to);
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QVERIFY(QFile::link(hollow_ + "/" + from, path));
    }

    [[nodiscard]] QString written(const QString& name, const QByteArray& text) const {
        QFile file(folder_->filePath(name));
        if (!file.open(QIODevice::WriteOnly)) {
            qFatal("cannot write %s", qPrintable(name));
        }
        file.write(text);
        return file.fileName();
    }

private Q_SLOTS:

    void initTestCase() { hollow_ = testing::hollowModelFolder(); }

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void findsFilesOfEachLayout_data() {
        testing::addTable<QString, bool>({"preset", "isOfComfy"},
                                         {{"ComfyUI, ControlNet", kControlPreset, true},
                                          {"ComfyUI, LoRA", kLoraPreset, true},
                                          {"ComfyUI, IP-Adapter and its encoder", kIpPreset, true},
                                          {"A1111, ControlNet", kControlPreset, false},
                                          {"A1111, LoRA", kLoraPreset, false}});
    }

    void findsFilesOfEachLayout() {
        QFETCH(QString, preset);
        QFETCH(bool, isOfComfy);
        if (isOfComfy) {
            QVERIFY(QFile::link(hollow_, folder_->filePath("models")));
        } else {
            link("checkpoints", "models/Stable-diffusion");
            link("loras", "models/Lora");
            link("controlnet", "models/ControlNet");
        }

        const CommandResult found = checked(preset, {folder_->path()});

        QVERIFY2(found.exitCode == 0, qPrintable(found.errors));
    }

    void findsNoneWithoutAFolder() { QCOMPARE(checked(kIpPreset, {}).exitCode, 2); }

    /// Each kind in a folder of its own, as the file states.
    void readsPathsOfComfyUI() {
        link("checkpoints", "a/sd");
        link("ipadapter", "b/ip");
        link("clip_vision", "c/clip_vision");
        const QString paths = written("extra_model_paths.yaml",
                                      "comfyui:\n  base_path: a\n  checkpoints: sd\n"
                                      "more:\n  ipadapter: b/ip\n  clip_vision: c/clip_vision\n");

        const CommandResult found = checked(kIpPreset, {paths});

        QVERIFY2(found.exitCode == 0, qPrintable(found.errors));
    }

    void namesFoldersOfAPathsFileThatAreNotThere() {
        const QString paths = written("extra_model_paths.yaml",
                                      "comfyui:\n  loras: nowhere/loras\n  checkpoints: .\n");

        const CommandResult found = checked(kLoraPreset, {paths});

        QVERIFY2(found.errors.contains("names folders that are not there") &&
                     found.errors.contains("nowhere/loras"),
                 qPrintable(found.errors));
    }

    void takesSeveralFolders() {
        link("checkpoints", "one/checkpoints");
        link("loras", "two/loras");

        QCOMPARE(checked(kLoraPreset, {folder_->filePath("one")}).exitCode, 2);
        const CommandResult both =
            checked(kLoraPreset, {folder_->filePath("one"), folder_->filePath("two")});

        QVERIFY2(both.exitCode == 0, qPrintable(both.errors));
    }

    /// A name may leave out its ending, and be that of a folder which holds models of all kinds.
    void takesNamesWithoutEnding() {
        link("checkpoints", "checkpoints");
        link("loras", "loras/styles");

        const CommandResult found =
            testing::runLowtide({"check",
                                 kLoraPreset,
                                 "--model-folder",
                                 folder_->path(),
                                 "--set",
                                 "lora.file=styles/sd_xl_offset_example-lora_1.0"});

        QVERIFY2(found.exitCode == 0, qPrintable(found.errors));
    }

    void refusesWhatIsNotThere_data() {
        testing::addTable<QString, QString>(
            {"path", "words"},
            {{"folder", "none", "there is no folder"},
             {"paths file", "none.yaml", "none.yaml"},
             {"no YAML", "bad.yaml", "bad.yaml is no YAML: line "}});
    }

    void refusesWhatIsNotThere() {
        QFETCH(QString, path);
        QFETCH(QString, words);
        (void)written("bad.yaml", "a: [");

        const CommandResult result = checked(kLoraPreset, {folder_->filePath(path)});

        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains(words), qPrintable(result.errors));
    }
};

LOWTIDE_TEST(ModelFoldersTest)

}  // namespace model_folders_test

#include "model_folders_test.moc"
