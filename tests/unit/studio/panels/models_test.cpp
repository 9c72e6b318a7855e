#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/model_sample.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/panels/model_rows.hpp"
#include "ui/panels/models_panel.hpp"
#include "ui/panels/offered_models.hpp"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest/QtTest>

namespace models_test {

using namespace lowtide;
using namespace lowtide::ui;
using lowtide::testing::kSd15;
using lowtide::testing::writeModel;

class ModelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { test::wear(Theme::Scheme::Light); }

    void init() {
        test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
        writeModel(at("models/checkpoints/dream.safetensors"), kSd15, 4000);
        writeModel(at("models/checkpoints/xl.safetensors"),
                   {"model.diffusion_model.input_blocks.0.0.weight", "conditioner.x"});
        writeModel(at("models/vae/soft.safetensors"),
                   {"encoder.conv_in.weight", "decoder.conv_in.weight"});
        QDir().mkpath(at("models/upscale_models"));
        QFile bad(at("models/upscale_models/bad.pth"));
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write("no weights");
        settings_ = std::make_unique<Settings>(at("settings.json"));
        library_ = std::make_unique<ModelLibrary>(testing::sampleRecognise);
        connect(settings_.get(), &Settings::changed, library_.get(), [this] {  // as the workspace
            library_->setFolders(settings_->preferences().modelFolders,
                                 settings_->preferences().modelPathsFiles);
        });
    }

    void cleanup() {
        library_.reset();
        settings_.reset();  // it writes into the folder until then
    }

    void helps_whileThereAreNoModels() {
        ModelsPanel panel(*settings_, *library_);
        open(panel);

        QTRY_VERIFY(!panel.findChild<QTreeWidget*>("models")->isVisible());
        QVERIFY(!panel.findChild<QToolButton*>("removePlace")->isEnabled());
    }

    void listsModelsOfAFolderThatIsAdded_andKeepsTheFolder() {
        ModelsPanel panel(*settings_, *library_);
        open(panel);

        add(panel, folder_->path());

        QCOMPARE(rows(panel),
                 (QStringList{"dream.safetensors|SD 1.x",
                              "xl.safetensors|SDXL",
                              "soft.safetensors|autoencoder",
                              "bad.pth|cannot be read"}));
        settings_->finish();
        QCOMPARE(Settings(at("settings.json")).preferences().modelFolders,
                 QStringList{folder_->path()});
    }

    void keepsTheFoldersOfTheCommandLine_whenItLooksAgain() {
        library_->setFolders({folder_->path()}, {});  // no setting names it
        ModelsPanel panel(*settings_, *library_);
        open(panel);
        QTRY_COMPARE(rows(panel).size(), 4);
        QVERIFY(QFile::remove(at("models/vae/soft.safetensors")));

        QTest::mouseClick(panel.findChild<QToolButton*>("rescan"), Qt::LeftButton);

        QTRY_COMPARE(rows(panel).size(), 3);
    }

    void readsThePathsFileOfAnotherProgram() {
        QFile yaml(at("extra_model_paths.yaml"));
        QVERIFY(yaml.open(QIODevice::WriteOnly));
        yaml.write("comfyui:\n  base_path: models\n  vae: vae\n");
        yaml.close();
        ModelsPanel panel(*settings_, *library_);
        open(panel);

        add(panel, yaml.fileName());

        QCOMPARE(rows(panel), QStringList{"soft.safetensors|autoencoder"});
    }

    void reportsWhichFolderHasNoModels() {
        QVERIFY(QDir().mkpath(at("mod")));  // the other one's name begins like that
        ModelsPanel panel(*settings_, *library_);
        open(panel);
        add(panel, at("models"));
        add(panel, at("mod"));
        auto* problems = panel.findChild<QLabel*>("modelProblems");
        QTRY_VERIFY(problems->text().contains(at("mod") + '.'));
        QVERIFY(!problems->text().contains(at("models")));
    }

