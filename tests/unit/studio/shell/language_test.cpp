// The window in other languages, and from one to another.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/canvas/search_match.hpp"
#include "ui/canvas/viewport.hpp"
#include "ui/document/edits.hpp"
#include "ui/editors/number_text.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/inspector_parts.hpp"

#include <future>

namespace language_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr const char* kChinese = "zh_CN";

void speak(Working& studio, const QString& language) {
    studio.settings.change([&](Preferences& preferences) { preferences.language = language; });
    QTRY_COMPARE_WITH_TIMEOUT(Language::code(), language, kPatience);
}

/// Clicks the item of the list that opens next.
void clickInMenu(const QString& action) {
    auto* look = new QTimer(qApp);
    QObject::connect(look, &QTimer::timeout, qApp, [look, action] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (!menu) {
            return;
        }
        look->stop();
        look->deleteLater();
        for (QAction* each : menu->actions()) {
            if (each->objectName() == action) {
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(each).center());
                return;
            }
        }
        menu->close();
        QFAIL("no such item");
    });
    look->start(20);
}

/// Words that are no English: names, formats, units.
bool isForeign(const QString& text) {
    static const QRegularExpression kWords(QStringLiteral("\\b[a-z]{3,} [a-z]{3,}\\b"));
    return !kWords.match(text).hasMatch();
}

QStringList textsOf(const QWidget& widget) {
    QStringList texts{widget.toolTip(), widget.accessibleName()};
    for (const char* property : {"text", "title", "placeholderText", "windowTitle"}) {
        texts << widget.property(property).toString();
    }
    return texts;
}

/// A graph as a user makes it: a node from the search, a value shown under Generate, a preset's
/// label taken away again.
std::string edited(Working& studio) {
    QTest::qWait(50);  // it shows the whole graph at first
    GraphView& canvas = studio.widgets().canvas;
    canvas.navigation().show({.centre = {0, 0}, .zoom = 1});
    canvas.setFocus();
    canvas.invoke("node.add");
    QTest::keyClicks(QApplication::focusWidget(), "Denoise");
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    for (const auto& [id, node] : studio.model().document().nodes) {
        if (id.starts_with("denoise") && id != "denoise") {
            canvas.select({id});
        }
    }
    auto* params = studio.widgets().inspector.findChild<QWidget*>("inspectorParams");
    auto* row = params->findChild<InspectorRow*>("steps");
    QTest::mouseClick(row->findChild<QToolButton*>("expose"), Qt::LeftButton);
    return graph::toText(studio.model().document());
}

}  // namespace

class LanguageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        if (languages().size() == 1) {
            QSKIP("built without lrelease");
        }
    }

    void theSystemsLanguageIsTakenWhereItIsSpoken_data() {
        testing::addTable<QString, QStringList, QString>(
            {"choice", "system", "spoken"},
            {{"Chinese", "system", {"zh-Hans-CN", "en-US"}, "zh_CN"},
             {"English first", "system", {"en-GB", "zh-CN"}, "en"},
             {"second choice", "system", {"xx-YY", "zh_CN"}, "zh_CN"},
             {"not spoken", "system", {"xx-YY"}, "en"},
             {"none", "system", {}, "en"},
             {"chosen", "zh_CN", {"en-US"}, "zh_CN"},
             {"chosen by another version", "xx", {"zh-CN"}, "zh_CN"}});
    }

    void theSystemsLanguageIsTakenWhereItIsSpoken() {
        QFETCH(QString, choice);
        QFETCH(QStringList, system);
        QTEST(languageFor(choice, system), "spoken");
    }

    void twoClicksSwitchIt() {
        Working studio;
        auto* button = qobject_cast<QToolButton*>(studio.window->menuBar()->cornerWidget());
        QCOMPARE(button->text(), QString("English"));
        clickInMenu("language.zh_CN");
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(Language::code(), QString(kChinese), kPatience);
        button = qobject_cast<QToolButton*>(studio.window->menuBar()->cornerWidget());
        QCOMPARE(button->text(), QString("简体中文"));
        QVERIFY(button->isVisible());
        QVERIFY(studio.action("language.zh_CN").isChecked());
        QCOMPARE(studio.action("file.open").text(), QString("打开(&O)..."));
        QCOMPARE(plainText(studio.action("file.open")), QString("打开"));
        QCOMPARE(studio.settings.preferences().language, QString(kChinese));
    }

    void whatIsSearchedForAmongPresetsRemains() {
        Working studio;
        studio.widgets().presets.setSearch({.words = "fox", .tag = {}});
        clickInMenu("language.zh_CN");
        QTest::mouseClick(studio.window->menuBar()->cornerWidget(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(Language::code(), QString(kChinese), kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.widgets().presets.search().words, QString("fox"), kPatience);
    }

    void whatIsOpenRemainsAsItIs() {
        Working studio;
        studio.model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        GraphView& before = studio.widgets().canvas;
        QTest::qWait(50);  // it shows the whole graph at first
        const int height = before.height();
        before.select({"denoise", "encode"});
        before.invoke("view.zoom_in");
        const ViewState viewState = before.navigation().state();
        std::promise<void> gate;
        studio.plugin.script().setScript(
            graph::toText(studio.model().document()),
            [opened = gate.get_future().share()](ScriptedRunner::Stage& stage) {
                stage.send({{"event", "runStarted"}, {"nodes", {"denoise"}}, {"repetitions", 1}});
                opened.wait();
                return Json{{"status", "ok"}, {"executed", 1}};
            });
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(studio.work().run.isBusy(), kPatience);
        const std::string graph = graph::toText(studio.model().document());
        const auto* model = &studio.model();
        studio.window->findChild<QSpinBox*>("times")->setValue(4);
        speak(studio, kChinese);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.widgets().canvas.navigation().state().zoom, viewState.zoom, kPatience);
        QCOMPARE(&studio.model(), model);
        QCOMPARE(studio.window->findChild<QSpinBox*>("times")->value(), 4);
        QCOMPARE(graph::toText(studio.model().document()), graph);
        QVERIFY(studio.window->isWindowModified());
        GraphView& canvas = studio.widgets().canvas;
        QCOMPARE(canvas.selectedNodes(), (std::set<std::string>{"denoise", "encode"}));
        QVERIFY(std::abs(canvas.navigation().state().centre.x - viewState.centre.x) < 3);
        QVERIFY2(std::abs(canvas.height() - height) < 10,  // lines are as high as their fonts
                 qPrintable(QString("%1, %2").arg(height).arg(canvas.height())));
        QVERIFY(studio.action("run.cancel").isEnabled());
        QVERIFY(studio.work().run.isBusy());
        QVERIFY(studio.action("edit.undo").text().startsWith("撤销(&U)"));
        gate.set_value();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.work().run.isBusy(), kPatience);
        QVERIFY(!studio.action("run.cancel").isEnabled());
        studio.action("edit.undo").trigger();
        QCOMPARE(studio.model().node("denoise")->params.value("steps", 0), 20);
        studio.action("edit.redo").trigger();
        speak(studio, "en");
        QCOMPARE(graph::toText(studio.model().document()), graph);
        studio.model().setSaved();
    }

    void aDialogIsNotLeftWithoutItsWindow() {
        Working studio;
        QString below;
        QTimer::singleShot(100, qApp, [&below] {
            auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
            auto* box = dialog->findChild<QComboBox*>("language");
            box->setCurrentIndex(box->findData(kChinese));
            Q_EMIT box->activated(box->currentIndex());
            QTest::qWait(50);
            below = Language::code();
            dialog->reject();
        });
        studio.action("edit.settings").trigger();
        QCOMPARE(below, QString("en"));
        QTRY_COMPARE_WITH_TIMEOUT(Language::code(), QString(kChinese), kPatience);
        QVERIFY(studio.window->controller());
        QCOMPARE(plainText(studio.action("edit.settings")), QString("设置"));
    }

    void theFirstStartBeginsAgainInTheChosenLanguage() {
        SmallPlugin plugin;
        bool wasChosen = false;
        QString title;
        Opened opened([&plugin]() -> Plugin& { return plugin; }, true);
        answer("firstStart", [&](QDialog& dialog) {
            auto* box = dialog.findChild<QComboBox*>("language");
            box->setCurrentIndex(box->findData(kChinese));
            wasChosen = true;
            answer("firstStart", [&](QDialog& again) {
                title = again.windowTitle();
                test::keepScreenshot(again, "first_start_zh_CN");
                again.findChild<QPushButton*>("emptyGraph")->click();
            });
            Q_EMIT box->activated(box->currentIndex());
        });
        QTRY_COMPARE_WITH_TIMEOUT(title, QString("欢迎使用 Lowtide"), kPatience);
        QVERIFY(wasChosen);
        QTRY_VERIFY_WITH_TIMEOUT(opened.settings.preferences().isFirstStartDone, kPatience);
        opened.window.reset();
    }

    void beforeTheEngineTheStartPageSpeaksIt() {
        std::promise<void> gate;
        SmallPlugin plugin;
        Opened opened([&plugin, opening = gate.get_future().share()]() -> Plugin& {
            opening.wait();
            return plugin;
        });
        opened.settings.change([](Preferences& preferences) { preferences.language = kChinese; });
        auto* title = opened.window->findChild<QLabel*>("startTitle");
        QTRY_COMPARE_WITH_TIMEOUT(title->text(), QString("正在启动引擎..."), kPatience);
        QVERIFY(!opened.window->actions().at("run.start").isEnabled());
        gate.set_value();
        QTRY_VERIFY_WITH_TIMEOUT(opened.window->controller(), kPatience);
        opened.window.reset();
    }

    void everyTextOfTheWindowIsChinese() {
        Working studio;
        speak(studio, kChinese);
        QStringList english;
        for (const ActionDesc& desc : actionTable()) {
            const QAction& action = studio.action(desc.id);
            for (const QString& text : {action.text(), action.statusTip()}) {
                if (!isForeign(text) || (text == QLatin1String(desc.text) && text.size() > 8)) {
                    english << text;
                }
            }
        }
        for (const QAction* menu : studio.window->menuBar()->actions()) {
            QVERIFY2(menu->text().front().unicode() > 0x2e80, qPrintable(menu->text()));
        }
        for (const char* panel :
             {"presets", "models", "inspector", "generate", "memory", "queue", "issues"}) {
            studio.widgets().panels.show(panel);
            QTest::qWait(20);
        }
        for (const QWidget* widget : studio.window->findChildren<QWidget*>()) {
            for (const QString& text : textsOf(*widget)) {
                if (!isForeign(text) && !text.startsWith(u'/')) {
                    english << QStringLiteral("%1: %2").arg(widget->objectName(), text);
                }
            }
        }
        english.removeDuplicates();
        QVERIFY2(english.isEmpty(), qPrintable(english.join(u'\n')));
        test::keepScreenshot(*studio.window, "window_zh_CN");
    }

    void oneIsOneInEnglish() {
        Working studio;
        auto& inspector = studio.widgets().inspector;
        const auto* title = inspector.findChild<QLabel*>("title");
        inspector.showNodes({"denoise", "encode"});
        QCOMPARE(title->text(), QString("2 nodes"));
        QCOMPARE(QCoreApplication::translate("lowtide::ui::FactsList", "%n nodes", nullptr, 1),
                 QString("1 node"));
    }

    /// Ids and labels in files are the module's own, whatever a user reads.
    void theSameEditsMakeTheSameFile() {
        std::string inEnglish;
        {
            Working studio;
            inEnglish = edited(studio);
            studio.model().setSaved();
        }
        Working studio;
        speak(studio, kChinese);
        const std::string inChinese = edited(studio);
        QCOMPARE(QString::fromStdString(inChinese), QString::fromStdString(inEnglish));
        QVERIFY(inChinese.find("\"denoise_2\"") != std::string::npos);
        QVERIFY(inChinese.find("\"label\": \"Steps\"") != std::string::npos);
        studio.model().setSaved();
        studio.widgets().panels.show("generate");
        auto* form = studio.window->findChild<QWidget*>("generateForm");
        QStringList labels;
        for (const QLabel* label : form->findChildren<QLabel*>()) {
            labels << label->text();
        }
        QVERIFY2(labels.contains("步数"), qPrintable(labels.join(u' ')));
    }

    void theSearchFindsBothNames_data() {
        testing::addTable<QString>(
            {"typed"}, {{"Chinese", "采样"}, {"English", "Denoise"}, {"id", "denoise.sample"}});
    }

    void theSearchFindsBothNames() {
        QFETCH(QString, typed);
        Working studio;
        speak(studio, kChinese);
        const auto hits = searchNodes(studio.work().engine.catalog(), typed, {}, {});
        QVERIFY(!hits.empty());
        QCOMPARE(hits.front().desc->id, std::string("denoise.sample"));
        QCOMPARE(hits.front().desc->label, std::string("采样"));
    }

    void issuesAreReportedByCodeAndFacts() {
        Language language;
        language.use(kChinese);
        const Json known = {
            {"severity", "error"},
            {"code", "required_input_missing"},
            {"node", "decode"},
            {"item", "latent"},
            {"message", "the input \"latent\" of node decode is not connected"},
            {"hint", "connect an output of type LATENT"},
            {"facts", {{"case", "input"}, {"takes", "LATENT"}, {"type", "decode.image"}}}};
        const Issue reported = issueFromJson(known);
        QCOMPARE(QString::fromStdString(reported.message.str()),
                 QString("节点 decode 的输入“潜空间”没有连接"));
        QCOMPARE(QString::fromStdString(reported.hint.str()), QString("请连接 LATENT 类型的输出"));
        // Without facts by its parts, and without those as it stands.
        Json bare = known;
        bare.erase("facts");
        QCOMPARE(issueFromJson(bare).message.str(), known.at("message").get<std::string>());
        putMessage(bare, "message", message("the input {} is not connected", "tail"));
        QCOMPARE(QString::fromStdString(issueFromJson(bare).message.str()),
                 QString("输入 tail 没有连接"));
        Json odd = known;
        odd["facts"] = {{"case", 7}, {"takes", nullptr}};
        QCOMPARE(issueFromJson(odd).message.str(), known.at("message").get<std::string>());
        Json other = known;
        other["code"] = "never_heard_of";
        QCOMPARE(issueFromJson(other).hint.str(), known.at("hint").get<std::string>());
    }

    /// As the module's answer has it: the text alone is no sentence that is known.
    void aMessageIsReportedByItsParts() {
        Language language;
        language.use(kChinese);
        Json issue = {{"code", "never_heard_of"}};
        putMessage(issue, "message", message("{}: {}", "a.pt", message("is encrypted")));
        QCOMPARE(QString::fromStdString(issueFromJson(issue).message.str()),
                 QString("a.pt：已加密"));
        issue.erase("messageParts");
        QCOMPARE(issueFromJson(issue).message.str(), std::string("a.pt: is encrypted"));
    }

    void aValueThatIsRefusedExplainsWhyInChinese() {
        Language language;
        language.use(kChinese);
        ParamDesc steps{.id = "steps", .label = "步数", .kind = ParamKind::Int};
        steps.min = 1;
        steps.max = 150;
        QCOMPARE(refusalOf(steps, 151),
                 QString("“步数”的值 151 太大，最大为 150；需要 1 到 150 之间的整数。"));
    }

    void damagedTextsRemainEnglish_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("no JSON") << QByteArray("{\"a\": ");
        QTest::newRow("a list") << QByteArray("[1, 2]");
        QTest::newRow("no text") << QByteArray("{\"a\": {\"en\": \"A\"}}");
        QTest::newRow("a number") << QByteArray("{\"a\": {\"en\": \"A\", \"text\": 7}}");
        QTest::newRow("a text alone") << QByteArray("{\"a\": \"B\"}");
    }

    void damagedTextsRemainEnglish() {
        QFETCH(QByteArray, json);
        QCOMPARE(KeyedTexts(json).text("a", "A"), QString("A"));
    }

    void presetsKeepTheLettersOfTheirTitles() {
        Working studio;
        PresetStore& store = studio.work().presets;
        const QString id = store.save({.title = "红色的狐狸 2", .description = {}, .tags = {}},
                                      studio.model().document(),
                                      {},
                                      {});
        QCOMPARE(id, QString("红色的狐狸_2"));
        QVERIFY(QFile::exists(studio.folder.filePath("presets/红色的狐狸_2.json")));
    }
};

LOWTIDE_WINDOW_TEST(LanguageTest)

}  // namespace language_test

#include "language_test.moc"
