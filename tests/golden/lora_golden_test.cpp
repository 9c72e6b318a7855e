#include "tests/fixtures/command.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/adapter_case.hpp"
#include "tests/golden/case_problems.hpp"

#include <QtTest/QtTest>

namespace lora_golden_test {

using namespace lowtide;

/// LoRA files of every spelling on every construction: each value that diffusers' pipelines compute
/// with them, for every case of lora_cases.json.
class LoraGoldenTest : public QObject {
    Q_OBJECT

    QString goldens_;
    Json cases_;

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::loraGoldenFolder();
        cases_ = testing::readCases("lora_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string problems = testing::adaptedCaseProblems(test, goldens_);
        QVERIFY2(problems.empty(), problems.c_str());
    }

    /// The example does what the graph of the first case does.
    void theExampleAgrees() {
        const Json& test = cases_.front();
        QStringList settings = testing::plainSettings(test, goldens_);
        settings << "lora.file=" + testing::loraFile(test, test.at("loras").front(), goldens_);
        const std::string problems =
            testing::caseProblems(test, goldens_, testing::exampleGraph("lora"), settings);
        QVERIFY2(problems.empty(), problems.c_str());
    }
};

LOWTIDE_TEST(LoraGoldenTest)

}  // namespace lora_golden_test

#include "lora_golden_test.moc"
