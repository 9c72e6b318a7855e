// Every view of the window and its dialogs, full of texts, at the sizes that screens have: nothing
// is cut off, and every control can be reached. A text size of 200 % leaves half of a screen.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/panels/recorded.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/edits.hpp"
#include "ui/editors/styles_dialog.hpp"
#include "ui/painting/kept_image.hpp"
#include "ui/panels/convert_dialog.hpp"
#include "ui/panels/first_start.hpp"
#include "ui/panels/gallery.hpp"
#include "ui/panels/hash_search_dialog.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/missing_files_dialog.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/panels/preset_cards.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/panels/sheet_dialog.hpp"
#include "ui/studio/find_node.hpp"
#include "ui/studio/gallery_controller.hpp"
#include "ui/studio/keys_sheet.hpp"
#include "ui/studio/report_dialog.hpp"
#include "ui/studio/run_commands.hpp"
#include "ui/studio/settings_dialog.hpp"
#include "ui/studio/unused_images.hpp"

namespace looks_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kLaidOut = 1500;  ///< milliseconds until everything has its size, on a busy machine
/// Pixels of a screen's height that a desktop keeps for itself, and a window's frame.
constexpr int kTaken = 32;

/// A screen in pixels of the program: a text size of 200 % leaves half of it.
const QSize kSmall(1024, 700);
const QSize kLarge(1440, 900);
const QSize kWidest(1920, 1080);

/// A window with runs, images, a mistake and styles.
struct Furnished : Working {
    Background planning;  ///< of a sheet

    Furnished() {
        model().apply("Values", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 8;
            document.nodes.at("encode").params["prompt"] =
                "a lighthouse above a stormy sea, oil on canvas, <lora:waves:0.8>";
        });
        work().prompts.styles().put(
            {.name = "Painterly", .prompt = "oil on canvas, {prompt}", .negative = "photo"});
        plugin.script().setAnswers(
            {{"issues",
              {{{"severity", "error"},
                {"code", "missing_file"},
                {"node", "load"},
                {"item", "checkpoint"},
                {"message", "the file sdxl_base_1.0.safetensors was not found in 3 folders"},
                {"hint", "choose another file, or add the folder in which it lies"}}}}},
            {{"issues", Json::array()}, {"plan", recorded("plan.json")}});
    }

    [[nodiscard]] MainWindowController& controller() { return *window->controller(); }

    /// The images of so many runs.
    QStringList paint(int runs) {
        QStringList paths;
        for (int run = 0; run < runs; ++run) {
            const QString path =
                folder.filePath(QString("out/lighthouse_%1.png").arg(run + 1, 5, 10, QChar('0')));
            QDir().mkpath(folder.filePath("out"));
            paths << path;
            model().apply("Seed", [run](graph::Document& document) {
                document.nodes.at("denoise").params["seed"] = 7 + run;
            });
            plugin.script().setScript(
                graph::toText(model().document()), [path, run](ScriptedRunner::Stage& stage) {
                    QImage image(192, 128, QImage::Format_RGB888);
                    for (int y = 0; y < image.height(); ++y) {
                        for (int x = 0; x < image.width(); ++x) {
                            image.setPixelColor(x, y, QColor(x, 2 * y, 80 * run % 256));
                        }
                    }
                    image.save(path);
                    stage.send({{"event", "nodeFinished"},
                                {"node", "save"},
                                {"files", {path.toStdString()}}});
                    Json end = recorded("report.json");
                    end.update({{"status", "ok"}, {"executed", 3}, {"ms", 12345.0}});
                    return end;
                });
            action("run.start").trigger();
            [&] { QTRY_VERIFY_WITH_TIMEOUT(!work().run.isBusy(), kPatience); }();
        }
        return paths;
    }

    void openImages() {
        const QStringList files = paint(3);
        QSignalSpy shown(&controller().widgets().viewer, &Viewer::shown);
        controller().widgets().viewer.showFiles(files, files.at(1));
        QVERIFY(shown.wait(kPatience));
        action("view.viewer").trigger();
    }

    void selectAndUnfold(const char* node) {
        action("view.inspector").trigger();
        controller().widgets().canvas.select({node});
        for (auto* fold : controller().widgets().inspector.findChildren<Fold*>()) {
            fold->setOpen(true);
        }
        QCoreApplication::processEvents();
        if (auto* own = controller().widgets().inspector.findChild<QToolButton*>("own")) {
            own->click();
        }
    }

    void sheet() {
        paint(1);
        answer("sheet", [](QDialog& dialog) {
            dialog.findChild<QWidget*>("x")->findChild<QLineEdit*>("numbers")->setText("4,8,12");
            dialog.findChild<QPushButton*>("run")->click();
        });
        action("run.sheet").trigger();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(!work().run.isBusy(), kPatience); }();
    }
};

