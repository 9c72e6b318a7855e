#include "plugin/base/json.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/adapter_case.hpp"

#include <QtTest/QtTest>

namespace embedding_golden_test {

using namespace lowtide;

namespace {

/// A text of a case; its embeddings behind `before` instead of their bare names.
QString textOf(const Json& test, const char* key, const QString& before) {
    QString text = testing::caseText(test.at(key));
    for (const Json& embedding : test.at("embeddings")) {
        const QString name = testing::caseText(embedding.at("name"));
        if (!name.contains(' ')) {
            text.replace(name, before + name);
        }
    }
    return text;
}

}  // namespace

/// Textual inversions of every format: each value that diffusers' pipelines compute with them, for
/// every case of embedding_cases.json.
class EmbeddingGoldenTest : public QObject {
    Q_OBJECT

    QString goldens_;
    Json cases_;

    /// What the run has other than diffusers, with the graph next to the case's embeddings.
    [[nodiscard]] std::string problemsOf(const Json& test,
                                         const QString& weights,
                                         const QString& before) const {
        Json spelled = test;
        for (const char* key : {"prompt", "negative"}) {
            spelled[key] = textOf(test, key, before).toStdString();
        }
        return testing::adaptedCaseProblems(spelled, goldens_, {}, {"encode.weights=" + weights});
    }

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::embeddingGoldenFolder();
        cases_ = testing::readCases("embedding_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const std::string problems = problemsOf(cases_[static_cast<size_t>(index)], "a1111", "");
        QVERIFY2(problems.empty(), problems.c_str());
    }

    /// The same with ComfyUI's spelling, and with texts that are read without weights.
    void otherSpellingsAgree_data() { testing::addCaseRows(cases_, "several"); }

    void otherSpellingsAgree() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string mentioned = problemsOf(test, "compel", "embedding:");
        QVERIFY2(mentioned.empty(), mentioned.c_str());
        const std::string plain = problemsOf(test, "none", "");
        QVERIFY2(plain.empty(), plain.c_str());
    }
};

LOWTIDE_TEST(EmbeddingGoldenTest)

}  // namespace embedding_golden_test

#include "embedding_golden_test.moc"
