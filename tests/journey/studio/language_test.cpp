// A first picture by somebody who reads Chinese, with the real module.
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/inspector_help.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

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

QStringList textsOf(const NodeDesc& desc) {
    std::vector<std::string> texts{desc.label, desc.category, desc.tooltip};
    for (const auto* ports : {&desc.inputs, &desc.outputs}) {
        for (const PortDesc& port : *ports) {
            texts.insert(texts.end(), {port.label, port.tooltip});
        }
    }
    for (const ParamDesc& param : desc.params) {
        texts.insert(texts.end(), {param.label, param.tooltip, param.unit});
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

class LanguageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        qputenv("LOWTIDE_TEST_LANGUAGE", "zh_CN");
        QVERIFY(folder_.isValid());
        studio_ = std::make_unique<StudioSession>(folder_.path());
        QVERIFY(studio_->isReady());
    }

    void init() { test::failOnQtWarnings(); }

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

    void oneClickMakesAPicture() {
        auto* run = qobject_cast<QToolButton*>(
            studio_->window().findChild<QToolBar*>("toolBar")->widgetForAction(
                &studio_->window().actions().at("run.start")));
        QCOMPARE(run->text(), QString("运行"));
        test::keepScreenshot(studio_->window(), "chinese_before");
        QTest::mouseClick(run, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!studio_->workspace().queue.runs().empty() &&
                                     studio_->desk().notices().text().startsWith("已把"),
                                 kPatience);
        QVERIFY(QFile::exists(studio_->workspace().queue.runs().back().files.back()));
        studio_->desk().canvas().select({"denoise"});
        for (const char* panel : {"memory", "presets", "inspector"}) {
            studio_->desk().panels().show(panel);
            QTest::qWait(300);
            const QStringList problems = test::textProblems(studio_->window());
            QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
            test::keepScreenshot(studio_->window(), QString("chinese_") + panel);
        }
    }

    void anErrorOfTheModuleIsSaidInChinese() {
        studio_->model().apply("Unplug", [](graph::Document& document) {
            std::erase_if(document.links, [](const graph::Link& link) {
                return link.to.node == "decode" && link.to.port == "latent";
            });
        });
        const auto said = [this] {
            for (const Issue& issue : studio_->workspace().planning.planned().issues) {
                if (issue.code == "required_input_missing") {
                    return QString::fromStdString(issue.message);
                }
            }
            return QString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(said(), QString("节点 decode 的输入“潜空间”没有连接"), kPatience);
        studio_->desk().panels().show("issues");
        QTest::qWait(300);
        test::keepScreenshot(studio_->window(), "chinese_issues");
        studio_->model().undoStack().undo();
    }

private:
    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
};

LOWTIDE_WINDOW_TEST(LanguageTest)

}  // namespace language_test

#include "language_test.moc"
