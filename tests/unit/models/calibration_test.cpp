#include "nodes/engine/calibration.hpp"
#include "plugin/residency/device/device_source.hpp"
#include "plugin/residency/residency.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <c10/core/InferenceMode.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace calibration_test {

using namespace lowtide;
using memory::DeviceSpec;

namespace {

const std::string kLibraries = testing::buildPath("lib").toStdString();

/// The built devices, the fake one with delays of the test.
class SlowDevices final : public residency::DeviceSource {
public:
    explicit SlowDevices(Seconds longestDelay, Bytes pinnable = 0)
        : longestDelay_(longestDelay), pinnable_(pinnable) {}

    std::unique_ptr<residency::Device> open(const DeviceSpec& spec) override {
        return spec.kind == "fake"
                   ? residency::openFakeDevice(kLibraries,
                                               {.capacity = spec.capacity.value_or(kGiB),
                                                .longestDelay = longestDelay_,
                                                .pinnable = pinnable_})
                   : built_->open(spec);
    }

    std::vector<memory::DeviceInfo> available() override { return built_->available(); }

private:
    Seconds longestDelay_;
    Bytes pinnable_;
    std::unique_ptr<residency::DeviceSource> built_ = residency::makeDeviceSource(kLibraries);
};

}  // namespace

/// The measuring itself: through the engine, within some seconds, and nothing remains.
class CalibrationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void measuresAndLeavesNothing_data() {
        QTest::addColumn<QString>("kind");
        QTest::newRow("cpu") << "cpu";
        QTest::newRow("fake") << "fake";
    }

    void measuresAndLeavesNothing() {
        QFETCH(QString, kind);
        const c10::InferenceMode asOnTheRunThread;
        const DeviceSpec device{.kind = kind.toStdString()};
        residency::Residency residency(std::make_unique<SlowDevices>(1e-4));
        residency.open(device);
        const Bytes before = residency.allocatedOn(device);

        const memory::DeviceProfile profile =
            nodes::measureDevice(residency, device, folder_.path().toStdString());

        QVERIFY(profile.copyBytesPerSecond > 1e7 && profile.copyBytesPerSecond < 1e13);
        QVERIFY(profile.convertedBytesPerSecond > 1e7 && profile.convertedBytesPerSecond < 1e13);
        QCOMPARE(profile.mappedBytesPerSecond > 0, kind == "cpu");
        QVERIFY(profile.copyOverhead > 0 && profile.copyOverhead < 0.1);
        QVERIFY(profile.flopsPerSecond > 1e8 && profile.flopsPerSecond < 1e17);
        QVERIFY(profile.leafOverhead >= 0 && profile.leafOverhead < 0.1);
        QCOMPARE(residency.ledger().bytesOn(device.id()), Bytes{0});
        QCOMPARE(residency.allocatedOn(device), before);
        QVERIFY(residency.hazards().empty());
        QVERIFY(QDir(folder_.path()).isEmpty());
    }

    /// A GPU whose copies begin 2 ms late on average must be recognised as such.
    void findsWhatACopyWaits() {
        constexpr Seconds kLongest = 4e-3;
        residency::Residency residency(std::make_unique<SlowDevices>(kLongest));
        const DeviceSpec device{.kind = "fake"};
        residency.open(device);
        const nodes::ScratchWeights scratch(folder_.path().toStdString());

        const nodes::CopySpeeds speeds = nodes::measureCopies(residency, device, scratch);

        QVERIFY2(speeds.overhead > kLongest / 2 * 0.8, std::to_string(speeds.overhead).c_str());
        QVERIFY2(speeds.overhead < kLongest, std::to_string(speeds.overhead).c_str());
        QCOMPARE(speeds.mappedBytesPerSecond, 0.0);
    }

    /// What is pinned is measured where as much may be, from files else, and is unpinned
    /// afterwards.
    void measuresPinnedCopies_data() {
        const testing::Rows<qint64, bool> row("pinnable", "isMeasured");
        row("nothing", 0, false);
        row("less than it copies", qint64{kMiB}, false);
        row("enough", qint64{64 * kMiB}, true);
    }

    void measuresPinnedCopies() {
        QFETCH(qint64, pinnable);
        QFETCH(bool, isMeasured);
        residency::Residency residency(std::make_unique<SlowDevices>(0, pinnable));
        const DeviceSpec device{.kind = "fake"};
        residency.open(device);
        const nodes::ScratchWeights scratch(folder_.path().toStdString());

        const nodes::CopySpeeds speeds = nodes::measureCopies(residency, device, scratch);

        QVERIFY(speeds.bytesPerSecond > 1e7);
        QCOMPARE(speeds.pinnedBytesPerSecond > 1e7, isMeasured);
        QVERIFY(residency.pinnedComponents().empty());
        QCOMPARE(residency.ledger().bytesOn("cpu"), Bytes{0});
    }

    void refusesAFolderThatCannotBeWritten() {
        residency::Residency residency(std::make_unique<SlowDevices>(0));
        residency.open(DeviceSpec{});

        const auto error = testing::errorOf(
            [&] { (void)nodes::measureDevice(residency, DeviceSpec{}, "/proc/1/nowhere"); });

        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::InvalidInput);
    }

    void refusesAGpuThatIsTooSmall_andLeavesNothing() {
        const c10::InferenceMode asOnTheRunThread;
        const DeviceSpec device{.kind = "fake", .capacity = 32 * kMiB};
        residency::Residency residency(std::make_unique<SlowDevices>(0));
        residency.open(device);

        const auto error = testing::errorOf(
            [&] { (void)nodes::measureDevice(residency, device, folder_.path().toStdString()); });

        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::OutOfMemory);
        QCOMPARE(residency.allocatedOn(device), Bytes{0});
        QVERIFY(QDir(folder_.path()).isEmpty());
    }

private:
    QTemporaryDir folder_;
};

LOWTIDE_TEST(CalibrationTest)

}  // namespace calibration_test

#include "calibration_test.moc"
