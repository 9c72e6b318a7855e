#include "tests/fixtures/command.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/adapter_case.hpp"
#include "tests/golden/case_problems.hpp"

#include <QtTest/QtTest>

namespace control_golden_test {

using namespace lowtide;

/// ControlNets and T2I-Adapters on every construction: each value that diffusers' pipelines compute
/// with them, for every case of control_cases.json.
class ControlGoldenTest : public QObject {
    Q_OBJECT

    QString goldens_;
    Json cases_;

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::controlGoldenFolder();
        cases_ = testing::readCases("control_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const bool isAdapter = test.at("controls").front().at("variant").is_string();
        const std::string problems = testing::adaptedCaseProblems(
            test, goldens_, isAdapter ? "model_out.000" : "control.pixels.000");
        QVERIFY2(problems.empty(), problems.c_str());
    }

    /// The example does what the graph of the first case does.
    void theExampleAgrees() {
        const Json& test = cases_.front();
        const Json& control = test.at("controls").front();
        QStringList settings = testing::plainSettings(test, goldens_);
        settings << "load_control.controlnet=" + testing::controlFolder(test, control, goldens_)
                 << "load_hint.image=" + testing::imageFile(control.at("image"), goldens_);
        const std::string problems =
            testing::caseProblems(test, goldens_, testing::exampleGraph("controlnet"), settings);
        QVERIFY2(problems.empty(), problems.c_str());
    }
};

LOWTIDE_TEST(ControlGoldenTest)

}  // namespace control_golden_test

#include "control_golden_test.moc"
