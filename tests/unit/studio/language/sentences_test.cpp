// Sentences of the module in another language: by their patterns, clause by clause.
#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"

#include <QFile>
#include <QRegularExpression>
#include <QtTest/QtTest>

namespace sentences_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

Sentences someSentences() {
    Sentences known;
    known.add("the {0} needs {1}", "{0}需要 {1}");
    known.add("the {0} needs {1} of {2}", "{0}需要 {2} 的 {1}");
    known.add("{0} is {1}", "{0} 为 {1}");
    known.add("there is no sampler \"{0}\"", "没有采样器“{0}”");
    known.add("node {0}", "节点 {0}");
    known.add("{1}, which is new", "{1}，它是新的");
    known.add("use {0} {1}", "请使用 {0} {1}");
    known.add("denoiser", "去噪网络");
    known.add("raise it", "请提高它");
    return known;
}

/// The text with something in each place.
QString filled(QString text) {
    for (int i = 0; i < 10; ++i) {
        text.replace(QStringLiteral("{%1}").arg(i), QStringLiteral("X%1").arg(i));
    }
    return text;
}

}  // namespace

class SentencesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aSentenceIsFoundByItsPattern_data() {
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("said");
        QTest::newRow("whole") << "raise it"
                               << "请提高它";
        QTest::newRow("values") << "the file needs 3"
                                << "file需要 3";
        QTest::newRow("the longest pattern") << "the file needs 3 of 4"
                                             << "file需要 4 的 3";
        QTest::newRow("a clause in it") << "the denoiser needs 3"
                                        << "去噪网络需要 3";
        QTest::newRow("no space between Chinese") << "use denoiser denoiser"
                                                  << "请使用去噪网络去噪网络";
        QTest::newRow("a name stays") << "there is no sampler \"denoiser\""
                                      << "没有采样器“denoiser”";
        QTest::newRow("a name in its quotes") << "the \"a b\" needs 3"
                                              << "“a b”需要 3";
        QTest::newRow("clauses") << "raise it; the file needs 3"
                                 << "请提高它；file需要 3";
        QTest::newRow("subject") << "a/b.safetensors: raise it"
                                 << "a/b.safetensors：请提高它";
        QTest::newRow("known subject") << "node x: raise it"
                                       << "节点 x：请提高它";
        QTest::newRow("subject and clauses") << "node x: raise it; the file needs 3"
                                             << "节点 x：请提高它；file需要 3";
        QTest::newRow("few letters") << "eta is 3"
                                     << "eta 为 3";
        QTest::newRow("behind nothing") << ", which is new"
                                        << "，它是新的";
        QTest::newRow("lines") << "the a\nb needs 3"
                               << "a\nb需要 3";
    }

    void aSentenceIsFoundByItsPattern() {
        QFETCH(QString, english);
        QTEST(someSentences().say(english).value_or(QString()), "said");
    }

    void whatIsNotKnownIsNotSaid_data() {
        QTest::addColumn<QString>("english");
        QTest::newRow("nothing") << "";
        QTest::newRow("another") << "never heard of it";
        QTest::newRow("words in places of few letters") << "the roof of it is not new";
        QTest::newRow("one clause of two") << "raise it; never heard of it";
        QTest::newRow("subjects without end") << QString("node x: ").repeated(200);
        QTest::newRow("clauses without end") << QString("raise it; node x: ").repeated(100);
        QTest::newRow("longer than any sentence") << QString("raise it; ").repeated(2000);
    }

    void whatIsNotKnownIsNotSaid() {
        QFETCH(QString, english);
        QVERIFY(!someSentences().say(english));
    }

    /// Of the real texts: what a pattern says is not taken for another one.
    void everySentenceOfTheModuleIsFound() {
        QFile file(testing::sourcePath("resources/translations/module_zh_CN.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray json = file.readAll();
        const KeyedTexts texts(json);
        const Json entries = Json::parse(json.begin(), json.end());
        int count = 0;
        QStringList others;
        for (const auto& [key, entry] : entries.items()) {
            const QString english = QString::fromStdString(key).section(u'/', 1);
            if (!key.starts_with("sentence/") ||
                english == QLatin1String("{1}, {0} were asked for")) {
                continue;
            }
            const QString text = QString::fromStdString(entry.at("text").get<std::string>());
            const QString said = texts.sentence(filled(english)).value_or(QString());
            if (said.simplified() != filled(text).simplified()) {
                others << QString("%1\n  says %2").arg(english, said);
            }
            ++count;
        }
        QVERIFY2(others.isEmpty(), qPrintable(others.join(u'\n')));
        QVERIFY2(count > 1000, qPrintable(QString::number(count)));
    }

    /// As the module and the memory planner make them.
    void whatOftenHappensIsSaidInChinese_data() {
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* english, const char* said) {
            QTest::newRow(english) << QString::fromUtf8(english) << QString::fromUtf8(said);
        };
        row("3.0 GiB of weights, 1.0 GiB of activations and 2.0 MiB of other values do not fit "
            "into "
            "2.0 GiB on cuda:0 (planned for RTX 4060)",
            "3.0 GiB 的权重、1.0 GiB 的激活和 2.0 MiB 的其他值在 cuda:0（为 RTX 4060 规划）的 2.0 "
            "GiB 中放不下");
        row("set the memory policy of decode and of its components to leaf: it then needs 1.0 GiB",
            "请把 decode 及其组件的显存策略设为 leaf：只需 1.0 GiB");
        row("a.safetensors: the file does not say how many norm groups of the autoencoder there "
            "are, 32 do not divide its widths [16, 24]; state it in a.lowtide.json beside the "
            "file: "
            "{\"vae\": {\"norm_num_groups\": NUMBER}}",
            "a.safetensors：文件没有写明有多少VAE 的归一化组，32 不能整除它的宽度 "
            "[16, 24]；请在文件旁的 a.lowtide.json 中写明：{\"vae\": {\"norm_num_groups\": "
            "NUMBER}}");
        row("guidance is 7.5 but there is no negative conditioning",
            "引导强度为 7.5，但没有反向条件");
        row("the policy \"model\" takes no budget of its own", "策略“model”没有自己的预算");
        row("there is no checkpoint \"foo\" beside the graph and in 3 model folders",
            "没有检查点“foo”，查找位置：工作流旁、3 个模型文件夹");
        row("the file \"a.png\" was not found", "未找到文件“a.png”");
        row("the weights of the denoiser are stored as f16, its file has f32; tf32 is on: softer "
            "pictures; about 5 % faster",
            "去噪网络的权重存储为 f16，文件中为 f32；tf32 已开启：图片偏软；约快 5%");
        row("node decode ran out of memory (cpu: 3 MiB for weights do not fit beside the 4 MiB in "
            "use); its memory policy is now leaf, and it runs again",
            "节点 decode 显存不足（cpu：除了已用的 4 MiB，放不下 3 MiB 的权重）；它的显存策略现为 "
            "leaf，然后重新运行");
    }

    void whatOftenHappensIsSaidInChinese() {
        QFETCH(QString, english);
        Language language;
        language.use("zh_CN");
        QTEST(moduleSentence(english.toStdString()), "said");
    }

    void anIssueSaysItsCodeWhereItsSentenceIsNotKnown() {
        Language language;
        language.use("zh_CN");
        Issue issue{.code = "corrupt_file",
                    .message = Message("byte 7 is odd"),
                    .hint = Message("get the file again")};
        reword(issue);
        QCOMPARE(QString::fromStdString(issue.message.str()),
                 QString("文件已损坏或格式不符：byte 7 is odd"));
        QCOMPARE(QString::fromStdString(issue.hint.str()), QString("请重新获取此文件"));
    }
};

LOWTIDE_TEST(SentencesTest)

}  // namespace sentences_test

#include "sentences_test.moc"
