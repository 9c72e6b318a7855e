#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/test_devices.hpp"

#include <QTest>

namespace profile_test {

using namespace lowtide;
using memory::DeviceProfile;
using memory::DeviceSpec;

namespace {

const DeviceProfile kMeasured{.copyBytesPerSecond = 1e9,
                              .copyOverhead = 1e-6,
                              .flopsPerSecond = 1e12,
                              .leafOverhead = 1e-6,
                              .measuredOn = "2026-11-21"};

}  // namespace

/// Which speeds the engine reports to the plan.
class ProfileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        residency_ =
            std::make_unique<residency::Residency>(std::make_unique<testing::TestDevices>());
        residency_->open(cpu_);
        residency_->open(fake_);
    }

    void guesses_whereNothingWasMeasured() {
        QVERIFY(residency_->profile(cpu_) == memory::estimatedProfile("cpu"));
        residency_->setProfiles([](const memory::DeviceInfo&) { return std::nullopt; });
        QVERIFY(residency_->profile(cpu_) == memory::estimatedProfile("cpu"));
    }

    void asksOncePerDevice() {
        std::vector<std::string> asked;
        residency_->setProfiles([&](const memory::DeviceInfo& device) {
            asked.push_back(device.id);
            return std::optional(kMeasured);
        });

        QVERIFY(residency_->profile(cpu_) == kMeasured);
        QVERIFY(residency_->profile(cpu_) == kMeasured);

        QCOMPARE(asked, std::vector<std::string>{"cpu"});
    }

    void asksAgain_whenItWasRemeasured() {
        QVERIFY(residency_->profile(cpu_).isEstimated());

        residency_->setProfiles([](const memory::DeviceInfo&) { return std::optional(kMeasured); });

        QVERIFY(residency_->profile(cpu_) == kMeasured);
    }

    /// Its plans are the same on every machine.
    void aRehearsalKeepsItsStatedSpeeds() {
        residency_->setProfiles([](const memory::DeviceInfo&) { return std::optional(kMeasured); });

        QVERIFY(residency_->profile(fake_) == memory::estimatedProfile("fake"));
    }

private:
    const DeviceSpec cpu_{};
    const DeviceSpec fake_{.kind = "fake"};
    std::unique_ptr<residency::Residency> residency_;
};

LOWTIDE_TEST(ProfileTest)

}  // namespace profile_test

#include "profile_test.moc"
