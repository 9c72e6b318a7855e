#include "plugin/base/error.hpp"
#include "plugin/memory/device_profile.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

#include <limits>

namespace device_profile_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

MeasuredProfile sample() {
    return {.key = {.device = "cpu",
                    .name = "Processor \"X\" 3000",
                    .processor = "Processor \"X\" 3000",
                    .numerics = "torch 2.11.0, AVX2, 4 threads",
                    .version = "0.1.0"},
            .profile = {.copyBytesPerSecond = 8.25e9,
                        .copyOverhead = 1.0 / 3e5,
                        .flopsPerSecond = 1.7e11,
                        .leafOverhead = 6.1e-5,
                        .convertedBytesPerSecond = 3.1e9,
                        .mappedBytesPerSecond = 1.2e10,
                        .measuredOn = "2026-11-21"}};
}

}  // namespace

class DeviceProfileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void survivesJson() {
        const MeasuredProfile written = sample();

        const MeasuredProfile read =
            readMeasuredProfile(parseJson(toJson(written).dump(), "file"), "file");

        QVERIFY(read.key == written.key);
        QVERIFY(read.profile == written.profile);
        QVERIFY(!read.profile.isEstimated());
    }

    void refusesWhatIsNoProfile_data() {
        const testing::Rows<QString, QString> row("pointer", "value");
        row("no device", "/device", "");
        row("empty name", "/name", "\"\"");
        row("a number for the build", "/numerics", "7");
        row("no version", "/version", "");
        row("no processor", "/processor", "");
        row("no day", "/measured_on", "");
        row("text for the day", "/measured_on", "\"2026-11-2x\"");
        row("a longer day", "/measured_on", "\"2026-11-211\"");
        row("no speeds", "/speeds", "");
        row("a list of speeds", "/speeds", "[1]");
        row("copies take for ever", "/speeds/copy_bytes_per_second", "0");
        row("copies go backwards", "/speeds/copy_bytes_per_second", "-1e9");
        row("a copy takes a day", "/speeds/copy_overhead_seconds", "86400");
        row("a copy takes less than nothing", "/speeds/copy_overhead_seconds", "-1");
        row("too fast for any card", "/speeds/flops_per_second", "1e300");
        row("text for a speed", "/speeds/leaf_overhead_seconds", "\"1e-5\"");
        row("no conversions", "/speeds/converted_bytes_per_second", "");
    }

    void refusesWhatIsNoProfile() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        Json json = toJson(sample());
        const Json::json_pointer position(pointer.toStdString());
        QVERIFY(json.contains(position));
        if (value.isEmpty()) {
            json.at(position.parent_pointer()).erase(position.back());
        } else {
            json[position] = Json::parse(value.toStdString());
        }

        const auto error = testing::errorOf([&] { (void)readMeasuredProfile(json, "the file"); });

        QVERIFY(error.has_value());
        QCOMPARE(error->kind(), ErrorKind::Corrupt);
        QVERIFY(error->message().str().find("the file") != std::string::npos);
    }

    void distinguishesConversionsFromCopies() {
        const DeviceProfile profile{.copyBytesPerSecond = 1000,
                                    .copyOverhead = 0.25,
                                    .convertedBytesPerSecond = 100,
                                    .mappedBytesPerSecond = 4000,
                                    .pinnedBytesPerSecond = 8000};

        QCOMPARE(profile.copySeconds(2000, 0), 0.25 + 2);
        QCOMPARE(profile.copySeconds(2000, 500), 0.25 + 1.5 + 5);
        QCOMPARE(profile.mappedSeconds(2000), 0.5);
        QCOMPARE(profile.pinnedSeconds(2000), 0.25 + 0.25);
    }

    void hasOneSpeed_whereOnlyOneIsKnown() {
        const DeviceProfile profile{.copyBytesPerSecond = 1000, .copyOverhead = 0.25};

        QCOMPARE(profile.copySeconds(2000, 500), 0.25 + 2);
        QCOMPARE(profile.mappedSeconds(2000), 0.25 + 2);
        QCOMPARE(profile.pinnedSeconds(2000), 0.25 + 2);
    }

    void guessesByKind() {
        QVERIFY(estimatedProfile("cpu").isEstimated());
        QVERIFY(estimatedProfile("fake").copyBytesPerSecond >
                estimatedProfile("cpu").copyBytesPerSecond);
    }
};

LOWTIDE_TEST(DeviceProfileTest)

}  // namespace device_profile_test

#include "device_profile_test.moc"