    void takesAFolderOffTheList_itsFilesRemain() {
        ModelsPanel panel(*settings_, *library_);
        open(panel);
        add(panel, folder_->path());
        auto* folders = panel.findChild<QListWidget*>("places");
        QSignalSpy scanned(library_.get(), &ModelLibrary::scanned);

        QTest::mouseClick(folders->viewport(),
                          Qt::LeftButton,
                          {},
                          folders->visualItemRect(folders->item(0)).center());
        QTest::mouseClick(panel.findChild<QToolButton*>("removePlace"), Qt::LeftButton);
        QVERIFY(scanned.wait());

        QVERIFY(rows(panel).isEmpty());
        QVERIFY(settings_->preferences().modelFolders.isEmpty());
        QVERIFY(QFile::exists(at("models/vae/soft.safetensors")));
    }

    void aDraggedRowBringsItsFile() {
        ModelsPanel panel(*settings_, *library_);
        open(panel);
        add(panel, folder_->path());
        auto* models = panel.findChild<QTreeWidget*>("models");
        const QModelIndex first = models->model()->index(0, 0);

        const std::unique_ptr<QMimeData> data(models->model()->mimeData({first}));

        QVERIFY(models->dragEnabled());
        QCOMPARE(data->urls(),
                 (QList<QUrl>{QUrl::fromLocalFile(first.data(ModelColumn::Path).toString())}));
        QVERIFY(QFile::exists(data->urls().first().toLocalFile()));
    }

    void handsOutWhatCanRun_only() {
        ModelsPanel panel(*settings_, *library_);
        open(panel);
        library_->setEngineFolders({at("models/checkpoints").toStdString()});
        add(panel, folder_->path());
        QSignalSpy used(&panel, &ModelsPanel::useAsked);
        QStringList useless;
        connect(&panel, &ModelsPanel::unusableChosen, this, [&](const ModelFile& model) {
            useless << QString::fromStdString(model.name);
        });
        auto* models = panel.findChild<QTreeWidget*>("models");

        for (int row = 0; row < models->topLevelItemCount(); ++row) {
            models->setCurrentItem(models->topLevelItem(row));
            QTest::keyClick(models, Qt::Key_Return);
        }

        QCOMPARE(used.count(), 2);
        QCOMPARE(used.at(0),
                 (QVariantList{QVariant::fromValue(ModelKind::Checkpoint), "dream.safetensors"}));
        QCOMPARE(used.at(1),
                 (QVariantList{QVariant::fromValue(ModelKind::Autoencoder),
                               at("models/vae/soft.safetensors")}));
        QCOMPARE(useless, (QStringList{"xl.safetensors", "bad.pth"}));  // the user hears of it
        for (int row = 0; row < models->topLevelItemCount(); ++row) {
            models->setCurrentItem(models->topLevelItem(row));
            panel.findChild<QAction*>("useModel")->trigger();  // of the menu
        }
        QCOMPARE(used.count(), 4);
    }

    void offersNoConversion_whereTheModuleHasNone() {
        ModelsPanel panel(*settings_, *library_);
        open(panel);
        add(panel, folder_->path());
        QVERIFY(!panel.findChild<QToolButton*>("convertButton")->isVisible());
        QVERIFY(!panel.findChild<QAction*>("convertModel")->isVisible());
    }

    /// Of checkpoints and denoisers that run, by the button and by the row's menu.
    void asksForAConversion() {
        writeModel(at("models/diffusion_models/alone.safetensors"), {"input_blocks.0.0.weight"});
        ModelsPanel panel(*settings_, *library_);
        panel.offerConversion();
        open(panel);
        add(panel, folder_->path());
        QSignalSpy asked(&panel, &ModelsPanel::convertAsked);
        auto* models = panel.findChild<QTreeWidget*>("models");
        auto* button = panel.findChild<QToolButton*>("convertButton");
        QVERIFY(button->isVisible() && !button->isEnabled());
        QCOMPARE(button->text(), QString("Convert..."));
        QStringList convertible;
        for (int row = 0; row < models->topLevelItemCount(); ++row) {
            models->setCurrentItem(models->topLevelItem(row));
            if (button->isEnabled()) {
                convertible << models->topLevelItem(row)->text(0);
                QTest::mouseClick(button, Qt::LeftButton);
            }
        }
        QCOMPARE(convertible, (QStringList{"dream.safetensors", "alone.safetensors"}));
        QCOMPARE(asked.count(), 2);
        const auto first = asked[0][0].value<NamedModel>();
        QCOMPARE(first.kind, ModelKind::Checkpoint);
        QCOMPARE(first.value, at("models/checkpoints/dream.safetensors").toStdString());
        QCOMPARE(asked[1][0].value<NamedModel>().kind, ModelKind::Denoiser);
        QVERIFY(models->actions().contains(panel.findChild<QAction*>("convertModel")));
        QCOMPARE(models->contextMenuPolicy(), Qt::ActionsContextMenu);
    }

