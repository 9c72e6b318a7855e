// The images of earlier runs, each thing once with the pointer and once with keys alone.
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/screen/real_studio.hpp"

#include <QGuiApplication>
#include <QtTest/QtTest>

namespace gallery_test {

using namespace lowtide::testing;

using Role = AtSpi::Role;
using Button = Screen::Button;

class GalleryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        studio_.emplace();
        studio_->start(studio_->copyGraph("examples/graphs/text_to_image.json", 2));
    }

    /// Every run draws a seed.
    void imagesAreMade() {
        studio_->click(Role::PushButton, "Run");
        studio_->waitHeard("finished in", RealStudio::kRunPatience);
        aSingleImageIsReachedByKeys();
        studio_->press({"ctrl+Return"});
        studio_->waitHeard("finished in", RealStudio::kRunPatience);
        studio_->clickMenu({"Run", "Run"});
        studio_->waitHeard("finished in", RealStudio::kRunPatience);
        QCOMPARE(studio_->images().size(), 3);
        const QStringList seeds = studio_->kept("SELECT DISTINCT seed FROM runs");
        QCOMPARE(seeds.size(), 3);
    }

    void itOpens() {
        openByMouse();
        QVERIFY(!image("lowtide_00001.png").path.isEmpty());
        studio_->click(Role::PageTab, "Graph");
        openByKeys();
        QVERIFY(!image("lowtide_00003.png").path.isEmpty());
        studio_->keep("gallery");
    }

    void aStarIsGiven() {
        chooseInMenu("lowtide_00001.png", "Star");
        QTRY_COMPARE(starred(), QStringList("lowtide_00001.png"));
        QTRY_VERIFY(studio_->reader().name(image("lowtide_00001.png")).endsWith(", starred"));
        selectByKeys("lowtide_00003.png");
        studio_->press({"s"});
        QTRY_COMPARE(starred(), (QStringList{"lowtide_00001.png", "lowtide_00003.png"}));
    }

    void itIsSearched() {
        studio_->click(Role::CheckBox, "Only starred images");
        studio_->waitGone(Role::ListItem, "lowtide_00002.png");
        studio_->click(Role::CheckBox, "Only starred images");
        openByKeys();
        studio_->type("00002");
        studio_->waitGone(Role::ListItem, "lowtide_00001.png");
        studio_->waitGone(Role::ListItem, "lowtide_00003.png");
        studio_->press({"ctrl+a", "Delete"});
        QVERIFY(!image("lowtide_00001.png").path.isEmpty());
    }

    /// No image is of yesterday.
    void itIsFiltered() {
        openByMouse();
        studio_->choose("When it was made", "Yesterday");
        studio_->waitGone(Role::ListItem, "lowtide_00001.png");
        studio_->choose("When it was made", "At any time");
        QVERIFY(!image("lowtide_00001.png").path.isEmpty());
        openByKeys();
        studio_->goTo(Role::ComboBox, "When it was made");
        studio_->press({"Down", "Down"});
        studio_->waitGone(Role::ListItem, "lowtide_00001.png");
        studio_->press({"Home"});
        QVERIFY(!image("lowtide_00001.png").path.isEmpty());
        studio_->goTo(Role::CheckBox, "Only starred images");
        studio_->press({"space"});
        studio_->waitGone(Role::ListItem, "lowtide_00002.png");
        studio_->press({"space"});
        QVERIFY(!image("lowtide_00002.png").path.isEmpty());
    }

    void imagesAreSteppedThrough() {
        studio_->clickOften(image("lowtide_00003.png"));
        studio_->shown(Role::Image, "Image lowtide_00003.png");
        studio_->click(Role::PushButton, "Next image");
        studio_->shown(Role::Image, "Image lowtide_00002.png");
        studio_->click(Role::PushButton, "Previous image");
        studio_->shown(Role::Image, "Image lowtide_00003.png");
        selectByKeys("lowtide_00002.png");
        studio_->press({"Return"});
        studio_->waitFocused(Role::Image, "Image lowtide_00002.png");
        studio_->press({"Next"});
        studio_->shown(Role::Image, "Image lowtide_00001.png");
        studio_->press({"Prior", "Prior"});
        studio_->shown(Role::Image, "Image lowtide_00003.png");
        studio_->keep("viewer");
    }

    /// The older one is left of the line.
    void twoAreCompared() {
        const auto isCompared = [this](const QString& name) {
            return [this, name] {
                const auto view = studio_->reader().seen(studio_->program(), Role::Image, name);
                return view && studio_->reader().description(*view).contains("two images");
            };
        };
        openByMouse();
        studio_->click(image("lowtide_00003.png"));
        studio_->screen().clickHolding("ctrl",
                                       studio_->reader().rect(image("lowtide_00002.png")).center());
        studio_->click(image("lowtide_00002.png"), Button::Right);
        studio_->clickEntry("Compare");
        studio_->waitUntil("two are compared", isCompared("Image lowtide_00002.png"));
        studio_->click(Role::CheckBox, "Keep this image");
        selectByKeys("lowtide_00002.png");
        studio_->press({"shift+Right", "c"});
        studio_->waitUntil("two are compared", isCompared("Image lowtide_00001.png"));
        studio_->keep("compared");
        studio_->press({"d"});
        studio_->waitUntil("their difference", [this] {
            const auto view = studio_->reader().seen(studio_->program(), Role::Image, "Image ");
            return view && studio_->reader().description(*view).contains("their difference");
        });
    }

    void aGraphIsUsed() {
        openByMouse();
        chooseInMenu("lowtide_00001.png", "Use this graph");
        QTRY_COMPARE(seedOfGraph(), seedOfFile("lowtide_00001.png"));
        selectByKeys("lowtide_00002.png");
        studio_->press({"g"});
        QTRY_COMPARE(seedOfGraph(), seedOfFile("lowtide_00002.png"));
    }

    void aSeedIsUsed() {
        openByMouse();
        chooseInMenu("lowtide_00003.png", "Use this seed");
        studio_->press({"alt+1"});
        QTRY_COMPARE(seedOfGraph(), seedOfFile("lowtide_00003.png"));
        selectByKeys("lowtide_00001.png");
        studio_->press({"e", "alt+1"});
        QTRY_COMPARE(seedOfGraph(), seedOfFile("lowtide_00001.png"));
    }

    void differencesAreShown() {
        openByMouse();
        chooseInMenu("lowtide_00003.png", "What differs");
        studio_->shown(Role::Dialog, {});
        studio_->keep("differences");
        studio_->press({"Escape"});
        studio_->waitGone(Role::Dialog, {});
        selectByKeys("lowtide_00002.png");
        studio_->press({"d"});
        studio_->shown(Role::Dialog, {});
        studio_->press({"Escape"});
        studio_->waitGone(Role::Dialog, {});
    }

    /// The second goes into the node of the first.
    void anImageBecomesAnInput() {
        const auto inputs = [this] {
            return studio_->reader()
                .allSeen(studio_->shown(Role::List, "Graph"), Role::ListItem, "Load image")
                .size();
        };
        openByMouse();
        chooseInMenu("lowtide_00003.png", "Use as input");
        studio_->click(Role::PageTab, "Graph");
        QTRY_COMPARE(inputs(), size_t{1});
        selectByKeys("lowtide_00002.png");
        studio_->press({"i", "alt+1"});
        QTRY_VERIFY(studio_->reader().announcements().filter("in place of").size() == 1);
        QCOMPARE(inputs(), size_t{1});
        studio_->press({"ctrl+z", "ctrl+z"});
        QTRY_COMPARE(inputs(), size_t{0});
    }

    void aFileIsRenamed() {
        openByMouse();
        chooseInMenu("lowtide_00001.png", "Rename");
        studio_->shown(Role::Dialog, "Rename");
        studio_->type("first");
        studio_->click(Role::PushButton, "OK");
        QTRY_VERIFY(studio_->images().contains("first.png"));
        studio_->waitGone(Role::Dialog, "Rename");
        QVERIFY(!image("first.png").path.isEmpty());
        selectByKeys("lowtide_00002.png");
        studio_->press({"F2"});
        studio_->shown(Role::Dialog, "Rename");
        studio_->type("second");
        studio_->press({"Return"});
        QTRY_COMPARE(studio_->images(),
                     (QStringList{"first.png", "lowtide_00003.png", "second.png"}));
        studio_->waitGone(Role::Dialog, "Rename");
    }

    void aFileIsThrownAway() {
        openByMouse();
        chooseInMenu("first.png", "Move to the wastebasket");
        QTRY_COMPARE(studio_->images(), (QStringList{"lowtide_00003.png", "second.png"}));
        selectByKeys("second.png");
        studio_->press({"Delete"});
        QTRY_COMPARE(studio_->images(), (QStringList{"lowtide_00003.png"}));
        studio_->waitGone(Role::ListItem, "second.png");
    }

    void cleanupTestCase() { studio_.reset(); }

