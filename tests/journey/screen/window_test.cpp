// What belongs to the whole window: language, colours, size of texts, log and report. With the
// pointer, then with keys alone.
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/screen/real_studio.hpp"

#include <QGuiApplication>
#include <QtTest/QtTest>

#include <algorithm>

namespace window_test {

using namespace lowtide::testing;

using Role = AtSpi::Role;

namespace {

constexpr double kSteps = 7;
constexpr int kAnotherFont = 20;  ///< pixels by which bars of another language may be higher

}  // namespace

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// With a change that is not saved.
    void initTestCase() {
        studio_.emplace();
        studio_->start(studio_->copyGraph("examples/graphs/text_to_image.json", 2));
        studio_->click(
            studio_->shown(studio_->shown(Role::List, "Graph"), Role::ListItem, "Denoise"));
        studio_->shown(Role::Label, "Steps");
        studio_->press({"alt+5"});
        studio_->goTo(Role::SpinButton, "Steps");
        studio_->press({"Return", "ctrl+a"});
        studio_->type("7");
        studio_->press({"Return"});
        QTRY_VERIFY(hasSteps(kSteps));
    }

    void theLanguageChangesAndTheGraphRemains() {
        const auto heightOf = [this](const QString& canvas) {
            return studio_->reader().rect(studio_->shown(Role::List, canvas)).height();
        };
        const int height = heightOf("Graph");
        studio_->clickMenu({"View", "Language", "简体中文"});
        studio_->shown(Role::PageTab, "图库");
        QTRY_VERIFY(std::abs(heightOf("工作流") - height) < kAnotherFont);
        QVERIFY(hasSteps(kSteps));
        QCOMPARE(studio_->setting("language").toString(), QString("zh_CN"));
        studio_->keep("chinese");
        studio_->press({"alt+v"});
        studio_->goTo(Role::MenuItem, "语言", "Down");
        studio_->press({"Right"});
        studio_->goTo(Role::MenuItem, "English", "Down");
        studio_->press({"Return"});
        studio_->shown(Role::PageTab, "Gallery");
        QTRY_COMPARE(heightOf("Graph"), height);
        QVERIFY(hasSteps(kSteps));
        QCOMPARE(studio_->setting("language").toString(), QString("en"));
        studio_->press({"ctrl+z"});
        QTRY_VERIFY(hasSteps(2) && !hasSteps(kSteps));
        studio_->press({"ctrl+shift+z"});
        QTRY_VERIFY(hasSteps(kSteps));
    }

    /// Next to the menus. Qt reports no tree of it; Tab comes to it.
    void theLanguageChangesByItsButton() {
        studio_->press({"alt+1", "ctrl+F6"});
        studio_->click(studio_->goTo(Role::PushButton, "English"));
        studio_->clickEntry("简体中文");
        studio_->shown(Role::PageTab, "图库");
        studio_->press({"alt+1", "ctrl+F6"});
        studio_->goTo(Role::PushButton, "简体中文");
        studio_->press({"space"});
        studio_->goTo(Role::MenuItem, "English", "Down");
        studio_->press({"Return"});
        studio_->shown(Role::PageTab, "Gallery");
        QCOMPARE(studio_->setting("language").toString(), QString("en"));
        QVERIFY(hasSteps(kSteps));
    }

    void coloursChange() {
        studio_->clickMenu({"View", "Appearance", "Dark"});
        QTRY_COMPARE(studio_->setting("theme").toString(), QString("dark"));
        studio_->keep("dark");
        studio_->press({"ctrl+comma"});
        studio_->goTo(Role::ComboBox, "Appearance");
        studio_->press({"Home", "Down"});
        QTRY_COMPARE(studio_->setting("theme").toString(), QString("light"));
        studio_->keep("settings");
        studio_->press({"Escape"});
        studio_->waitGone(Role::Dialog, "Settings");
    }

    void everythingThatTakesKeysHasAName_data() {
        addRows("keys",
                {"alt+1",
                 "alt+2",
                 "alt+3",
                 "alt+4",
                 "alt+5",
                 "alt+6",
                 "alt+7",
                 "alt+8",
                 "alt+9",
                 "alt+0",
                 "alt+x",
                 "ctrl+shift+j",
                 "ctrl+comma",
                 "ctrl+slash",
                 "ctrl+shift+r",
                 "ctrl+shift+x",
                 "ctrl+alt+s"});
    }

    /// Whoever goes there by Tab hears of it.
    void everythingThatTakesKeysHasAName() {
        QFETCH(QString, keys);
        studio_->press({keys});
        const bool isDialog = keys.startsWith("ctrl+") && keys != "ctrl+shift+j";
        studio_->waitUntil(keys, [&] { return studio_->isShown(Role::Dialog, {}) == isDialog; });
        QStringList nameless;
        for (const AtSpi::Object& each : studio_->reader().takingKeys(studio_->program())) {
            if (studio_->reader().name(each).isEmpty()) {
                nameless << QString("%1 “%2”")
                                .arg(static_cast<int>(studio_->reader().role(each)))
                                .arg(studio_->reader().description(each));
            }
        }
        studio_->press({"Escape"});
        studio_->waitGone(Role::Dialog, {});
        QCOMPARE(nameless.join("; "), QString());
    }