    void findsModelsByName() {
        ModelsPanel panel(*settings_, *library_);
        open(panel);
        add(panel, folder_->path());

        QTest::keyClicks(panel.findChild<QLineEdit*>("modelSearch"), "SOFT");

        QCOMPARE(rows(panel), QStringList{"soft.safetensors|autoencoder"});
    }

    void judgesByTheBudget() {
        ModelsPanel panel(*settings_, *library_);
        open(panel);
        add(panel, folder_->path());

        library_->setBudget(100000);

        auto* models = panel.findChild<QTreeWidget*>("models");
        QCOMPARE(models->topLevelItem(0)->text(3), QString("fits"));
        QCOMPARE(models->topLevelItem(1)->text(3), QString("not run here"));
        library_->setBudget(30000);
        QCOMPARE(models->topLevelItem(0)->text(3), QString("too big"));
    }

    void keepsItsRowsWhileTheBudgetChanges() {
        ModelsPanel panel(*settings_, *library_);
        open(panel);
        add(panel, folder_->path());
        auto* models = panel.findChild<QTreeWidget*>("models");
        QTreeWidgetItem* chosen = models->topLevelItem(1);
        models->setCurrentItem(chosen);
        QSignalSpy rebuilt(models->model(), &QAbstractItemModel::rowsInserted);

        for (Bytes budget = 30000; budget <= 100000; budget += 10000) {
            library_->setBudget(budget);  // as plans of a graph that is edited state it
        }

        QCOMPARE(rebuilt.count(), 0);
        QCOMPARE(models->currentItem(), chosen);
        QCOMPARE(models->topLevelItem(0)->text(3), QString("fits"));
    }

    /// As wide as the column next to the canvas is at first.
    void aRowIsReadWholeInANarrowPanel() {
        ModelsPanel panel(*settings_, *library_);
        open(panel);
        add(panel, folder_->path());
        library_->setBudget(30000);
        auto* models = panel.findChild<QTreeWidget*>("models");
        const auto shown = [&](int width, Qt::Alignment side, const QString& text) {
            panel.resize(width, 480);
            QRect row = models->visualItemRect(models->topLevelItem(0));
            row.setRight(models->viewport()->width() - 1);
            const int needed = QFontMetrics(Theme::current().font("body")).horizontalAdvance(text);
            side == Qt::AlignRight ? row.setLeft(row.right() - needed) : row.setWidth(needed);
            return models->viewport()->grab(row).toImage();
        };
        constexpr int kPanel = Theme::space(75);
        for (const auto& [side, text] : {std::pair(Qt::AlignLeft, QString("dream.safetensors")),
                                         std::pair(Qt::AlignRight, QString("too big"))}) {
            const QImage whole = shown(560, side, text);
            const QImage narrow = shown(kPanel, side, text);
            QVERIFY2(narrow == whole, qPrintable(text));
        }
    }

    void namesAFolderThatIsGone() {
        settings_->change([](Preferences& preferences) {
            preferences.modelFolders = QStringList{"/gone/models"};
        });
        ModelsPanel panel(*settings_, *library_);
        open(panel);

        auto* problems = panel.findChild<QLabel*>("modelProblems");
        QTRY_VERIFY(problems->isVisible());
        QVERIFY(problems->text().contains("/gone/models"));
    }