private:
    void openByMouse() { studio_->click(Role::PageTab, "Gallery"); }

    void openByKeys() {
        studio_->press({"alt+0"});
        studio_->waitFocused(Role::Text, "Search images");
    }

    /// No key moves from row to row.
    void aSingleImageIsReachedByKeys() {
        openByKeys();
        QVERIFY(!image("lowtide_00001.png").path.isEmpty());
        studio_->goTo(Role::List, "Images");
        studio_->press({"Return"});
        studio_->waitFocused(Role::Image, "Image lowtide_00001.png");
        studio_->press({"alt+1"});
    }

    /// The image of that file in the gallery.

    [[nodiscard]] AtSpi::Object image(const QString& file);

    void selectByKeys(const QString& file);

    void chooseInMenu(const QString& file, const QString& entry);

    [[nodiscard]] QStringList starred() const;

    [[nodiscard]] double seedOfGraph();

    [[nodiscard]] double seedOfFile(const QString& file) const;
    void forgetChanges();

    std::optional<RealStudio> studio_;
};

AtSpi::Object GalleryTest::image(const QString& file) {
    return studio_->shown(studio_->shown(Role::List, "Images"), Role::ListItem, file);
}

void GalleryTest::selectByKeys(const QString& file) {
    openByKeys();
    studio_->goTo(Role::List, "Images");
    studio_->selectRow("Images", file, "Right");
}

void GalleryTest::chooseInMenu(const QString& file, const QString& entry) {
    studio_->click(image(file));
    studio_->click(image(file), Button::Right);
    studio_->clickEntry(entry);
}

QStringList GalleryTest::starred() const {
    QStringList names;
    for (const QString& path :
         studio_->kept("SELECT path FROM pictures WHERE starred ORDER BY path")) {
        names << QFileInfo(path).fileName();
    }
    return names;
}

double GalleryTest::seedOfGraph() {
    const AtSpi::Object canvas = studio_->shown(Role::List, "Graph");
    const AtSpi::Object denoise = studio_->shown(canvas, Role::ListItem, "Denoise");
    return studio_->reader().value(studio_->shown(denoise, Role::SpinButton, "Seed"));
}

double GalleryTest::seedOfFile(const QString& file) const {
    return studio_
        ->kept("SELECT seed FROM runs JOIN pictures ON run = key WHERE path LIKE '%/" + file + "'")
        .value(0)
        .toDouble();
}

LOWTIDE_SCREEN_TEST(GalleryTest)

}  // namespace gallery_test

#include "gallery_test.moc"
