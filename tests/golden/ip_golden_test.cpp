#include "tests/fixtures/command.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/adapter_case.hpp"
#include "tests/golden/case_problems.hpp"

#include <QtTest/QtTest>

namespace ip_golden_test {

using namespace lowtide;

/// IP-Adapters on every construction: each value that diffusers' pipelines compute with them, for
/// every case of ip_cases.json.
class IpGoldenTest : public QObject {
    Q_OBJECT

    QString goldens_;
    Json cases_;

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::ipGoldenFolder();
        cases_ = testing::readCases("ip_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string problems = testing::adaptedCaseProblems(test, goldens_, "ip.embeds.0");
        QVERIFY2(problems.empty(), problems.c_str());
    }

    /// The example does what the graph of the first case does.
    void theExampleAgrees() {
        const Json& test = cases_.front();
        const Json& adapter = test.at("adapters").front();
        const Json& image = adapter.at("images").front();
        QStringList settings = testing::plainSettings(test, goldens_);
        settings << "load_ip.adapter=" + testing::ipAdapterFile(test, adapter, goldens_)
                 << "load_reference.image=" + testing::imageFile(image, goldens_);
        const std::string problems =
            testing::caseProblems(test, goldens_, testing::exampleGraph("ip_adapter"), settings);
        QVERIFY2(problems.empty(), problems.c_str());
    }
};

LOWTIDE_TEST(IpGoldenTest)

}  // namespace ip_golden_test

#include "ip_golden_test.moc"