    void offersModelsToTheParametersThatTakeThem() {
        writeModel(at("models/diffusion_models/alone.safetensors"), {"input_blocks.0.0.weight"});
        QSignalSpy scanned(library_.get(), &ModelLibrary::scanned);
        library_->setFolders({folder_->path()}, {});
        QVERIFY(scanned.wait());
        library_->setBudget(kGiB);
        const OfferedModels offered(*library_);

        const auto checkpoints = offered.filesFor("load.checkpoint", "checkpoint");
        const auto autoencoders = offered.filesFor("load.checkpoint", "vae");
        const auto denoisers = offered.filesFor("load.checkpoint", "unet");
        const auto upscalers = offered.filesFor("load.upscaler", "upscaler");

        QCOMPARE(checkpoints.size(), size_t{3});
        QCOMPARE(checkpoints[0].value, QString("builtin:mini"));
        QCOMPARE(checkpoints[1].detail, QString("SD 1.x, 46.9 KiB, fits"));
        QVERIFY(checkpoints[2].detail.endsWith("not run by this version"));
        QCOMPARE(autoencoders.size(), size_t{1});
        QCOMPARE(denoisers.size(), size_t{1});
        QCOMPARE(denoisers[0].label, QString("alone.safetensors"));
        QCOMPARE(upscalers.size(), size_t{1});
        QCOMPARE(upscalers[0].detail, QString("cannot be read"));
        QVERIFY(offered.filesFor("load.image", "image").empty());
    }

    /// Of every kind with a parameter, to that parameter alone.
    void offersAdaptersToTheirNodes() {
        const std::pair<const char*, ModelParam> offers[] = {
            {"loras/style", {"load.lora", "file"}},
            {"loras/style", {"load.lora_stack", "file_3"}},
            {"controlnet/edges", {"load.controlnet", "controlnet"}},
            {"ipadapter/plus", {"load.ip_adapter", "adapter"}}};
        for (const auto& [file, param] : offers) {
            writeModel(at("models/" + QString(file) + ".safetensors"), {"x"});
        }
        writeModel(at("models/embeddings/word.safetensors"), {"x"});
        QSignalSpy scanned(library_.get(), &ModelLibrary::scanned);
        library_->setFolders({folder_->path()}, {});
        QVERIFY(scanned.wait());
        const OfferedModels offered(*library_);

        for (const auto& [file, param] : offers) {
            const auto files = offered.filesFor(param.nodeType, param.param);
            QCOMPARE(files.size(), size_t{1});
            QCOMPARE(files[0].label, QString(file).section('/', 1) + ".safetensors");
        }
        QVERIFY(offered.filesFor("save.image", "file").empty());
        QVERIFY(offered.filesFor("load.lora_stack", "strength_3").empty());
        QVERIFY(!paramOf(ModelKind::Embedding));
    }

    void looksRight_data() { test::addSchemes(); }

    void looksRight() {
        QFETCH(bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        ModelsPanel panel(*settings_, *library_);
        panel.offerConversion();
        panel.resize(560, 480);
        QTRY_VERIFY(!library_->isScanning());
        QCOMPARE(test::lookAt(panel, "models_empty"), QString());
        add(panel, folder_->path());
        library_->setBudget(100000);
        auto* models = panel.findChild<QTreeWidget*>("models");
        models->setCurrentItem(models->topLevelItem(0));

        QCOMPARE(test::lookAt(panel, "models"), QString());
        panel.resize(Theme::space(75), 480);
        QCOMPARE(test::lookAt(panel, "models_narrow"), QString());
    }

private:
    [[nodiscard]] QString at(const QString& relative) const { return folder_->filePath(relative); }

    static void open(QWidget& widget) {
        widget.resize(560, 480);
        widget.show();
        QVERIFY(QTest::qWaitForWindowExposed(&widget));
    }

    void add(ModelsPanel& panel, const QString& path) {
        QSignalSpy scanned(library_.get(), &ModelLibrary::scanned);
        panel.addModelFolder(path);
        QVERIFY(scanned.wait());
        while (library_->isScanning()) {
            QVERIFY(scanned.wait());
        }
    }

    static QStringList rows(ModelsPanel& panel) {
        QStringList rows;
        auto* models = panel.findChild<QTreeWidget*>("models");
        for (int row = 0; row < models->topLevelItemCount(); ++row) {
            rows.push_back(models->topLevelItem(row)->text(0) + "|" +
                           models->topLevelItem(row)->text(1));
        }
        return rows;
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<Settings> settings_;
    std::unique_ptr<ModelLibrary> library_;
};

LOWTIDE_WINDOW_TEST(ModelsTest)

}  // namespace models_test

#include "models_test.moc"