    /// Once around the window, but for the canvas, where Tab adds a node.
    void everyStopOfTabHasAName() {
        studio_->press({"alt+1", "ctrl+F6"});
        QStringList visited;
        while (visited.size() < 80 && (visited.isEmpty() || studio_->focusedName() != "Graph")) {
            const size_t before = studio_->reader().focusMoves();
            studio_->press({"Tab"});
            QTRY_VERIFY(studio_->reader().focusMoves() > before);
            visited << studio_->focusedName();
            QVERIFY2(!visited.back().isEmpty(), qPrintable(visited.join(" | ")));
        }
        QVERIFY(visited.size() > 20);
        QVERIFY(visited.contains("English"));  // the languages, above
    }

    void theLogIsRead() {
        const auto rows = [this] {
            return studio_->reader()
                .allSeen(studio_->shown(Role::List, "Log"), Role::ListItem)
                .size();
        };
        studio_->click(Role::PageTab, "Memory");
        studio_->click(Role::PageTab, "Log");
        studio_->shown(studio_->shown(Role::List, "Log"), Role::ListItem, "info, studio");
        studio_->press({"alt+7", "ctrl+shift+j"});
        studio_->goTo(Role::Text, "Search the log", "shift+Tab");
        studio_->type("no such line");
        studio_->waitGone(Role::List, "Log");
        studio_->press({"ctrl+a"});
        studio_->type("the engine runs");
        QTRY_COMPARE(rows(), size_t{1});
        studio_->keep("log");
    }

    void aReportHasNothingOfTheUser() {
        studio_->clickMenu({"Help", "Report a problem"});
        checkReport();
        studio_->keep("report");
        studio_->click(Role::PushButton, "Close");
        studio_->waitGone(Role::Dialog, "Report a problem");
        studio_->press({"alt+h", "r"});
        checkReport();
        studio_->press({"Escape"});
        studio_->waitGone(Role::Dialog, "Report a problem");
    }

    /// At the next start. Qt 6.4 reports AT-SPI positions without the scale, so the window is
    /// measured.
    void textsGrow() {
        const QSize before = studio_->screen().uppermostSize();
        studio_->clickMenu({"Edit", "Settings"});
        studio_->shown(Role::Dialog, "Settings");
        studio_->choose("Size of texts and controls", "125 %");
        QTRY_COMPARE(studio_->setting("scale").toString(), QString("125"));
        studio_->press({"Escape"});
        studio_->waitGone(Role::Dialog, "Settings");
        restart();
        QCOMPARE(studio_->screen().uppermostSize(), before * 1.25);
        studio_->keep("large");
        studio_->press({"ctrl+comma"});
        studio_->goTo(Role::ComboBox, "Size of texts and controls");
        studio_->press({"Up"});
        QTRY_COMPARE(studio_->setting("scale").toString(), QString("100"));
        studio_->press({"Escape"});
        studio_->waitGone(Role::Dialog, "Settings");
        restart();
        QCOMPARE(studio_->screen().uppermostSize(), before);
    }

    void cleanupTestCase() { studio_.reset(); }

private:
    [[nodiscard]] bool hasSteps(double steps);

    void checkReport() {
        const AtSpi::Object dialog = studio_->shown(Role::Dialog, "Report a problem");
        const AtSpi::Object text = studio_->shown(dialog, Role::Text, "Exactly this is saved");
        QTRY_VERIFY(studio_->reader().text(text).size() > 1000);
        const QString message = studio_->reader().text(text);
        QVERIFY(message.contains("\"steps\": 7"));
        for (const QString& secret : {studio_->path({}),
                                      QDir::homePath(),
                                      QDir::tempPath() + '/',
                                      QSysInfo::machineHostName(),
                                      QString("graph.json"),
                                      QString("cat face")}) {
            QVERIFY2(!message.contains(secret), qPrintable(secret));
        }
    }

    /// What was changed and not saved is left behind.
    void restart() {
        if (hasSteps(kSteps)) {
            studio_->press({"ctrl+w"});
            studio_->goTo(Role::PushButton, "Throw away");
            studio_->press({"space"});
            studio_->waitGone(Role::PushButton, "Throw away");
        }
        studio_->press({"ctrl+q"});
        studio_->waitForEnd();
        studio_->start(studio_->path("graph.json"));
    }

    std::optional<RealStudio> studio_;
};

/// Whatever the language calls them.
bool WindowTest::hasSteps(double steps) {
    const std::vector<AtSpi::Object> numbers =
        studio_->reader().allSeen(studio_->program(), Role::SpinButton);
    return std::any_of(numbers.begin(), numbers.end(), [&](const AtSpi::Object& number) {
        return studio_->reader().value(number) == steps;
    });
}

LOWTIDE_SCREEN_TEST(WindowTest)

}  // namespace window_test

#include "window_test.moc"
