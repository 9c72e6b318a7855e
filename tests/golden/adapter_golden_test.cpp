#include "tests/fixtures/command.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/tested_family.hpp"
#include "tests/golden/adapter_case.hpp"
#include "tests/golden/case_problems.hpp"

#include <QtTest/QtTest>

namespace adapter_golden_test {

using namespace lowtide;

namespace {

/// LoRA files of every spelling, IP-Adapters, ControlNets and T2I-Adapters on every construction,
/// and all of them together with textual inversions.
struct Adapters {
    std::string name;  ///< of <name>_cases.json
    QString (*goldens)();
    /// Of a value that must be among those recorded.
    std::string (*key)(const Json& test) = [](const Json&) { return std::string(); };
    QString example{};  ///< that does what the graph of the first case does
    QStringList (*files)(const Json& test, const QString& goldens) = nullptr;
};

const Adapters kAdapters[] = {
    {.name = "lora",
     .goldens = testing::loraGoldenFolder,
     .example = "lora",
     .files =
         [](const Json& test, const QString& goldens) {
             return QStringList{"lora.file=" +
                                testing::loraFile(test, test.at("loras").front(), goldens)};
         }},
    {.name = "ip",
     .goldens = testing::ipGoldenFolder,
     .key = [](const Json&) { return std::string("ip.embeds.0"); },
     .example = "ip_adapter",
     .files =
         [](const Json& test, const QString& goldens) {
             const Json& adapter = test.at("adapters").front();
             const Json& image = adapter.at("images").front();
             return QStringList{"load_ip.adapter=" + testing::ipAdapterFile(test, adapter, goldens),
                                "load_reference.image=" + testing::imageFile(image, goldens)};
         }},
    {.name = "control",
     .goldens = testing::controlGoldenFolder,
     .key =
         [](const Json& test) {
             const bool isAdapter = test.at("controls").front().at("variant").is_string();
             return std::string(isAdapter ? "model_out.000" : "control.pixels.000");
         },
     .example = "controlnet",
     .files =
         [](const Json& test, const QString& goldens) {
             const Json& control = test.at("controls").front();
             return QStringList{
                 "load_control.controlnet=" + testing::controlFolder(test, control, goldens),
                 "load_hint.image=" + testing::imageFile(control.at("image"), goldens)};
         }},
    {.name = "combined", .goldens = testing::combinedGoldenFolder, .key = [](const Json& test) {
         return std::string(test.contains("adapters")   ? "ip.embeds.0"
                            : test.contains("controls") ? "control.pixels.000"
                                                        : "");
     }}};

}  // namespace

/// Each value that diffusers' pipelines compute with adapters, for every case.
class AdapterGoldenTest : public QObject {
    Q_OBJECT

    const Adapters& adapters_ = testing::ofTestedFamily(kAdapters);
    QString goldens_;
    Json cases_;

private Q_SLOTS:

    void initTestCase() {
        goldens_ = adapters_.goldens();
        cases_ = testing::readCases(QString::fromStdString(adapters_.name + "_cases"));
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const std::string problems =
            testing::adaptedCaseProblems(test, goldens_, adapters_.key(test));
        QVERIFY2(problems.empty(), problems.c_str());
    }

    void theExampleAgrees() {
        if (!adapters_.files) {
            QSKIP("there is no example with all adapters together");
        }
        const Json& test = cases_.front();
        const std::string problems = testing::caseProblems(
            test,
            goldens_,
            testing::exampleGraph(adapters_.example),
            testing::plainSettings(test, goldens_) + adapters_.files(test, goldens_));
        QVERIFY2(problems.empty(), problems.c_str());
    }
};

LOWTIDE_TEST(AdapterGoldenTest)

}  // namespace adapter_golden_test

#include "adapter_golden_test.moc"
