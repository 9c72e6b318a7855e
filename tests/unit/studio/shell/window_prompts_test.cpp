// Writing prompts, by keys and mouse: tokens, words, styles, earlier prompts, alternatives.
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/editors/picker.hpp"
#include "ui/editors/prompt_editor.hpp"
#include "ui/panels/inspector_parts.hpp"
#include "ui/prompts/prompt_styles.hpp"
#include "ui/studio/notice_bar.hpp"
#include "ui/studio/run_commands.hpp"

namespace window_prompts_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

Json countsOf(const std::vector<int64_t>& chunks, int64_t cut, int64_t read) {
    const Json text = {{"parameter", "prompt"},
                       {"role", "text_encoder"},
                       {"encoder", "CLIP"},
                       {"chunks", chunks},
                       {"room", 75},
                       {"cut", cut},
                       {"read", read}};
    return {{"issues", Json::array()}, {"nodes", {{"encode", {{"texts", {text}}}}}}};
}

const Json kPlanned = {{"issues", Json::array()}, {"plan", Json::object()}};

/// A window with the prompt of the graph at hand.
struct Writing : Working {
    Writing() {
        QTRY_VERIFY_WITH_TIMEOUT(work().planning.planned().isFresh, kPatience);
        widgets().canvas.select({"encode"});
    }

    [[nodiscard]] PromptEditor& editor(const char* param = "prompt") {
        ParamEditor& found = widgets()
                                 .inspector.findChild<QWidget*>("inspectorParams")
                                 ->findChild<InspectorRow*>(param)
                                 ->editor();
        return dynamic_cast<PromptEditor&>(found);
    }

    [[nodiscard]] QPlainTextEdit& field(const char* param = "prompt") {
        return *editor(param).findChild<QPlainTextEdit*>("prompt");
    }

    [[nodiscard]] QListWidget& words() { return *field().findChild<QListWidget*>("completion"); }

    [[nodiscard]] QString tokens() { return editor().findChild<QLabel*>("tokens")->text(); }

    /// Clicks into the prompt and writes over what stands there.
    void write(const QString& text) {
        test::click(*field().viewport(), {12, 12});
        QVERIFY(field().hasFocus());
        test::press(Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(&field(), text);
    }

    [[nodiscard]] std::string promptOf(const char* param = "prompt") {
        return model().node("encode")->params.value(param, std::string());
    }

    void haveWildcard(const char* name, const QByteArray& lines) {
        testing::writeFile(folder.filePath(QStringLiteral("wildcards/%1.txt").arg(name)), lines);
        work().prompts.readWildcards();
        QTRY_VERIFY_WITH_TIMEOUT(work().prompts.wildcards()->lists.contains(name), kPatience);
    }

    /// As a user puts it into the folder: nobody is notified.
    void putWildcard(const char* name, const QByteArray& lines) {
        testing::writeFile(folder.filePath(QStringLiteral("wildcards/%1.txt").arg(name)), lines);
        QTRY_VERIFY_WITH_TIMEOUT(work().prompts.wildcards()->lists.contains(name), kPatience);
    }

    void haveStyle(const PromptStyle& style) {
        work().prompts.styles().put(style);
        QTRY_VERIFY_WITH_TIMEOUT(work().prompts.styles().find(QString::fromStdString(style.name)),
                                 kPatience);
    }

    [[nodiscard]] std::vector<std::string> promptsOfRuns(const char* param = "prompt") {
        work().run.finishAsked();
        std::vector<std::string> prompts;
        for (const QueuedRun& run : work().queue.runs()) {
            prompts.push_back(graph::parseDocument(run.graph).nodes.at("encode").params.value(
                param, std::string()));
        }
        return prompts;
    }

    /// The list that an action opened.
    [[nodiscard]] SearchList* openList() {
        SearchList* list = nullptr;
        static_cast<void>(QTest::qWaitFor(
            [&] {
                list = qobject_cast<SearchList*>(QApplication::activePopupWidget());
                return list != nullptr;
            },
            kPatience));
        return list;
    }

    /// Types into the search of an open list and takes what it finds.
    void choose(SearchList& list, const QString& text) {
        auto* search = list.findChild<QLineEdit*>("search");
        QTest::keyClicks(search, text);
        QTest::keyClick(search, Qt::Key_Return);
    }
};

/// Whether a position of the prompt is struck out.
bool isStruck(const QPlainTextEdit& field, int position) {
    const auto formats = field.document()->firstBlock().layout()->formats();
    return std::any_of(formats.begin(), formats.end(), [&](const QTextLayout::FormatRange& range) {
        return position >= range.start && position < range.start + range.length &&
               range.format.fontStrikeOut();
    });
}

QColor colourAt(const QPlainTextEdit& field, int position) {
    QColor colour;
    for (const auto& range : field.document()->firstBlock().layout()->formats()) {
        if (position >= range.start && position < range.start + range.length) {
            colour = range.format.foreground().color();
        }
    }
    return colour;
}

}  // namespace