using MakeDialog = std::function<std::unique_ptr<QWidget>(Furnished&)>;
using Arrange = std::function<void(Furnished&)>;

/// What the window shows.
const std::vector<std::pair<const char*, Arrange>>& views() {
    static const std::vector<std::pair<const char*, Arrange>> all = {
        {"graph",
         [](Furnished& studio) { studio.controller().widgets().canvas.select({"denoise"}); }},
        {"inspector", [](Furnished& studio) { studio.selectAndUnfold("denoise"); }},
        {"prompts", [](Furnished& studio) { studio.selectAndUnfold("encode"); }},
        {"presets", [](Furnished& studio) { studio.action("view.presets").trigger(); }},
        {"models", [](Furnished& studio) { studio.action("view.models").trigger(); }},
        {"generate", [](Furnished& studio) { studio.action("view.generate").trigger(); }},
        {"memory",
         [](Furnished& studio) {
             studio.paint(1);
             studio.action("view.memory").trigger();
         }},
        {"queue",
         [](Furnished& studio) {
             studio.paint(3);
             studio.action("view.queue").trigger();
         }},
        {"issues", [](Furnished& studio) { studio.action("view.issues").trigger(); }},
        {"log", [](Furnished& studio) { studio.action("view.log").trigger(); }},
        {"viewer", [](Furnished& studio) { studio.openImages(); }},
        {"mask",
         [](Furnished& studio) {
             studio.openImages();
             studio.action("view.paint_mask").trigger();
             QTRY_VERIFY_WITH_TIMEOUT(studio.controller().widgets().viewer.retouching().maskTool(),
                                      kPatience);
         }},
        {"crop",
         [](Furnished& studio) {
             studio.openImages();
             studio.action("view.crop").trigger();
             QTRY_VERIFY_WITH_TIMEOUT(studio.controller().widgets().viewer.retouching().frameTool(),
                                      kPatience);
             QTest::keyClick(
                 &studio.controller().widgets().viewer.view(), Qt::Key_Right, Qt::ShiftModifier);
         }},
        {"gallery",
         [](Furnished& studio) {
             const QStringList files = studio.paint(3);
             studio.action("view.gallery").trigger();
             QTRY_VERIFY_WITH_TIMEOUT(studio.controller().widgets().gallery->files().size() >= 3,
                                      kPatience);
             studio.controller().widgets().gallery->select(files.front());
         }},
        {"sheet", [](Furnished& studio) { studio.sheet(); }},
    };
    return all;
}

