#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/matrix/cases.hpp"
#ifdef LOWTIDE_GPU_MATRIX
#include "tests/gpu/gpu.hpp"
#endif

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>
#include <random>
#include <set>

namespace matrix_test {

using namespace lowtide;

namespace {

const std::vector<std::string> kPolicies = {"none",
                                            "model",
                                            "model+stream",
                                            "sequential",
                                            "block:1",
                                            "block:1+stream",
                                            "block:2",
                                            "block:2+stream",
                                            "leaf",
                                            "leaf+stream",
                                            "auto"};

/// What differs where weights lie in the host's memory: they are read where the file is mapped,
/// pass through slots with copies ahead, through one slot, or as the plan decides.
const std::set<std::string> kPoliciesOnHost = {"none", "block:1+stream", "leaf", "auto"};

enum class Budget { Full, Half, Minimum };

#ifdef LOWTIDE_GPU_MATRIX
constexpr const char* kDevices[] = {"cuda:0"};
constexpr const char* kOfMixes = kDevices[0];
constexpr const char* kExpectedOf = kDevices[0];  ///< bits are guaranteed for one device
constexpr bool kIsOnGpu = true;
#else
constexpr const char* kDevices[] = {"fake:1GiB", "cpu"};
constexpr const char* kOfMixes = kDevices[0];
constexpr const char* kExpectedOf = "cpu";
constexpr bool kIsOnGpu = false;
#endif

const int kMixes = kIsFull ? 200 : 40;

/// Several processes share the cases: LOWTIDE_MATRIX_PART is "1/4" to "4/4".
const QList<QByteArray> kPart = qgetenv("LOWTIDE_MATRIX_PART").split('/');

bool isInThisPart(size_t index) {
    return kPart.size() < 2 || index % kPart[1].toUInt() + 1 == kPart[0].toUInt();
}

/// Planned and measured peaks may differ by this part of the measured one (design: 5 %).
constexpr double kPeakTolerance = 0.05;

}  // namespace

class MatrixTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    const std::vector<Case> cases_ = cases();
    std::map<std::string, QByteArray> expected_;  ///< per case: kExpectedOf, policy none
    std::map<std::string, int64_t> wholePeak_;    ///< per case and device: policy none
    int64_t left_ = 0;                            ///< bytes on the fake devices after the last run
    int cells_ = 0;
    int equal_ = 0;
    int refused_ = 0;
    std::vector<double> misses_;  ///< predicted peaks over measured ones, less 1

    std::string graphOf(const Case& each) {
        return each.example.startsWith('{') ? each.example.toStdString()
                                            : testing::exampleText(each.example);
    }

    Json optionsOf(const Case& each,
                   const std::string& device,
                   const std::vector<std::string>& policies) {
        std::vector<std::string> precisions = each.precisions;
        for (const std::string& stage : each.stages) {
            if (!each.precision.empty()) {
                precisions.push_back(stage + "=" + each.precision);
            }
        }
        return {{"set", each.set},
                {"policies", policies},
                {"precisions", precisions},
                {"device", device},
                {"out", folder_.path().toStdString()}};
    }

    static std::vector<std::string> everywhere(const Case& each, const std::string& policy) {
        std::vector<std::string> policies;
        for (const std::string& stage : each.stages) {
            policies.push_back(stage + "=" + policy);
        }
        return policies;
    }

    Json planOf(const Case& each, const Json& options) {
        std::string result;
        const Status status =
            testing::openModule().runner()->plan(graphOf(each), options.dump(), result);
        return status == Status::Ok ? Json::parse(result).at("plan") : Json();
    }

    testing::ModuleRun run(const Case& each, Json options) {
        options["dump"] = folder_.filePath("dump.safetensors").toStdString();
        testing::EventLog log;
        testing::ModuleRun ended = testing::runModule(graphOf(each), options, log);
        testing::openModule().runner()->release("all");
        left_ = kIsOnGpu ? 0 : testing::bytesOn("fake") + testing::bytesOn("fake:1");
        return ended;
    }

