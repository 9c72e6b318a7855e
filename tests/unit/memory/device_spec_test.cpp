#include "plugin/base/error.hpp"
#include "plugin/memory/device_spec.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace device_spec_test {

using namespace lowtide;
using namespace lowtide::memory;

class DeviceSpecTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsEveryForm_data() {
        const testing::Rows<QString, QString, qlonglong, qlonglong> row(
            "text", "id", "capacity", "spill");
        row("cpu", "cpu", "cpu", -1LL, -1LL);
        row("spaces", " cpu ", "cpu", -1LL, -1LL);
        row("cuda", "cuda", "cuda:0", -1LL, -1LL);
        row("second card", "cuda:1", "cuda:1", -1LL, -1LL);
        row("fake", "fake", "fake", -1LL, -1LL);
        row("sized", "fake:8GiB", "fake", 8LL * kGiB, -1LL);
        row("first of several", "fake:0", "fake", -1LL, -1LL);
        row("second of several", "fake:1", "fake:1", -1LL, -1LL);
        row("second, sized", "fake:1,4GiB,spill=1GiB", "fake:1", 4LL * kGiB, 1LL * kGiB);
        row("bytes", "fake:1048576", "fake", 1LL * kMiB, -1LL);
        row("few bytes", "fake:5B", "fake", 5LL, -1LL);
        row("spilling", "fake:1MiB,spill=2MiB", "fake", 1LL * kMiB, 2LL * kMiB);
    }

    void readsEveryForm() {
        QFETCH(QString, text);
        QFETCH(QString, id);
        QFETCH(qlonglong, capacity);
        QFETCH(qlonglong, spill);
        const DeviceSpec spec = parseDeviceSpec(text.toStdString());
        QCOMPARE(QString::fromStdString(spec.id()), id);
        QCOMPARE(static_cast<qlonglong>(spec.capacity.value_or(-1)), capacity);
        QCOMPARE(static_cast<qlonglong>(spec.spill.value_or(-1)), spill);
        QVERIFY(parseDeviceSpec(toText(spec)) == spec);
    }

    void readsWhichAllocationFails_data() {
        const testing::Rows<QString, QString, qlonglong> row("text", "kind", "number");
        row("any", "fake:1GiB,fail=100", "", 100LL);
        for (const char* kind : {"arena", "staging", "wire", "activation"}) {
            row(kind, QString("fake:1GiB,spill=1GiB,fail=%1:3").arg(kind), kind, 3LL);
        }
        row("alone", "fake:fail=wire:7", "wire", 7LL);
    }

    void readsWhichAllocationFails() {
        QFETCH(QString, text);
        QFETCH(QString, kind);
        QFETCH(qlonglong, number);
        const DeviceSpec spec = parseDeviceSpec(text.toStdString());
        QVERIFY(spec.failAt.has_value());
        const auto read = spec.failAt->kind;
        QCOMPARE(read ? QString::fromStdString(std::string(nameOf(*read))) : QString(), kind);
        QCOMPARE(static_cast<qlonglong>(spec.failAt->number), number);
        QVERIFY(parseDeviceSpec(toText(spec)) == spec);
    }

    void readsHowManyAllocationsFail() {
        const DeviceSpec spec = parseDeviceSpec("fake:fail=arena:3-5");
        QVERIFY(spec.failAt && spec.failAt->number == 3 && spec.failAt->last == 5);
        QCOMPARE(QString::fromStdString(toText(spec)), QString("fake:fail=arena:3-5"));
        QCOMPARE(parseDeviceSpec("fake:fail=3").failAt->last, int64_t{0});
    }

    void readsWhichCallLosesTheGpu() {
        const DeviceSpec spec = parseDeviceSpec("fake:1GiB,fail=wire:2,lost=500");
        QCOMPARE(spec.lostAt.value_or(0), int64_t{500});
        QVERIFY(parseDeviceSpec(toText(spec)) == spec);
        const DeviceSpec alone = parseDeviceSpec("fake:lost=1");
        QCOMPARE(QString::fromStdString(toText(alone)), QString("fake:lost=1"));
        QVERIFY(!alone.capacity && !alone.failAt);
    }

    void refusesWhatIsNoDevice_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"",
                                 "gpu",
                                 "cpu:1",
                                 "cuda:x",
                                 "cuda:-1",
                                 "fake:",
                                 "fake:lots",
                                 "fake:8",
                                 "fake:1,2,3",
                                 "cuda:64",
                                 "cuda:1,8GiB",
                                 "rocm:0",
                                 "fake:1G,2G",
                                 "fake:fail=",
                                 "fake:fail=0",
                                 "fake:fail=-3",
                                 "fake:fail=arena",
                                 "fake:fail=arena:",
                                 "fake:fail=arena:0",
                                 "fake:fail=arena:3-",
                                 "fake:fail=arena:3-2",
                                 "fake:fail=3-3",
                                 "fake:fail=:1",
                                 "fake:fail=disk:1",
                                 "fake:lost=",
                                 "fake:lost=0",
                                 "fake:lost=arena:1"}) {
            QTest::newRow(*text ? text : "empty") << text;
        }
    }

    void refusesWhatIsNoDevice() {
        QFETCH(QString, text);
        try {
            static_cast<void>(parseDeviceSpec(text.toStdString()));
            QFAIL("accepted");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::InvalidInput);
            QVERIFY(error.message().str().find("device \"" + text.toStdString() + "\"") !=
                    std::string::npos);
            QVERIFY(!error.hint().empty());
        }
    }
};

LOWTIDE_TEST(DeviceSpecTest)

}  // namespace device_spec_test

#include "device_spec_test.moc"