/// In place of the desktop's file manager.
class UrlTaker : public QObject {
    Q_OBJECT

public:
    Q_INVOKABLE void take(const QUrl& url) { taken = url; }

    QUrl taken;
};

class WindowPromptsTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void whatMeansSomethingHasAColour() {
        Writing studio;
        studio.write("(cat:1.2) {a|b} [a|b] BREAK (");  // in a node without weights
        const Theme& theme = Theme::current();
        QCOMPARE(colourAt(studio.field(), 4), theme.colour("warning"));  // no weights here
        studio.write("{a|b} __gone__");
        QCOMPARE(colourAt(studio.field(), 0), theme.colour("syntax.choice"));
        QCOMPARE(colourAt(studio.field(), 8), theme.colour("warning"));
        studio.haveWildcard("gone", "x\ny");
        QCOMPARE(colourAt(studio.field(), 8), theme.colour("syntax.choice"));
    }

    void tokensAreCountedBelowThePrompt() {
        Writing studio;
        studio.plugin.script().setAnswers(countsOf({75, 12}, 0, -1), kPlanned);
        studio.write("a cat");
        QTRY_COMPARE_WITH_TIMEOUT(studio.tokens(), QString::fromUtf8("87 in 2 × 75"), kPatience);

        studio.plugin.script().setAnswers(countsOf({75}, 3, 5), kPlanned);
        studio.write("a cat on a mat");
        QTRY_COMPARE_WITH_TIMEOUT(studio.tokens(), QString("75 / 75, 3 cut"), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(isStruck(studio.field(), 6), kPatience);
        QVERIFY(!isStruck(studio.field(), 2));

        studio.model().apply("Wires", [](graph::Document& document) { document.links.clear(); });
        QTRY_COMPARE_WITH_TIMEOUT(studio.tokens(), QString("No checkpoint connected"), kPatience);
        QVERIFY(!isStruck(studio.field(), 6));
    }

    void aTemplateIsCountedAsItIsDrawn() {
        Writing studio;
        studio.plugin.script().setAnswers(countsOf({3}, 2, 1), kPlanned);
        studio.write("{red|blue} cat");
        QTRY_COMPARE_WITH_TIMEOUT(studio.tokens(), QString("drawn: 3 / 75, 2 cut"), kPatience);
        QVERIFY(!isStruck(studio.field(), 9));  // of another text
        const std::string asked = studio.plugin.script().askedGraphs().back();
        QVERIFY(asked.find("{red|blue}") == std::string::npos);
        QCOMPARE(studio.promptOf(), std::string("{red|blue} cat"));
    }

    void wordsAreOfferedAndTaken_data() {
        testing::addTable<int, QString, bool>(
            {"key", "prompt", "isOpen"},
            {{"Tab", int(Qt::Key_Tab), "a __hairdo__", false},
             {"Return", int(Qt::Key_Return), "a __hairdo__", false},
             {"Escape", int(Qt::Key_Escape), "a hai", false},
             {"Space", int(Qt::Key_Space), "a hai ", false}});
    }

    void wordsAreOfferedAndTaken() {
        QFETCH(int, key);
        QFETCH(QString, prompt);
        Writing studio;
        studio.haveWildcard("hairdo", "x\ny");
        studio.haveWildcard("animals", "x\ny");
        studio.write("a h");
        QVERIFY(!studio.words().isVisible());
        QTest::keyClicks(&studio.field(), "ai");
        QVERIFY(studio.words().isVisible());
        QCOMPARE(studio.words().count(), 1);
        QTest::keyClick(&studio.field(), static_cast<Qt::Key>(key));
        QVERIFY(!studio.words().isVisible());
        QCOMPARE(studio.promptOf(), prompt.toStdString());
        QVERIFY(studio.field().hasFocus());
    }

    void wordsAreTakenByMouseAndByArrow() {
        Writing studio;
        studio.haveWildcard("hat", "x");
        studio.haveWildcard("hair", "x");
        studio.write("ha");
        QCOMPARE(studio.words().count(), 2);
        QTest::keyClick(&studio.field(), Qt::Key_Down);
        QTest::keyClick(&studio.field(), Qt::Key_Tab);
        QCOMPARE(studio.promptOf(), std::string("__hat__"));
        studio.write("ha");
        const QRect row = studio.words().visualItemRect(studio.words().item(0));
        test::click(*studio.words().viewport(), row.center());
        QTRY_COMPARE_WITH_TIMEOUT(studio.promptOf(), std::string("__hair__"), kPatience);
        QVERIFY(studio.field().hasFocus());
    }

    void ownWordsComeFromEarlierRuns() {
        Writing studio;
        studio.work().queue.setPaused(true);
        studio.write("oil painting, lighthouse");
        studio.work().run.run(RunHow::Last);
        studio.work().prompts.readOwnWords();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.work().prompts.wordsFor("lighth", 5).empty() &&
                                     !studio.work().prompts.wordsFor("oil p", 5).empty(),
                                 kPatience);
        studio.write("an oil");
        QTest::keyClicks(&studio.field(), " p");
        QVERIFY(!studio.words().isVisible());  // "an oil p" is no phrase of before
        studio.write("x, oil p");
        QVERIFY(studio.words().isVisible());
        QTest::keyClick(&studio.field(), Qt::Key_Tab);
        QCOMPARE(studio.promptOf(), std::string("x, oil painting"));
    }

    void aStyleIsOneStepForBothTexts() {
        Writing studio;
        studio.haveStyle({"ink", "{prompt}, ink drawing", "photo"});
        studio.write("a cat");
        studio.action("prompt.styles").trigger();
        SearchList* list = studio.openList();
        QVERIFY(list);
        studio.choose(*list, "ink");
        QTRY_COMPARE_WITH_TIMEOUT(studio.promptOf(), std::string("a cat, ink drawing"), kPatience);
        QCOMPARE(studio.promptOf("negative"), std::string("photo"));
        QCOMPARE(studio.field().toPlainText(), QString("a cat, ink drawing"));
        studio.action("edit.undo").trigger();
        QCOMPARE(studio.promptOf(), std::string("a cat"));
        QCOMPARE(studio.promptOf("negative"), std::string());
    }

    void aStyleIsMadeRenamedAndDeleted() {
        Writing studio;
        studio.write("soft light");
        const StyleStore& styles = studio.work().prompts.styles();
        studio.action("prompt.styles").trigger();
        answer("styleName", [](QDialog& dialog) {
            dialog.findChild<QLineEdit*>("name")->setText(" soft ");
            dialog.accept();
        });
        studio.choose(*studio.openList(), "Save these");
        QTRY_VERIFY_WITH_TIMEOUT(styles.find("soft"), kPatience);
        QCOMPARE(styles.find("soft")->prompt, std::string("soft light"));

        test::bringToFront(*studio.window);
        test::click(*studio.field().viewport(), {12, 12});
        studio.action("prompt.styles").trigger();
        answer("styles", [&styles](QDialog& dialog) {
            answer("styleName", [](QDialog& name) {
                name.findChild<QLineEdit*>("name")->setText("mild");
                name.accept();
            });
            dialog.findChild<QPushButton*>("rename")->click();
            QTRY_VERIFY_WITH_TIMEOUT(styles.find("mild"), kPatience);
            test::keepScreenshot(dialog, "styles");
            dialog.findChild<QPushButton*>("delete")->click();
            QTRY_VERIFY_WITH_TIMEOUT(styles.styles().empty(), kPatience);
            dialog.reject();
        });
        studio.choose(*studio.openList(), "Rename, delete");
        QTRY_VERIFY_WITH_TIMEOUT(QApplication::activeModalWidget() == nullptr, kPatience);
        QVERIFY(
            stylesFromJson(testing::contentsOf(studio.folder.filePath("styles.json")).toStdString(),
                           "styles.json")
                .empty());
    }

    void stylesOfTwoStudiosAreKept() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("styles.json");
        StyleStore one(path);
        StyleStore other(path);
        one.put({"a", "1", ""});
        QTRY_VERIFY_WITH_TIMEOUT(one.find("a"), kPatience);
        other.put({"b", "2", ""});
        QTRY_VERIFY_WITH_TIMEOUT(other.find("a") && other.find("b"), kPatience);
    }

    /// Its content is kept next to the new file.
    void aDamagedStylesFileIsSetAside() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("styles.json");
        testing::writeFile(path, "{broken");
        StyleStore store(path);
        QSignalSpy failed(&store, &StyleStore::failed);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
        store.put({"a", "1", ""});
        QTRY_VERIFY_WITH_TIMEOUT(store.find("a"), kPatience);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).filter("styles").size(), 2);
    }

    void anEarlierPromptIsOneStep() {
        Writing studio;
        studio.work().queue.setPaused(true);
        for (const char* prompt : {"a red boat", "a blue boat", "a castle"}) {
            studio.write(prompt);
            studio.work().run.run(RunHow::Last);
        }
        studio.write("now");
        studio.action("prompt.earlier").trigger();
        SearchList* list = studio.openList();
        QVERIFY(list);
        QCOMPARE(list->rows().rowCount(), 3);
        QVERIFY(list->rows().item(0)->text().startsWith("a castle"));
        studio.choose(*list, "red");
        QTRY_COMPARE_WITH_TIMEOUT(studio.promptOf(), std::string("a red boat"), kPatience);
        studio.action("edit.undo").trigger();
        QCOMPARE(studio.promptOf(), std::string("now"));
    }

    void withoutARunNothingEarlierIsThere() {
        Writing studio;
        studio.write("a");
        studio.action("prompt.earlier").trigger();
        SearchList* list = studio.openList();
        QVERIFY(list);
        QCOMPARE(list->rows().rowCount(), 1);
        QTest::keyClick(list->findChild<QLineEdit*>("search"), Qt::Key_Escape);
        QCOMPARE(studio.promptOf(), std::string("a"));
    }

    void aRunHasTheDrawnText_andTheNodeItsTemplate() {
        Writing studio;
        studio.work().queue.setPaused(true);
        studio.haveWildcard("colour", "red\nblue\n# green");
        studio.write("a {big|small} __colour__ cat");
        studio.work().run.run(RunHow::Last);
        studio.work().run.run(RunHow::Last);
        const auto prompts = studio.promptsOfRuns();
        QCOMPARE(prompts.size(), size_t{2});
        const QRegularExpression drawn("^a (big|small) (red|blue) cat$");
        QVERIFY2(drawn.match(QString::fromStdString(prompts[0])).hasMatch(), prompts[0].c_str());
        QCOMPARE(prompts[1], prompts[0]);  // the same seed
        QCOMPARE(studio.promptOf(), std::string("a {big|small} __colour__ cat"));
        QCOMPARE(studio.work().queue.runs().front().words.prompt,
                 QString::fromStdString(prompts[0]));
    }

    /// A folder that the studio has made is looked at like one that was there.
    void whatComesIntoTheFolderIsKnown() {
        Writing studio;
        QVERIFY(!QFileInfo::exists(studio.folder.filePath("wildcards")));
        UrlTaker taker;
        QDesktopServices::setUrlHandler("file", &taker, "take");
        studio.action("prompt.wildcards").trigger();
        QDesktopServices::unsetUrlHandler("file");
        QCOMPARE(taker.taken.toLocalFile(), studio.folder.filePath("wildcards"));
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(studio.folder.filePath("wildcards")), kPatience);
        QTest::qWait(200);  // it is read once before the user comes to it
        studio.putWildcard("colour", "red\n");
        studio.putWildcard("size", "small\n");
    }

    void aMissingWildcardRefusesTheRun() {
        Writing studio;
        studio.write("a __colour__ cat");
        studio.action("run.start").trigger();
        QVERIFY(studio.work().queue.runs().empty());
        auto* notices = studio.window->findChild<NoticeBar*>();
        QVERIFY2(notices->isVisible() && notices->text().contains("colour") &&
                     notices->text().contains("Encode prompt"),
                 qPrintable(notices->text()));
        // Whoever looks at Issues sees it before.
        QTRY_VERIFY_WITH_TIMEOUT(std::any_of(studio.work().planning.planned().issues.begin(),
                                             studio.work().planning.planned().issues.end(),
                                             [](const Issue& issue) {
                                                 return issue.code == "wildcard" &&
                                                        issue.node == "encode";
                                             }),
                                 kPatience);
    }

    void aListOfPromptsIsQueued() {
        Writing studio;
        studio.work().queue.setPaused(true);
        const std::string before = studio.promptOf();
        answer("several", [](QDialog& dialog) {
            dialog.findChild<QComboBox*>("prompts")->setCurrentIndex(1);
            dialog.findChild<QPlainTextEdit*>("lines")->setPlainText(
                "a cat\n\n  a dog \na {x|y}\n");
            QCOMPARE(dialog.findChild<QLabel*>("told")->text(), QString("3 runs"));
            test::keepScreenshot(dialog, "several_lines");
            dialog.findChild<QComboBox*>("seeds")->setCurrentIndex(1);
            dialog.findChild<QPushButton*>("run")->click();
        });
        studio.action("run.several").trigger();
        const auto prompts = studio.promptsOfRuns();
        QCOMPARE(prompts.size(), size_t{3});
        QCOMPARE(prompts[0], std::string("a cat"));
        QCOMPARE(prompts[1], std::string("a dog"));
        QVERIFY(prompts[2] == "a x" || prompts[2] == "a y");
        QCOMPARE(studio.promptOf(), before);
    }

    void everyCombinationIsQueued() {
        Writing studio;
        studio.work().queue.setPaused(true);
        studio.model().apply("Text", [](graph::Document& document) {
            document.nodes.at("encode").params["prompt"] = "{red|blue} \\{{cat|dog}\\|";
            document.nodes.at("encode").params["negative"] = "{x|y}";
        });
        answer("several", [](QDialog& dialog) {
            dialog.findChild<QComboBox*>("prompts")->setCurrentIndex(2);
            QTRY_COMPARE_WITH_TIMEOUT(dialog.findChild<QLabel*>("told")->text(),
                                      QString("8 combinations, one run each"),
                                      kPatience);
            dialog.findChild<QPushButton*>("run")->click();
        });
        studio.action("run.several").trigger();
        const auto prompts = studio.promptsOfRuns();
        const auto negatives = studio.promptsOfRuns("negative");
        std::set<std::string> all;
        for (size_t i = 0; i < prompts.size(); ++i) {
            all.insert(prompts[i] + "/" + negatives[i]);
        }
        QCOMPARE(prompts.size(), size_t{8});
        QCOMPARE(all.size(), size_t{8});
        QVERIFY(all.contains("red {cat|/x"));
    }

    void atMostAThousandAreQueuedAtOnce() {
        Writing studio;
        studio.work().queue.setPaused(true);
        studio.model().apply("Text", [](graph::Document& document) {
            std::string text;
            for (int i = 0; i < 40; ++i) {
                text += "{a|b}";
            }
            document.nodes.at("encode").params["prompt"] = text;
        });
        answer("several", [](QDialog& dialog) {
            dialog.findChild<QComboBox*>("prompts")->setCurrentIndex(2);
            QTRY_VERIFY_WITH_TIMEOUT(
                dialog.findChild<QLabel*>("told")->text().contains("1,099,511,627,776"), kPatience);
            dialog.findChild<QPushButton*>("run")->click();
        });
        studio.action("run.several").trigger();
        studio.work().run.finishAsked();
        QCOMPARE(studio.work().queue.runs().size(), size_t{SeveralDialog::kMost});
    }

    void tooltipsNameTheKeysAsTheyAre() {
        Writing studio;
        const auto tip = [&](const char* button) {
            return studio.editor().findChild<QToolButton*>(button)->toolTip();
        };
        QVERIFY2(tip("promptPast").endsWith("(Ctrl+H)"), qPrintable(tip("promptPast")));
        studio.window->actions().setKeys("prompt.earlier", keysFromText("F7"));
        studio.window->actions().setKeys("prompt.styles", {});
        QVERIFY2(tip("promptPast").endsWith("(F7)"), qPrintable(tip("promptPast")));
        QVERIFY2(!tip("promptStyles").contains('('), qPrintable(tip("promptStyles")));
    }

    void thePromptLooksWell_data() { testing::addRows("theme", {"light", "dark"}); }

    void thePromptLooksWell() {
        QFETCH(QString, theme);
        Writing studio;
        studio.settings.change([&](Preferences& preferences) { preferences.theme = theme; });
        studio.haveWildcard("hair", "x");
        studio.haveWildcard("hat", "x");
        studio.write("a {red|2::blue} cat, __hair__ __gone__ embedding:ink <lora:x:1> [a|b], ha");
        QVERIFY(studio.words().isVisible());
        test::keepScreenshot(*studio.window, "prompt_colours_" + theme);
        test::keepScreenshot(studio.words(), "prompt_words_" + theme);
        studio.plugin.script().setAnswers(countsOf({75}, 3, 22), kPlanned);
        studio.write("what is read, and what no encoder reads any more");
        QTRY_COMPARE_WITH_TIMEOUT(studio.tokens(), QString("75 / 75, 3 cut"), kPatience);
        QCOMPARE(test::textProblems(studio.editor()), QStringList());
        test::keepScreenshot(*studio.window, "prompt_" + theme);
    }
};

LOWTIDE_WINDOW_TEST(WindowPromptsTest)

}  // namespace window_prompts_test

#include "window_prompts_test.moc"