    const QByteArray& expectedOf(const Case& each) {
        QByteArray& expected = expected_[each.name];
        if (expected.isEmpty()) {
            const testing::ModuleRun ended =
                run(each, optionsOf(each, kExpectedOf, everywhere(each, "none")));
            if (ended.status != Status::Ok) {
                qWarning("%s: %s", each.name.c_str(), ended.report.dump().c_str());
            }
            expected = ended.dump;
        }
        return expected;
    }

    int64_t wholePeakOf(const Case& each, const std::string& device) {
        int64_t& peak = wholePeak_[each.name + device];
        if (peak == 0) {
            const Json plan = planOf(each, optionsOf(each, device, everywhere(each, "none")));
            peak = plan.at("devices").at(0).at("peak").get<int64_t>();
        }
        return peak;
    }

    /// Empty when the cell is right, else what is wrong.
    std::string fault(const Case& each, const Json& options, bool isNear = true) {
        const QByteArray& expected = expectedOf(each);
        if (expected.size() <= 10000) {
            return "has no whole result with policy none";
        }
        const testing::ModuleRun ended = run(each, options);
        ++cells_;
        if (left_ != 0) {
            return "leaves " + std::to_string(left_) + " bytes";
        }
        if (ended.status == Status::Invalid) {
            const Json& issue = ended.report.at("issues").back();
            if (issue.at("code") != "memory_infeasible" || issue.value("node", "").empty()) {
                return "refused without the node: " + issue.dump();
            }
            ++refused_;
            return {};
        }
        if (ended.status != Status::Ok) {
            return "failed: " + ended.report.at("issues").dump();
        }
        if (ended.dump != expected) {
            return std::string("other bits than with policy none on ") + kExpectedOf;
        }
        ++equal_;
        const std::string budget = options.value("memoryBudget", std::string());
        const Json& bounded = ended.report.at("plan").at("devices").at(0).at("capacity");
        if (!budget.empty() && budget.find('=') == std::string::npos && bounded.dump() != budget) {
            return "is planned within " + bounded.dump() + " of " + budget;
        }
        const std::string ofAccounting = faultOfAccounting(ended.report);
        return ofAccounting.empty() && isNear ? faultOfGuess(ended.report) : ofAccounting;
    }

    static std::string faultOfTraffic(const Json& report) {
        int64_t planned = 0;
        for (const Json& stage : report.at("plan").at("stages")) {
            planned += stage.at("moved").get<int64_t>();
        }
        const Json& traffic = report.at("repetitions").back().at("traffic");
        const int64_t moved = traffic.at("bytesToDevice").get<int64_t>();
        if (moved != planned) {
            return "moved " + std::to_string(moved) + " bytes, planned " + std::to_string(planned);
        }
        for (const Json& stage : traffic.at("stages")) {
            const Json& plans = report.at("plan").at("stages");
            const auto plan = std::find_if(plans.begin(), plans.end(), [&](const Json& each) {
                return each.at("node") == stage.at("node");
            });
            if (plan != plans.end() && plan->at("patterns") != stage.at("patterns")) {
                return "forwards moved " + stage.at("patterns").dump() + ", planned " +
                       plan->at("patterns").dump();
            }
        }
        return {};
    }

    /// No device holds more than was planned, and nothing more is planned than it may hold.
    static std::string faultOfAccounting(const Json& report) {
        const std::string ofTraffic = faultOfTraffic(report);
        if (!ofTraffic.empty()) {
            return ofTraffic;
        }
        for (const Json& device : report.at("plan").at("devices")) {
            const std::string id = device.at("device").get<std::string>();
            const auto peak =
                report.at("repetitions").back().at("ledger").at(id).at("peak").get<int64_t>();
            const auto predicted = device.at("peak").get<int64_t>();
            if (peak > predicted) {
                return id + " held " + std::to_string(peak) + ", planned " +
                       std::to_string(predicted);
            }
            const auto capacity = device.at("capacity").get<int64_t>();
            if (capacity > 0 && predicted > capacity) {
                return id + " is planned to hold " + std::to_string(predicted) + " of " +
                       std::to_string(capacity);
            }
        }
        return {};
    }

