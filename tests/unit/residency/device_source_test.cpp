#include "plugin/base/error.hpp"
#include "plugin/residency/device/device_source.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

namespace device_source_test {

using namespace lowtide;
using residency::makeDeviceSource;

namespace {

const std::string kLibraryFolder = testing::buildPath("lib").toStdString();

/// The error of opening `spec`, with its hint.
Error errorOf(residency::DeviceSource& source, const memory::DeviceSpec& spec) {
    try {
        static_cast<void>(source.open(spec));
    } catch (const Error& error) {
        return error;
    }
    return Error(ErrorKind::Internal, Message("nothing was thrown"));
}

}  // namespace

class DeviceSourceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void reportsThatTheFakeLibraryIsMissing() {
        const Error error = errorOf(*makeDeviceSource("/nowhere"), {.kind = "fake"});
        QCOMPARE(error.kind(), ErrorKind::Device);
        QVERIFY(QString::fromStdString(error.message().str()).contains("liblowtide_fake.so"));
    }

    void explainsWhyThereIsNoGpu() {
        const auto none = std::make_shared<const residency::CudaLibrary>("/nowhere");
        const auto source = makeDeviceSource(kLibraryFolder, none);
        QCOMPARE(source->available().size(), 2u);
        const Error error = errorOf(*source, {.kind = "cuda"});
        QCOMPARE(error.kind(), ErrorKind::Device);
        QVERIFY(QString::fromStdString(error.message().str()).contains("this build has no CUDA"));
        QVERIFY(QString::fromStdString(error.hint().str()).contains("cpu"));
        QCOMPARE(errorOf(*makeDeviceSource(kLibraryFolder), {.kind = "cuda"}).kind(),
                 ErrorKind::InvalidInput);
    }

    void opensTheFakeDeviceAsLargeAsAsked() {
        const auto source = makeDeviceSource(kLibraryFolder);
        QCOMPARE(source->open({.kind = "fake"})->info().capacity, 8 * kGiB);
        QCOMPARE(source->open(memory::parseDeviceSpec("fake:1GiB"))->info().capacity, kGiB);
    }

    void namesWhatCouldBeOpened() {
        QCOMPARE(makeDeviceSource("/nowhere")->available().size(), 1u);
        const auto found = makeDeviceSource(kLibraryFolder)->available();
        QCOMPARE(found.size(), 2u);
        QCOMPARE(found[0].id, "cpu");
        QCOMPARE(found[1].id, "fake");
    }

    void keepsTheSizeUntilAnotherIsAsked() {
        residency::Residency residency(makeDeviceSource(kLibraryFolder));
        QCOMPARE(residency.open(memory::parseDeviceSpec("fake:1GiB")).capacity, kGiB);
        QCOMPARE(residency.open(memory::parseDeviceSpec("fake")).capacity, kGiB);
        QCOMPARE(residency.open(memory::parseDeviceSpec("fake:2GiB")).capacity, 2 * kGiB);
        QCOMPARE(residency.traits(memory::parseDeviceSpec("fake")).capacity, 2 * kGiB);
    }
};

LOWTIDE_TEST(DeviceSourceTest)

}  // namespace device_source_test

#include "device_source_test.moc"
