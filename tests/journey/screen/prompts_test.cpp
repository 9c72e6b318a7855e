// Prompts are written: completed, weighted, with a style. With the pointer, then with keys alone.
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/screen/real_studio.hpp"

#include <QGuiApplication>
#include <QtTest/QtTest>

namespace prompts_test {

using namespace lowtide::testing;

using Role = AtSpi::Role;

class PromptsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// A wildcard has a word to complete.
    void initTestCase() {
        studio_.emplace();
        writeFile(studio_->path("wildcards/colour.txt"), "red\nblue\n");
        studio_->start(studio_->copyGraph("examples/graphs/text_to_image.json", 2));
    }

    void aWordIsCompletedByKeys() {
        goToPrompt();
        retype("a col");
        studio_->waitHeard("1 of 1");
        studio_->keep("completion");
        studio_->press({"Return"});
        studio_->type(" cat");
        studio_->press({"alt+1"});
        QTRY_COMPARE(prompt(), QString("a __colour__ cat"));
    }

    void aWordIsCompletedByMouse() {
        clickPrompt();
        retype("one col");
        const AtSpi::Object list = studio_->shown(Role::List, "Completions");
        studio_->click(studio_->shown(list, Role::ListItem, "colour"));
        studio_->waitGone(Role::List, "Completions");
        studio_->type(" dog");
        studio_->click(Role::PageTab, "Graph");
        studio_->click(Role::List, "Graph");
        QTRY_COMPARE(prompt(), QString("one __colour__ dog"));
    }

    /// Of the word at the cursor, where brackets have a meaning.
    void wordsGetWeight() {
        goToPrompt();
        retype("a red fox");
        studio_->press({"ctrl+Up"});
        studio_->waitHeard("Brackets are text here");
        studio_->click(
            studio_->shown(studio_->shown(Role::List, "Graph"), Role::ListItem, "Encode prompt"));
        studio_->click(Role::PageTab, "Inspector");
        studio_->choose("Weights", "A1111");
        goToPrompt();
        studio_->press({"ctrl+End"});
        studio_->press({"ctrl+Up", "ctrl+Up"});
        QTRY_COMPARE(prompt(), QString("a red (fox:1.1)"));
        studio_->press({"ctrl+Down", "ctrl+Down"});
        QTRY_COMPARE(prompt(), QString("a red fox"));
    }

    void aStyleIsKeptByKeys() {
        goToPrompt();
        retype("{prompt}, in oil");
        studio_->press({"ctrl+shift+l"});
        studio_->waitHeard("Save these texts as a style");
        studio_->press({"Return"});
        studio_->shown(Role::Dialog, "Name of the style");
        studio_->type("Oil");
        studio_->press({"Return"});
        studio_->waitGone(Role::Dialog, "Name of the style");
        studio_->waitUntil("the file of styles",
                           [this] { return QFile::exists(studio_->path("styles.json")); });
        goToPrompt();
        retype("a cat");
        studio_->press({"ctrl+shift+l"});
        studio_->waitHeard("Oil");
        studio_->press({"Return"});
        QTRY_COMPARE(prompt(), QString("a cat, in oil"));
    }

    void aStyleIsAppliedByMouse() {
        clickPrompt();
        retype("a dog");
        clickInList("Styles", "Oil");
        QTRY_COMPARE(prompt(), QString("a dog, in oil"));
    }

    void aStyleIsKeptByMouse() {
        clickPrompt();
        retype("{prompt}, in chalk");
        clickInList("Styles", "Save these texts");
        studio_->shown(Role::Dialog, "Name of the style");
        studio_->type("Chalk");
        studio_->click(studio_->shown(Role::Dialog, "Name of the style"), Role::PushButton, "Save");
        studio_->waitGone(Role::Dialog, "Name of the style");
        clickPrompt();
        retype("a dog");
        clickInList("Styles", "Oil");
        QTRY_COMPARE(prompt(), QString("a dog, in oil"));
        clickInList("Styles", "Chalk");
        QTRY_COMPARE(prompt(), QString("a dog, in oil, in chalk"));
    }

    /// Of a run.
    void anEarlierPromptIsTakenByKeys() {
        studio_->press({"ctrl+Return"});
        studio_->waitHeard("finished in", RealStudio::kRunPatience);
        goToPrompt();
        retype("something else");
        studio_->press({"ctrl+h"});
        studio_->waitHeard("a dog, in oil, in chalk");
        studio_->press({"Return"});
        QTRY_COMPARE(prompt(), QString("a dog, in oil, in chalk"));
    }

    void anEarlierPromptIsTakenByMouse() {
        clickPrompt();
        retype("something else");
        clickInList("Earlier", "a dog");
        QTRY_COMPARE(prompt(), QString("a dog, in oil, in chalk"));
    }

    void cleanupTestCase() { studio_.reset(); }

private:
    [[nodiscard]] QString prompt();

    void goToPrompt() {
        studio_->press({"alt+6"});
        studio_->goTo(Role::Text, "Prompt");
    }

    void clickPrompt() {
        studio_->click(Role::PageTab, "Generate");
        studio_->click(studio_->shown(Role::Frame, "Generate"), Role::Text, "Prompt");
    }

    void retype(const QString& text);

    void clickInList(const QString& button, const QString& entry);

    std::optional<RealStudio> studio_;
};

/// As the canvas has it: what is typed counts once the field is left.
QString PromptsTest::prompt() {
    const AtSpi::Object node =
        studio_->shown(studio_->shown(Role::List, "Graph"), Role::ListItem, "Encode prompt");
    return studio_->reader().text(studio_->shown(node, Role::Text, "Prompt"));
}

void PromptsTest::retype(const QString& text) {
    studio_->press({"ctrl+a"});
    studio_->type(text);
}

/// Of a button below the prompt.
void PromptsTest::clickInList(const QString& button, const QString& entry) {
    studio_->click(studio_->shown(Role::Frame, "Generate"), Role::PushButton, button);
    studio_->clickEntry(entry);
}

LOWTIDE_SCREEN_TEST(PromptsTest)

}  // namespace prompts_test

#include "prompts_test.moc"
