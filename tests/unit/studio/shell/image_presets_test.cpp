// The menu of presets that begin with an image, while a slow disk is asked for their files.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/studio/preset_commands.hpp"

#include <future>

namespace image_presets_test {

using namespace lowtide;
using namespace lowtide::ui;

class ImagePresetsTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void itStatesThatItIsFilled_andFillsWhileItIsOpen() {
        const QTemporaryDir folder;
        const graph::Catalog catalog(smallNodes());
        PresetStore store(catalog, folder.filePath("builtin"), folder.filePath("presets"));
        graph::Document document = defaultGraph();
        document.nodes["image"] = {.type = "load.image", .params = {{"image", "in.png"}}};
        document.exposed = {{.node = "image", .param = "image", .label = "Image"}};
        static_cast<void>(
            store.save({.title = "Enlarge", .description = {}, .tags = {}}, document, {}, {}));
        std::promise<void> disk;
        ImagePresets menu(
            store, catalog, [] { return QString("a.png"); }, nullptr);
        store.setIsThere([answers = disk.get_future().share()](const auto&, const auto&) {
            answers.wait();
            return false;
        });

        menu.popup({10, 10});
        QTRY_VERIFY(menu.isVisible());
        QCOMPARE(textsOf(menu), (QStringList{"Enlarge", "Looking for the files of presets…"}));
        test::keepScreenshot(menu, "presets_looking");
        disk.set_value();

        QTRY_COMPARE_WITH_TIMEOUT(textsOf(menu), QStringList{"Enlarge"}, kPatience);
        QVERIFY(menu.isVisible());
        QVERIFY(menu.actions().last()->toolTip().contains("not there"));
    }

private:
    static QStringList textsOf(const QMenu& menu) {
        QStringList texts;
        for (const QAction* action : menu.actions()) {
            if (!action->isSeparator()) {
                texts << action->text();
            }
        }
        return texts;
    }
};

LOWTIDE_WINDOW_TEST(ImagePresetsTest)

}  // namespace image_presets_test

#include "image_presets_test.moc"