    /// What was planned is near what was held.
    std::string faultOfGuess(const Json& report) {
        for (const Json& device : report.at("plan").at("devices")) {
            const std::string id = device.at("device").get<std::string>();
            const auto peak =
                report.at("repetitions").back().at("ledger").at(id).at("peak").get<int64_t>();
            const auto predicted = device.at("peak").get<int64_t>();
            if (id == "fake" || kIsOnGpu) {
                const double miss = static_cast<double>(predicted - peak) /
                                    static_cast<double>(std::max<int64_t>(peak, 1));
                misses_.push_back(miss);
                if (kIsOnGpu && std::abs(miss) > kPeakTolerance) {
                    qInfo("%s predicted %lld, measured %lld: %.1f %%",
                          id.c_str(),
                          static_cast<long long>(predicted),
                          static_cast<long long>(peak),
                          100 * miss);
                }
            }
            if (id == "fake" && std::abs(static_cast<double>(predicted - peak)) >
                                    kPeakTolerance * static_cast<double>(peak)) {
                return "predicted a peak of " + std::to_string(predicted) + ", measured " +
                       std::to_string(peak);
            }
        }
        return {};
    }

    void checkCell(const Case& each,
                   const std::string& device,
                   const std::string& policy,
                   Budget kind) {
        Json options = optionsOf(each, device, everywhere(each, policy));
        std::optional<int64_t> budget;
        if (kind == Budget::Half) {
            budget = wholePeakOf(each, device) / 2;
        } else if (kind == Budget::Minimum) {
            budget = planOf(each, options).at("devices").at(0).at("minimum").get<int64_t>();
        }
        if (budget) {
            options["memoryBudget"] = std::to_string(*budget);
        }
        options["repeat"] = kIsFull ? 3 : 1;
        const int refusedBefore = refused_;
        const std::string wrong = fault(each, options);
        QVERIFY2(wrong.empty(), (each.name + ", " + device + ", " + policy + ": " + wrong).c_str());
        if (kind != Budget::Half) {
            QCOMPARE(refused_, refusedBefore);  // what the plan calls the minimum must run
        }
    }

    /// Every budget with every policy; where time is short all of them for the first case, and for
    /// each other case a quarter of the policies with one budget each, so that every policy meets
    /// every budget in several cases. On the host the policies that differ there.
    void addRows(size_t which, const char* device) {
        const bool isFirst = which == 0 && device == kDevices[0];
        for (size_t policy = 0; policy < kPolicies.size(); ++policy) {
            if (!kIsFull && device == QString("cpu") &&
                !kPoliciesOnHost.contains(kPolicies[policy])) {
                continue;
            }
            for (size_t budget = 0; budget < 3; ++budget) {
                if (kIsFull || isFirst || (which + policy) % 12 == budget) {
                    QTest::addRow("%s, %s, %s, %zu",
                                  cases_[which].name.c_str(),
                                  device,
                                  kPolicies[policy].c_str(),
                                  budget)
                        << static_cast<int>(which) << QString(device)
                        << QString::fromStdString(kPolicies[policy]) << static_cast<int>(budget);
                }
            }
        }
    }

private Q_SLOTS:

    void initTestCase() {
#ifdef LOWTIDE_GPU_MATRIX
        LOWTIDE_NEEDS_GPU();
#endif
    }