const std::vector<std::pair<const char*, MakeDialog>>& dialogs() {
    static const std::vector<std::pair<const char*, MakeDialog>> all = {
        {"keys",
         [](Furnished& studio) { return std::make_unique<KeysSheet>(studio.window->actions()); }},
        {"settings",
         [](Furnished& studio) {
             return std::make_unique<SettingsDialog>(
                 studio.settings, std::vector<std::string>{"cpu"}, "/pictures");
         }},
        {"several",
         [](Furnished& studio) {
             auto dialog = std::make_unique<SeveralDialog>(studio.model().document(),
                                                           studio.model().catalog(),
                                                           studio.work().prompts.wildcards(),
                                                           nullptr);
             dialog->findChild<QComboBox*>("prompts")->setCurrentIndex(1);
             return dialog;
         }},
        {"sheet_dialog",
         [](Furnished& studio) {
             auto dialog = std::make_unique<SheetDialog>(studio.model().document(),
                                                         studio.model().catalog(),
                                                         nullptr,
                                                         studio.plugin.script(),
                                                         studio.planning,
                                                         Json::object(),
                                                         nullptr);
             dialog->findChild<QWidget*>("x")->findChild<QLineEdit*>("numbers")->setText("4,8");
             return dialog;
         }},
        {"differences",
         [](Furnished& studio) {
             graph::Document then = studio.model().document();
             then.nodes.at("denoise").params["steps"] = 30;
             then.nodes.at("encode").params["prompt"] = "a lighthouse at night";
             return std::make_unique<DifferencesDialog>("run 12", then, studio.model(), nullptr);
         }},
        {"report",
         [](Furnished& studio) {
             auto dialog =
                 std::make_unique<ReportDialog>(reportFacts(studio.work()), Redactor::Known{});
             [&] {
                 QTRY_VERIFY_WITH_TIMEOUT(
                     dialog->findChild<QPushButton*>("saveReport")->isEnabled(), kPatience);
             }();
             return dialog;
         }},
        {"styles",
         [](Furnished& studio) {
             auto dialog = std::make_unique<StylesDialog>(studio.work().prompts.styles(), nullptr);
             dialog->findChild<QListWidget*>()->setCurrentRow(0);
             return dialog;
         }},
        {"preset_dialog",
         [](Furnished&) {
             return std::make_unique<PresetDialog>(
                 PresetText{.title = "Lighthouse", .description = "Above the sea", .tags = {"sea"}},
                 QImage(64, 64, QImage::Format_RGB888));
         }},
        {"first_start",
         [](Furnished& studio) {
             return std::make_unique<FirstStart>(
                 studio.settings,
                 studio.work().presets,
                 foundDevice(Json::parse(
                     R"([{"id": "cuda:0", "name": "NVIDIA GeForce RTX 4060 Laptop GPU", "kind": "cuda", "capacity": 8589934592, "free": 8000000000}])")));
         }},
        {"convert",
         [](Furnished& studio) {
             studio.plugin.canConvert = true;
             studio.plugin.converter.setChoices(
                 Status::Ok, ScriptedConverter::choicesOf("/models/dream.safetensors"));
             auto dialog = std::make_unique<ConvertDialog>(
                 studio.work().conversion, "dream.safetensors", studio.folder.path());
             [&] {
                 QTRY_VERIFY_WITH_TIMEOUT(dialog->findChild<QRadioButton*>("q4_k"), kPatience);
             }();
             return dialog;
         }},
        {"missing_files",
         [](Furnished&) {
             auto dialog = std::make_unique<MissingFilesDialog>();
             dialog->setFiles(
                 {{.value = "checkpoints/sd_xl_base_1.0.safetensors",
                   .what = "checkpoint, SDXL, for Load checkpoint",
                   .fitting = {{"juggernaut.safetensors",
                                "checkpoints/juggernaut.safetensors",
                                "SDXL",
                                true}},
                   .isSearchable = true},
                  {.value = "loras/a_name_that_is_longer_than_any_row_of_this_dialog_can_show_"
                            "and_goes_on.safetensors",
                   .what = "LoRA, SDXL, for Load LoRA",
                   .fitting = {},
                   .isSearchable = false}});
             return dialog;
         }},
        {"hash_search",
         [](Furnished& studio) {
             FoundModel large{.relative = "checkpoints/dream_turbo_v2.safetensors"};
             large.identity.size = 6'938'040'000;
             return std::make_unique<HashSearchDialog>(
                 studio.work().shelf,
                 WantedModel{
                     .value = "dream.safetensors", .digits = "31e35c80fc", .unread = {large}});
         }},
        {"unused",
         [](Furnished& studio) {
             const QString folder = studio.folder.filePath("lighthouse.files");
             for (int i = 1; i <= 3; ++i) {
                 QImage mask(64 * i, 64, QImage::Format_Grayscale8);
                 mask.fill(i);
                 static_cast<void>(keepImage(folder, i < 3 ? "mask" : "extended", mask));
             }
             return std::make_unique<UnusedDialog>(
                 keptImagesIn(folder), "lighthouse.json", nullptr);
         }},
        {"find_node", [](Furnished& studio) { return std::make_unique<FindNode>(studio.model()); }},
    };
    return all;
}

/// Nothing is wrong within some time; else what is. Half of a small screen may make panels so
/// narrow that they scroll sideways.
QStringList problemsIn(const QWidget& widget, QSize screen) {
    QStringList problems;
    static_cast<void>(QTest::qWaitFor(
        [&] {
            problems = test::textProblems(widget) + test::controlProblems(widget);
            if (screen.width() < kSmall.width()) {
                problems.removeIf(
                    [](const QString& each) { return each.contains("scrolls sideways"); });
            }
            return problems.isEmpty();
        },
        kLaidOut));
    return problems;
}

/// Every widget has the colours when this returns.
void wear(Furnished& studio, const QString& scheme, const QWidget& widget) {
    studio.appearance.use(scheme);
    [&] {
        QTRY_COMPARE_WITH_TIMEOUT(widget.palette().color(QPalette::Window),
                                  Theme::current().colour("surface"),
                                  kPatience);
    }();
    QCoreApplication::processEvents();
}

