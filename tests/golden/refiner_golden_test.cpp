#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace refiner_golden_test {

using namespace lowtide;

namespace {

/// A number or text goes to both of a key's parameters.
const testing::CaseParameters kParameters = {
    {"share", {"denoise.end_at", "refine.start_at"}},
    {"prompt", {"encode.prompt", "encode_refiner.prompt"}},
    {"negative", {"encode.negative", "encode_refiner.negative"}},
    {"width", {"latent.width"}},
    {"height", {"latent.height"}},
    {"batch", {"latent.batch"}},
    {"steps", {"denoise.steps", "refine.steps"}},
    {"cfg", {"denoise.cfg", "refine.cfg"}},
    {"seed", {"denoise.seed", "refine.seed"}},
    {"sampler", {"denoise.sampler", "refine.sampler"}},
    {"sigmas", {"denoise.sigmas", "refine.sigmas"}}};

}  // namespace

/// A base and its refiner, base_refiner.json: every value that diffusers' pipelines compute with
/// denoising_end and denoising_start, for every case of refiner_cases.json, or where the whole test
/// is asked for of refiner_all_cases.json.
class RefinerGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        const QString cases = testing::isWholeTest() ? "refiner_all_cases" : "refiner_cases";
        goldens_ = testing::refinerGoldenFolder(cases);
        cases_ = testing::readCases(cases);
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        QStringList settings = testing::caseSettings(test, kParameters);
        for (const auto& [key, node] :
             {std::pair("checkpoint", "load"), std::pair("refiner", "load_refiner")}) {
            settings << QString("%1.checkpoint=%2/checkpoints/%3")
                            .arg(node, goldens_, testing::caseText(test.at(key)));
        }
        const std::string problems = testing::caseProblems(test,
                                                           goldens_,
                                                           testing::exampleGraph("base_refiner"),
                                                           settings,
                                                           "refine/added.time_ids");
        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(RefinerGoldenTest)

}  // namespace refiner_golden_test

#include "refiner_golden_test.moc"