    void everyPolicyAtEveryBudget_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("budget");
        for (size_t which = 0; which < cases_.size(); ++which) {
            for (const char* device : kDevices) {
                if (isInThisPart(which)) {
                    addRows(which, device);
                }
            }
        }
    }

    void everyPolicyAtEveryBudget() {
        QFETCH(int, which);
        QFETCH(QString, device);
        QFETCH(QString, policy);
        QFETCH(int, budget);
        checkCell(cases_[static_cast<size_t>(which)],
                  device.toStdString(),
                  policy.toStdString(),
                  static_cast<Budget>(budget));
    }

    void randomMixesOfPoliciesAndDevices() {
        std::mt19937 random(20);
        const auto pick = [&](size_t count) { return static_cast<size_t>(random() % count); };
        for (int mix = 0; mix < kMixes; ++mix) {
            const Case& each = cases_[pick(cases_.size())];
            std::vector<std::string> policies;
            for (const std::string& stage : each.stages) {
                const char* device = pick(4) == 0 && !kIsOnGpu ? "@cpu" : "";
                policies.push_back(stage + "=" + kPolicies[pick(kPolicies.size())] + device);
            }
            if (!isInThisPart(static_cast<size_t>(mix))) {
                continue;
            }
            const std::string wrong = fault(each, optionsOf(each, kOfMixes, policies));
            QVERIFY2(wrong.empty(),
                     (each.name + ", " + Json(policies).dump() + ": " + wrong).c_str());
        }
    }

    void theHostHasABudgetAndStagesComputeOnTwoDevices_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("policy");
        for (size_t which = 0; which < cases_.size(); ++which) {
            for (size_t policy = 0; policy < kPolicies.size(); ++policy) {
                if (!kIsOnGpu && isInThisPart(which) &&
                    (kIsFull || which % kPolicies.size() == policy)) {
                    QTest::addRow("%s, %s", cases_[which].name.c_str(), kPolicies[policy].c_str())
                        << static_cast<int>(which) << QString::fromStdString(kPolicies[policy]);
                }
            }
        }
        if (!kIsOnGpu && isInThisPart(0)) {
            QTest::addRow("%s, pinned", cases_.front().name.c_str())
                << 0 << "leaf+stream,pin=64KiB";
        }
    }

    /// Each device at the smallest budget that its plan states, all at once; one byte less of any
    /// is refused before the run.
    void theHostHasABudgetAndStagesComputeOnTwoDevices() {
        QFETCH(int, which);
        QFETCH(QString, policy);
        const Case& each = cases_[static_cast<size_t>(which)];
        std::vector<std::string> policies;
        bool isApart = false;  // a stage does not know which of its activations lie where
        for (size_t stage = 0; stage < each.stages.size(); ++stage) {
            policies.push_back(each.stages[stage] + "=" + policy.toStdString() +
                               (stage % 2 == 0 ? "@fake:0" : "@fake:1"));
            isApart = isApart || each.stages[stage].find('.') != std::string::npos;
        }
        Json options = optionsOf(each, "cpu", policies);
        std::map<std::string, int64_t> budgets;
        options["memoryBudget"] = "1GiB,fake:0=1GiB,fake:1=1GiB";
        const Json plan = planOf(each, options);
        for (const Json& device : plan.at("devices")) {
            budgets[device.at("device")] = device.at("minimum").get<int64_t>();
        }
        QCOMPARE(budgets.size(), size_t{3});  // of the host, fake:0 and fake:1
        const auto textOf = [&](const std::string& shortOne) {
            std::string text;
            for (const auto& [device, bytes] : budgets) {
                text += (text.empty() ? "" : ",") + device + "=" +
                        std::to_string(bytes - (device == shortOne ? 1 : 0));
            }
            return text;
        };
        options["memoryBudget"] = textOf({});
        const int refusedBefore = refused_;
        const std::string wrong = fault(each, options, !isApart);
        QVERIFY2(wrong.empty(), (each.name + ": " + wrong).c_str());
        QCOMPARE(refused_, refusedBefore);
        for (const auto& [device, bytes] : budgets) {
            options["memoryBudget"] = textOf(device);
            QVERIFY2(planOf(each, options).is_null(), device.c_str());
        }
    }

    /// What a ControlNet makes on the host is not predicted with the denoiser.
    void componentsElsewhereTakeNothingHere() {
        if (kIsOnGpu) {
            qInfo("of the rehearsed card");
            return;
        }
        for (const char* name : {"ControlNet", "two ControlNets"}) {
            const auto found = std::find_if(
                cases_.begin(), cases_.end(), [&](const auto& each) { return each.name == name; });
            std::vector<std::string> policies;
            for (const std::string& stage : found->stages) {
                policies.push_back(stage + (stage == "denoise" ? "=none" : "=none@cpu"));
            }
            const std::string wrong = fault(*found, optionsOf(*found, kOfMixes, policies));
            QVERIFY2(wrong.empty(), (found->name + ": " + wrong).c_str());
        }
    }

    /// What the first run keeps for later leaves before the second would be refused.
    void aSecondRunAtTheMinimumIsNotRefused() {
        const Case& each = cases_.front();
        for (const char* device : kDevices) {
            Json options = optionsOf(each, device, everywhere(each, "leaf"));
            const Json plan = planOf(each, options);
            options["memoryBudget"] =
                std::to_string(plan.at("devices").at(0).at("minimum").get<int64_t>());
            for (int run = 0; run < 2; ++run) {
                options["set"].push_back("denoise.seed=" + std::to_string(run));
                const Json again = planOf(each, options);
                QVERIFY(!again.is_null());
                QCOMPARE(again.at("devices").at(0).at("minimum"),
                         plan.at("devices").at(0).at("minimum"));
                testing::EventLog log;
                const testing::ModuleRun ended = testing::runModule(graphOf(each), options, log);
                QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
            }
            testing::openModule().runner()->release("all");
        }
    }

    void oneByteBelowTheMinimumIsRefused() {
        const Case& each = cases_.front();
        for (const std::string& policy : kPolicies) {
            Json options = optionsOf(each, kOfMixes, everywhere(each, policy));
            const Json plan = planOf(each, options);
            const auto minimum = plan.at("devices").at(0).at("minimum").get<int64_t>();
            options["memoryBudget"] = std::to_string(minimum - 1);
            QVERIFY2(planOf(each, options).is_null(), policy.c_str());
            const int before = refused_;
            const std::string wrong = fault(each, options);
            QVERIFY2(wrong.empty() && refused_ == before + 1, (policy + ": " + wrong).c_str());
        }
    }

    /// A stage of two networks, one of which is placed by itself: whatever the stage is tightened
    /// to, each goes on computing where it did.
    void componentsRemainWhereTheyCompute_onEveryRung() {
        if (kIsOnGpu) {
            qInfo("of the rehearsed card");
            return;
        }
        const auto found = std::find_if(cases_.begin(), cases_.end(), [](const Case& each) {
            return each.example == "speed_then_finish";
        });
        const auto runFailing = [&](const std::string& arenas) {
            Json options =
                optionsOf(*found, "fake:1GiB,fail=arena:" + arenas, everywhere(*found, "none"));
            options["policies"].push_back("detail=model");
            options["policies"].push_back("detail.autoencoder=model@cpu");
            return run(*found, options);
        };
        const testing::ModuleRun whole = runFailing("1000000");
        const auto last =
            whole.report.at("rehearsal").at("fake").at("allocations").at("arena").get<int64_t>();
        for (const int failures : {1, 2, 3, 4}) {  // the last arena is the detail's denoiser's
            const testing::ModuleRun ended =
                runFailing(std::to_string(last) + "-" + std::to_string(last + failures));
            const std::string report = ended.report.dump();
            QVERIFY2(ended.status == Status::Ok, report.c_str());
            QVERIFY(ended.dump == expectedOf(*found));
            QCOMPARE(ended.report.at("issues").size(), static_cast<size_t>(failures + 1));
            std::set<std::string> positions;
            for (const Json& component : ended.report.at("plan").at("components")) {
                positions.insert(component.at("role").get<std::string>() + "@" +
                                 component.at("device").get<std::string>());
            }
            QVERIFY2(positions.contains("autoencoder@cpu") && positions.contains("denoiser@fake"),
                     report.c_str());
            QCOMPARE(positions.size(), size_t(4));  // encode's and decode's in addition
        }
    }

    void cleanupTestCase() {
        std::sort(misses_.begin(), misses_.end());
        qInfo(
            "%d combinations: %d bit-equal, %d refused with their node", cells_, equal_, refused_);
        if (!misses_.empty()) {
            qInfo("predicted peaks are off by %.2f to %.2f %%, in the middle %.2f %%",
                  100 * misses_.front(),
                  100 * misses_.back(),
                  100 * misses_[misses_.size() / 2]);
        }
        QCOMPARE(equal_ + refused_, cells_);
    }
};

LOWTIDE_TEST(MatrixTest)

}  // namespace matrix_test

#include "matrix_test.moc"