/// What is wrong with it on each screen in each scheme. `fitTo` gives it its size where that much
/// is available.
QStringList problemsOf(const char* name,
                       Furnished& studio,
                       QWidget& widget,
                       const std::function<void(QSize)>& fitTo) {
    QList<QSize> screens = {kSmall, kWidest / 2};
    if (test::keepsScreenshots()) {
        screens << kLarge << kLarge / 2 << kWidest;  // to be looked at
    }
    QStringList problems;
    for (const QSize screen : screens) {
        const QString look = QString("%1_%2x%3").arg(name).arg(screen.width()).arg(screen.height());
        const QSize available = screen - QSize(0, kTaken);
        fitTo(available);
        for (const QString& scheme : test::lookedAtSchemes()) {
            wear(studio, scheme, widget);
            QStringList here = problemsIn(widget, screen);
            const bool isLarger = widget.size().boundedTo(available) != widget.size();
            if (screen.width() >= kWidest.width() / 2 && isLarger) {
                here << QString("it takes %1 x %2").arg(widget.width()).arg(widget.height());
            }
            for (const QString& problem : here) {
                problems << look + ": " + problem;
            }
            test::keepScreenshot(widget, look + '_' + scheme + '_' + test::spokenLanguage());
        }
    }
    problems.removeDuplicates();
    return problems;
}

}  // namespace

class LooksTest : public test::StrictTest {
    Q_OBJECT

private:
    template <class Named>
    static void addRows(const Named& all) {
        QTest::addColumn<int>("index");
        for (size_t index = 0; index < all.size(); ++index) {
            QTest::newRow(all[index].first) << int(index);
        }
    }

    std::optional<Furnished> behind_;  ///< the window of the dialogs

private Q_SLOTS:

    void everyViewFits_data() { addRows(views()); }

    void everyViewFits() {
        QFETCH(int, index);
        const auto& [name, arrange] = views().at(size_t(index));
        Furnished studio;
        studio.appearance.use("light");
        QWidget& window = *studio.window;
        window.resize(kSmall - QSize(0, kTaken));
        arrange(studio);
        if (QTest::currentTestFailed()) {
            return;
        }

        const QStringList problems =
            problemsOf(name, studio, window, [&](QSize available) { window.resize(available); });

        QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
    }

    void everyPanelIsReached_onASmallScreenThatIsScaled_data() {
        testing::addTable<double>({"scale"}, {{"1.5", 1.5}, {"2", 2.0}});
    }

    void everyPanelIsReached_onASmallScreenThatIsScaled() {
        QFETCH(double, scale);
        const QSize screen = kSmall / scale;
        Furnished studio;
        QStringList problems;
        for (const char* view : {"view.presets",
                                 "view.models",
                                 "view.inspector",
                                 "view.generate",
                                 "view.memory",
                                 "view.queue",
                                 "view.issues",
                                 "view.log"}) {
            studio.action(view).trigger();
            studio.window->resize(screen);
            for (const QString& problem : problemsIn(*studio.window, screen)) {
                problems << QString(view) + ": " + problem;
            }
        }

        QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
    }

    void panelsAreWholeAgain_whenTheWindowWasNarrow() {
        Furnished studio;
        QWidget& window = *studio.window;
        for (const char* view : {"view.presets", "view.inspector", "view.models"}) {
            studio.action(view).trigger();
            window.resize(kSmall / 2);
            QCoreApplication::processEvents();
            window.resize(kLarge - QSize(0, kTaken));

            const QStringList problems = problemsIn(window, kLarge);

            QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
        }
    }

    /// A pixmap of an icon is no icon: it has the colour of the moment.
    void iconsOfEmptyStatesTakeTheOtherColours() {
        Furnished studio;
        studio.appearance.use("light");
        auto* icon = studio.window->findChild<QLabel*>("emptyIcon");
        QVERIFY(icon);
        const QImage light = icon->pixmap(Qt::ReturnByValue).toImage();
        studio.appearance.use("dark");
        QTRY_VERIFY(icon->pixmap(Qt::ReturnByValue).toImage() != light);
    }

    void everyDialogFits_data() {
        addRows(dialogs());
        behind_.emplace();
    }

    void everyDialogFits() {
        QFETCH(int, index);
        const auto& [name, make] = dialogs().at(size_t(index));
        const std::unique_ptr<QWidget> dialog = make(*behind_);
        // The screen of this test may be another one than the dialog was made for.
        const bool hasSize = dialog->testAttribute(Qt::WA_Resized);
        const QSize own = hasSize ? dialog->size() : QSize();
        dialog->show();

        const QStringList problems = problemsOf(name, *behind_, *dialog, [&](QSize available) {
            dialog->resize(own.expandedTo(dialog->sizeHint()).boundedTo(available));
        });

        QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
    }

    void cleanupTestCase() { behind_.reset(); }
};

LOWTIDE_WINDOW_TEST(LooksTest)

}  // namespace looks_test

#include "looks_test.moc"
