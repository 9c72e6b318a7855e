// A first image by somebody who reads Chinese, with the real module.
#include "plugin/memory/precision.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/journey/studio/comfy_workflows.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/document/groups.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/inspector.hpp"
#include "ui/panels/issues_panel.hpp"
#include "ui/studio/graph_import.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <functional>
#include <optional>

namespace language_test {

using namespace lowtide;
using namespace lowtide::ui;
using namespace lowtide::testing;

namespace {

constexpr int kPatience = 60000;

bool isChinese(const QString& text) {
    return std::any_of(
        text.begin(), text.end(), [](QChar letter) { return letter.unicode() > 0x2e80; });
}

/// Sentences and words; names of methods and numbers are the same in every language.
bool needsChinese(const QString& text) {
    static const QRegularExpression kWord(QStringLiteral("\\b[a-z]{4,}\\b"));
    return text.contains(u' ') && kWord.match(text).hasMatch();
}

/// Words of English sentences and of reports, which are no part of a name.
bool hasEnglish(const QString& text) {
    static const QRegularExpression kEnglish(QStringLiteral(
        "\\b(an|the|is|are|it|its|has|have|in|of|for|to|by|with|without|than|from|as|and|or|so|"
        "not?|none|here|imported|exact|exactly|near|missing|muted|bypassed|nodes?|outputs?|files?|"
        "stands?|needs?)\\b"));
    return kEnglish.match(text).hasMatch();
}

/// What assistive technology has of the element and of what is in it.
QStringList spokenTexts(QAccessibleInterface* element) {
    QStringList texts;
    for (const QAccessible::Text kind : {QAccessible::Name, QAccessible::Description}) {
        texts << element->text(kind);
    }
    for (int i = 0; i < element->childCount(); ++i) {
        if (QAccessibleInterface* child = element->child(i)) {
            texts += spokenTexts(child);
        }
    }
    texts.removeAll(QString());
    return texts;
}

QStringList textsOf(const NodeDesc& desc) {
    std::vector<std::string> texts{desc.label, desc.category, desc.tooltip};
    for (const auto* ports : {&desc.inputs, &desc.outputs}) {
        for (const PortDesc& port : *ports) {
            texts.insert(texts.end(), {port.label, port.tooltip});
        }
    }
    for (const ParamDesc& param : desc.params) {
        texts.insert(texts.end(), {param.label, param.tooltip, param.unit});
        if (param.id == "sampler" || (param.id == "schedule" && desc.id == "denoise.sample")) {
            continue;  // methods
        }
        for (const ChoiceDesc& choice : param.choices) {
            texts.push_back(choice.label);
        }
    }
    QStringList list;
    for (const std::string& text : texts) {
        list << QString::fromStdString(text);
    }
    return list;
}

}  // namespace

class LanguageTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        qputenv("LOWTIDE_TEST_LANGUAGE", "zh_CN");
        QVERIFY(folder_.isValid());
        studio_ = std::make_unique<StudioSession>(folder_.path());
        QVERIFY(studio_->isReady());
    }

    void cleanupTestCase() {
        studio_->model().setSaved();
        studio_.reset();
    }

    void everyTextOfEveryNodeIsChinese() {
        QStringList english;
        for (const NodeDesc& desc : studio_->workspace().engine.catalog().nodes()) {
            QVERIFY2(isChinese(QString::fromStdString(desc.tooltip)), desc.id.c_str());
            for (const QString& text : textsOf(desc)) {
                if (needsChinese(text) && !isChinese(text)) {
                    english << QString::fromStdString(desc.id) + ": " + text;
                }
            }
        }
        QVERIFY2(english.isEmpty(), qPrintable(english.join(u'\n')));
    }

    void everyPresetIsChinese() {
        for (const PresetEntry& entry : studio_->workspace().presets.entries()) {
            QVERIFY2(isChinese(entry.description), qPrintable(entry.id));
        }
    }

    /// What a switch of the precision costs, and what became of it.
    void everySwitchIsChinese() {
        for (size_t i = 0; i < memory::kNumericSwitchCount; ++i) {
            const Message cost = memory::costOf(static_cast<memory::NumericSwitch>(i));
            QVERIFY2(isChinese(moduleSentence(cost)), cost.str().c_str());
        }
        for (const char* state : {"on", "off", "not applicable here"}) {
            QVERIFY2(isChinese(moduleWord(state)), state);
        }
    }

    /// Every page, without a space that stands between Chinese letters where a line of its file
    /// ends.
    void everyHelpPageIsChinese() {
        InspectorHelp help;
        help.setFolder(sourcePath("resources/help"));
        static const QRegularExpression kGap(QStringLiteral("[，、] [\\x{4e00}-\\x{9fff}]"));
        for (const NodeDesc& desc : studio_->workspace().engine.catalog().nodes()) {
            help.showNode(desc);
            const QString page = help.toPlainText();
            QVERIFY2(isChinese(page), desc.id.c_str());
            QCOMPARE(page.section(u'\n', 0, 0), QString::fromStdString(desc.label));
            QVERIFY2(!kGap.match(page).hasMatch(), qPrintable(kGap.match(page).captured()));
        }
    }

    void oneClickMakesAnImage() {
        auto* run = qobject_cast<QToolButton*>(
            studio_->window().findChild<QToolBar*>("toolBar")->widgetForAction(
                &studio_->window().actions().at("run.start")));
        QCOMPARE(run->text(), QString("运行"));
        test::keepScreenshot(studio_->window(), "chinese_before");
        QTest::mouseClick(run, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(
            !studio_->workspace().queue.runs().empty() &&
                studio_->controller().widgets().notices.text().contains("已把"),
            kPatience);
        QVERIFY(QFile::exists(studio_->workspace().queue.runs().back().files.back()));
        studio_->controller().widgets().canvas.select({"denoise"});
        for (const char* panel : {"memory", "presets", "inspector"}) {
            studio_->controller().widgets().panels.show(panel);
            QTest::qWait(300);
            const QStringList problems = test::textProblems(studio_->window());
            QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
            test::keepScreenshot(studio_->window(), QString("chinese_") + panel);
        }
    }

    void anErrorOfTheModuleIsReportedInChinese() {
        studio_->model().apply("Unplug", [](graph::Document& document) {
            std::erase_if(document.links, [](const graph::Link& link) {
                return link.to.node == "decode" && link.to.port == "latent";
            });
        });
        const auto reported = [this] {
            for (const Issue& issue : studio_->workspace().planning.planned().issues) {
                if (issue.code == "required_input_missing") {
                    return QString::fromStdString(issue.message.str());
                }
            }
            return QString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(
            reported(), QString("节点 decode 的输入“潜空间”没有连接"), kPatience);
        studio_->controller().widgets().panels.show("issues");
        QTest::qWait(300);
        test::keepScreenshot(studio_->window(), "chinese_issues");
        studio_->model().undoStack().undo();
    }

    /// Notice, issues, report, the group and the list of missing files: names of classes, models
    /// and files alone are as they were.
    void anImportIsReportedInChinese() {
        const QString path = folder_.filePath("Flow.json");
        writeFile(path, QByteArray::fromStdString(mixedWorkflow()));
        MainWindowController& controller = studio_->controller();
        MainWindowWidgets& widgets = controller.widgets();
        studio_->model().apply("Keep", [](graph::Document& document) {  // it gets no other's tab
            document.nodes.at("denoise").params["steps"] = 3;
        });
        controller.files().openPath(path);
        QTRY_COMPARE_WITH_TIMEOUT(studio_->workspace().file.name(), QString("Flow"), kPatience);
        const DocumentId imported = studio_->model().shown();
        const Json& report = studio_->workspace().file.report();
        for (const char* list : {"exact", "near", "missing", "left_out"}) {
            QVERIFY2(!report.at(list).empty(), list);
        }
        QTRY_VERIFY_WITH_TIMEOUT(widgets.issues.report().contains("FaceDetailer") &&
                                     widgets.issues.report().contains("portrait.png"),
                                 kPatience);

        QStringList texts = (widgets.notices.text() + u'\n' + widgets.issues.report())
                                .split(u'\n', Qt::SkipEmptyParts);
        QVERIFY(isChinese(texts.front()) && texts.front().contains("Flow"));
        auto* findFiles = widgets.notices.findChild<QPushButton*>("noticeButton");
        QVERIFY(findFiles->isVisible() && isChinese(findFiles->text()));
        for (const Issue& issue : importIssues(report, studio_->model().document())) {
            texts << QString::fromStdString(issue.message.str());
            QVERIFY2(isChinese(texts.back()), qPrintable(texts.back()));
        }
        QVERIFY(Groups(studio_->model().document()).find("12")->isFolded);
        const QStringList spoken =
            spokenTexts(QAccessible::queryAccessibleInterface(&widgets.canvas));
        QVERIFY(spoken.filter("Prompts").size() > 0);
        texts += spoken;
        findFiles->click();
        QDialog* list = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT(
            (list = studio_->window().findChild<QDialog*>("missingFiles")) != nullptr &&
                list->isVisible(),
            kPatience);
        for (const auto* label : list->findChildren<QLabel*>()) {
            texts << label->text();
        }
        for (const auto* each : list->findChildren<QAbstractButton*>()) {
            texts << each->text();
        }
        list->reject();
        for (const QString& text : std::as_const(texts)) {
            const bool isCode = text.endsWith(u']');  // for who reads a report of a problem
            QVERIFY2(isCode || !hasEnglish(text), qPrintable(text));
        }
        test::keepScreenshot(studio_->window(), "chinese_import");
        studio_->workspace().file.close(imported);
        studio_->model().undoStack().undo();
    }

    /// What goes wrong most often, as check and plan of the real module report it.
    void whatOftenGoesWrongIsReportedInChinese_data() {
        using Change = std::function<void(graph::Document&)>;
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("code");
        const auto row = [](const char* name, const char* code, Change change) {
            QTest::newRow(name) << std::move(change) << QString(code);
        };
        row("a file that is not there", "not_found", [](graph::Document& graph) {
            graph.nodes.at("load").params["checkpoint"] = "nowhere.safetensors";
        });
        row("guidance without a negative prompt", "invalid_input", [](graph::Document& graph) {
            std::erase_if(graph.links,
                          [](const graph::Link& link) { return link.to.port == "negative"; });
        });
        row("a size that does not fit", "picture_size", [](graph::Document& graph) {
            graph.nodes.at("latent").params["width"] = 100;
        });
        row("too small a budget", "memory_infeasible", [](graph::Document& graph) {
            graph.memoryBudget = "1MiB";
        });
        row("a value out of its range", "value_bigger_than_max", [](graph::Document& graph) {
            graph.nodes.at("denoise").params["steps"] = 100000;
        });
        row("a choice that is not there", "value_not_in_list", [](graph::Document& graph) {
            graph.nodes.at("denoise").params["sampler"] = "best";
        });
        row("a policy that is not there", "invalid_policy", [](graph::Document& graph) {
            graph.nodes.at("denoise").memory = "never";
        });
        row("a policy without effect", "invalid_policy", [](graph::Document& graph) {
            graph.nodes.at("denoise").memory = "none+stream";
        });
        row("a device that is not there", "invalid_device", [](graph::Document& graph) {
            graph.device = "abacus";
        });
        row("nothing comes out", "prompt_no_outputs", [](graph::Document& graph) {
            graph.nodes.at("save").mode = graph::NodeMode::Muted;
        });
        row("too long a prompt", "prompt_cut", [](graph::Document& graph) {
            std::string words;
            for (int i = 0; i < 200; ++i) {
                words += "red fox ";
            }
            graph.nodes.at("encode").params["prompt"] = words;
            graph.nodes.at("encode").params["weights"] = "none";
        });
        row("an embedding that is not there", "embedding_missing", [](graph::Document& graph) {
            graph.nodes.at("encode").params["prompt"] = "a fox, embedding:nowhere";
        });
        row("more steps than the strength leaves", "invalid_input", [](graph::Document& graph) {
            graph.nodes.at("denoise").params["start_step"] = 30;
            graph.nodes.at("denoise").params["end_step"] = 2;
        });
    }

    void whatOftenGoesWrongIsReportedInChinese() {
        QFETCH(std::function<void(graph::Document&)>, change);
        QFETCH(QString, code);
        std::optional<Issue> reported;
        const auto find = [&] {
            reported.reset();
            for (const Issue& issue : studio_->workspace().planning.planned().issues) {
                if (issue.code == code.toStdString()) {
                    reported = issue;
                }
            }
            return reported.has_value();
        };
        QTRY_VERIFY_WITH_TIMEOUT(!find(), kPatience);  // what the row before left
        studio_->model().apply("Break", change);
        QTRY_VERIFY_WITH_TIMEOUT(find(), kPatience);
        studio_->model().undoStack().undo();
        for (const std::string& text : {reported->message.str(), reported->hint.str()}) {
            const QString shown = QString::fromStdString(text);
            static const QRegularExpression kEnglish(
                QStringLiteral("\\b(the|is|are|has|no|not|of|to|choose|and)\\b"));
            QVERIFY2(isChinese(shown) || shown.isEmpty(), qPrintable(shown));
            QVERIFY2(!kEnglish.match(shown).hasMatch(), qPrintable(shown));
            qInfo().noquote() << shown;
        }
    }

private:
    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
};

LOWTIDE_JOURNEY(LanguageTest)

}  // namespace language_test

#include "language_test.moc"
