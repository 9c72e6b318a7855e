#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/adapter_case.hpp"

#include <QtTest/QtTest>

namespace combined_golden_test {

using namespace lowtide;

/// LoRAs, ControlNets, IP-Adapters and textual inversions together: each value that diffusers'
/// pipelines compute with them, for every case of combined_cases.json.
class CombinedGoldenTest : public QObject {
    Q_OBJECT

    QString goldens_;
    Json cases_;

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::combinedGoldenFolder();
        cases_ = testing::readCases("combined_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    /// What every kind of adapter leaves behind is among what was recorded.
    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string key = test.contains("adapters")   ? "ip.embeds.0"
                                : test.contains("controls") ? "control.pixels.000"
                                                            : "";
        const std::string problems = testing::adaptedCaseProblems(test, goldens_, key);
        QVERIFY2(problems.empty(), problems.c_str());
    }
};

LOWTIDE_TEST(CombinedGoldenTest)

}  // namespace combined_golden_test

#include "combined_golden_test.moc"
