// Messages of the module in another language: by their formats, clause by clause.
#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/language/language.hpp"
#include "ui/language/message_texts.hpp"
#include "ui/language/module_texts.hpp"

#include <QtTest/QtTest>

namespace message_texts_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr std::pair<const char*, const char*> kTexts[] = {
    {"the {} needs {}", "{}需要 {}"},
    {"{} of {}", "{1} 的 {0}"},
    {"there is no sampler \"{}\"", "没有采样器“{}”"},
    {"{}: {}", "{}：{}"},
    {"raise it", "请提高它"},
    {"write {{\"vae\": {}}}", "请写 {{\"vae\": {}}}"},
    {"; ", "；"},
    {"not translated {}", ""},
    {"with a placeholder too many {}", "{}和{}"},
};
constexpr const char* kPlural =
    "msgid \"{} file is missing\"\nmsgid_plural \"{} files are missing\"\n"
    "msgstr[0] \"缺少 {} 个文件\"\n";

QByteArray inQuotes(const char* text) {
    return '"' + QByteArray(text).replace('"', "\\\"") + "\"\n";
}

/// As the build compiles a .po file; empty: there is no lrelease.
QByteArray compiledTexts() {
    const QTemporaryDir folder;
    QFile file(folder.filePath("messages.po"));
    if (!file.open(QIODevice::WriteOnly)) {
        return {};
    }
    file.write(
        "msgid \"\"\nmsgstr \"\"\n\"Language: zh_CN\\n\"\n"
        "\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
        "\"Plural-Forms: nplurals=1; plural=0;\\n\"\n\n");
    file.write(kPlural);
    for (const auto& [english, chinese] : kTexts) {
        file.write("\nmsgid " + inQuotes(english) + "msgstr " + inQuotes(chinese));
    }
    file.close();
    QProcess::execute(QLibraryInfo::path(QLibraryInfo::BinariesPath) + "/lrelease",
                      {"-silent", file.fileName(), "-qm", folder.filePath("messages.qm")});
    return testing::contentsOf(folder.filePath("messages.qm"));
}

QString wordOf(const QString& english) {
    return english == "denoiser" ? QString("去噪网络") : english;
}

}  // namespace

class MessageTextsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        texts_ = compiledTexts();
        if (texts_.isEmpty()) {
            QSKIP("without lrelease");
        }
    }

    void aMessageIsFoundByItsFormat_data() {
        QTest::addColumn<Message>("english");
        QTest::addColumn<QString>("text");
        row("no argument", message("raise it"), "请提高它");
        row("arguments", message("the {} needs {}", "file", 3), "file需要 3");
        row("another order", message("{} of {}", 2, 7.5), "7.5 的 2");
        row("a clause", message("{}: {}", "a.png", message("raise it")), "a.png：请提高它");
        row("a clause in a clause",
            message("{}: {}", "a", message("{}: {}", "b", message("raise it"))),
            "a：b：请提高它");
        row("a clause that is not known",
            message("{}: {}", "a.png", message("never heard of {}", 1)),
            "a.png：never heard of 1");
        row("a clause that is not translated",
            message("{}: {}", "a.png", message("not translated {}", 1)),
            "a.png：not translated 1");
        row("a text that looks like a message", message("{}: {}", "a", "raise it"), "a：raise it");
        row("a name in its quotes", message("the {} needs {}", "\"a b\"", 3), "“a b”需要 3");
        row("a name in quotes of the format",
            message("there is no sampler \"{}\"", "denoiser"),
            "没有采样器“denoiser”");
        row("a word", message("the {} needs {}", "denoiser", 3), "去噪网络需要 3");
        row("no space between Chinese",
            message("the {} needs {}", "denoiser", message("raise it")),
            "去噪网络需要请提高它");
        row("braces", message("write {{\"vae\": {}}}", 1), "请写 {\"vae\": 1}");
        row("one", plural(1, "{} file is missing", "{} files are missing", 1), "缺少 1 个文件");
        row("several", plural(2, "{} file is missing", "{} files are missing", 2), "缺少 2 个文件");
        row("a list",
            joined(
                std::vector<Message>{message("raise it"), Message("b"), message("{} of {}", 1, 2)},
                "; "),
            "请提高它；b；2 的 1");
        row("another separator",
            joined(std::vector<Message>{message("raise it"), Message("b")}, " or "),
            "请提高它 or b");
        // Refused by check_translations.py; a program shows what it can.
        row("a placeholder too many", message("with a placeholder too many {}", 1), "1和");
    }

    void aMessageIsFoundByItsFormat() {
        QFETCH(Message, english);
        QTEST(MessageTexts(texts_).text(english, wordOf).value_or(QString()), "text");
    }

    void whatHasNoTranslationIsNotKnown() {
        const MessageTexts texts(texts_);
        QVERIFY(!texts.text(message("never heard of it"), wordOf));
        QVERIFY(!texts.text(message("not translated {}", 1), wordOf));
        QVERIFY(!texts.text(Message("raise it"), wordOf));
        QVERIFY(!MessageTexts("damaged").text(message("raise it"), wordOf));
        QVERIFY(!MessageTexts({}).text(message("raise it"), wordOf));
    }

    void aTextIsFoundAmongTheWords() {
        const KeyedTexts texts(R"({"word/step cache": {"en": "step cache", "text": "步间缓存"},
                                   "word/node {0}": {"en": "node {0}", "text": "节点 {0}"}})",
                               texts_);
        QCOMPARE(texts.message(Message("step cache")), std::optional(QString("步间缓存")));
        QCOMPARE(texts.message(message("{}: {}", "node 3", message("raise it"))),
                 std::optional(QString("节点 3：请提高它")));
        QCOMPARE(texts.message(message("{}: {}", "a step cache", message("raise it"))),
                 std::optional(QString("a step cache：请提高它")));
        QVERIFY(!texts.message(Message("raise it")));
        QVERIFY(!texts.message(message("it was {}", 3)));
    }

    /// Of the real texts, as the module and the memory planner make them.
    void whatOftenHappensIsReportedInChinese_data() {
        QTest::addColumn<Message>("english");
        QTest::addColumn<QString>("text");
        row("a file", message("the file {} was not found", "\"a.png\""), "未找到文件“a.png”");
        row("a number",
            message("guidance is {} but there is no negative conditioning", 7.5),
            "引导强度为 7.5，但没有反向条件");
        row("a loss",
            message("the weights of the {} are stored as {}, its file has {}",
                    "denoiser",
                    "f16",
                    "f32"),
            "去噪网络的权重存储为 f16，文件中为 f32");
        row("a remedy",
            message("set the memory policy of {} and of its components to {}: it then needs {}",
                    "decode",
                    "leaf",
                    "1.0 GiB"),
            "请把 decode 及其组件的显存策略设为 leaf：只需 1.0 GiB");
    }

    void whatOftenHappensIsReportedInChinese() {
        QFETCH(Message, english);
        Language language;
        language.use("zh_CN");
        QTEST(moduleSentence(english), "text");
    }

    /// As the module's answers come: what is not known is kept behind words that state its code.
    void anIssueIsReportedByItsFormat() {
        const auto before = ModuleTexts::current();
        ModuleTexts::setCurrent(std::make_shared<KeyedTexts>(
            R"({"issue/odd/message": {"en": "{message}", "text": "怪：{message}"}})", texts_));
        Issue known{
            .code = "odd", .message = message("{} of {}", 1, 2), .hint = phrase("raise it")};
        reword(known);
        Issue unknown{.code = "odd", .message = message("{} was odd", 1)};
        reword(unknown);
        ModuleTexts::setCurrent(before);
        QCOMPARE(QString::fromStdString(known.message.str()), QString("2 的 1"));
        QCOMPARE(QString::fromStdString(known.hint.str()), QString("请提高它"));
        QCOMPARE(QString::fromStdString(unknown.message.str()), QString("怪：1 was odd"));
    }

private:
    static void row(const char* name, const Message& english, const char* text) {
        QTest::newRow(name) << english << QString::fromUtf8(text);
    }

    QByteArray texts_;
};

LOWTIDE_TEST(MessageTextsTest)

}  // namespace message_texts_test

Q_DECLARE_METATYPE(lowtide::Message)

#include "message_texts_test.moc"
