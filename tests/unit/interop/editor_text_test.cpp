#include "plugin/interop/editor_text.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/interop/sample_workflow.hpp"

#include <QtTest/QtTest>

#include <string>

namespace editor_text_test {

using namespace lowtide;
using namespace lowtide::interop;

/// The expected texts are what processDynamicPrompt of comfyui-frontend-package 1.58.1 gave.
class EditorTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsWhatTheEditorSends_data() {
        testing::addTable<QString, QString>(
            {"written", "sent"},
            {{"plain", "a lighthouse", "a lighthouse"},
             {"braces", "{masterpiece}, a {very {old}} house", "masterpiece, a very old house"},
             {"backslashes", "a \\{fox\\} \\| b", "a {fox} | b"},
             {"comments", "a /* wide\nwide */ house // note\nby night", "a  house \nby night"},
             {"the end of an address", "see http://x.y", "see http:"},
             {"other backslashes", "(big:1.2) \\(real\\) \\\\", "(big:1.2) \\(real\\) \\\\"},
             {"an opening brace", "a { lost", "a  lost"},
             {"a closing brace", "a } lost", "a } lost"},
             {"a bar", "a | b", "a | b"},
             {"empty braces", "/{}/ /{}*", "// /*"},
             {"two comments", "a /* big */red /* old */fox", "a red fox"},
             {"a comment without an end", "/* open", "/* open"},
             {"a backslash and a brace", "\\\\{\\{}", "\\{"}});
    }

    void readsWhatTheEditorSends() {
        QFETCH(QString, written);
        QFETCH(QString, sent);

        QCOMPARE(QString::fromStdString(textFromEditor(written.toStdString())), sent);
        // What is written for that text is read as it.
        const std::string again = textForEditor(sent.toStdString());
        QCOMPARE(QString::fromStdString(textFromEditor(again)), sent);
    }

    void writesWhatTheEditorSendsAsItIs_data() {
        testing::addTable<QString, QString>(
            {"text", "written"},
            {{"plain",
              "a (big:1.2) house, 5 | 7 \\(real\\)",
              "a (big:1.2) house, 5 | 7 \\(real\\)"},
             {"braces", "a } b { c", "a \\} b \\{ c"},
             {"an address", "see http://x.y/*a*/", "see http:/{}/x.y/{}*a*/"},
             {"slashes", "///", "/{}/{}/"},
             {"a backslash and a brace", "a \\{ b", "a \\\\{\\{} b"},
             {"backslashes and a bar", "a \\\\| b", "a \\\\\\| b"},
             {"a backslash at the end", "a \\", "a \\ "}});
    }

    void writesWhatTheEditorSendsAsItIs() {
        QFETCH(QString, text);
        QFETCH(QString, written);

        QCOMPARE(QString::fromStdString(textForEditor(text.toStdString())), written);
    }

    /// Both programs draw them.
    void alternativesRemain_data() {
        testing::addRows("text",
                         {"a {red|green} cat", "{a|{b|c}} // {d}", "{ {red|green}", "\\{{a|b}\\}"});
    }

    void alternativesRemain() {
        QFETCH(QString, text);

        QCOMPARE(QString::fromStdString(textFromEditor(text.toStdString())), text);
        QCOMPARE(QString::fromStdString(textForEditor(text.toStdString())), text);
    }

    void textsThatWouldBecomeAlternativesRemain() {
        QCOMPARE(textFromEditor("\\{red\\|green\\}"), std::string("\\{red\\|green\\}"));
    }

    void countlessBracesEnd() {
        const std::string braces(200'000, '{');
        QCOMPARE(textFromEditor(braces), braces);

        std::string comments;
        for (int i = 0; i < 100'000; ++i) {
            comments += "/* ";
        }
        QCOMPARE(textFromEditor(comments), comments);
    }

    /// The server's form has texts as they are sent, the editor's as they are written.
    void theFormsDiffer() {
        const Json workflow = parsed(
            "{\"nodes\": [{\"id\": 1, \"type\": \"CLIPTextEncode\", \"widgets_values\": [\"a "
            "{fox}\"]},"
            "{\"id\": 2, \"type\": \"SaveImage\", \"widgets_values\": [\"a {fox}\"]}], \"links\": "
            "[]}");
        const Json api = parsed(
            "{\"1\": {\"class_type\": \"CLIPTextEncode\", \"inputs\": {\"text\": \"a {fox}\"}}}");

        const Prompt edited = readPrompt(workflow, sourceTable());
        const Prompt sent = readPrompt(api, sourceTable());

        QCOMPARE(edited.nodes.at("1").inputs.at("text").value, Json("a fox"));
        QCOMPARE(edited.nodes.at("2").inputs.at("filename_prefix").value, Json("a {fox}"));
        QCOMPARE(sent.nodes.at("1").inputs.at("text").value, Json("a {fox}"));
    }

    /// A name that is no widget would be passed over.
    void classesHaveTheTextsThatTheirRowsName() {
        int texts = 0;
        for (const auto& [name, row] : sourceTable().rows()) {
            for (const std::string& drawn : row.drawn) {
                QVERIFY2(row.widget(drawn) != nullptr, (name + ": " + drawn).c_str());
                ++texts;
            }
        }
        QVERIFY(texts > 20);
    }
};

LOWTIDE_TEST(EditorTextTest)

}  // namespace editor_text_test

#include "editor_text_test.moc"
