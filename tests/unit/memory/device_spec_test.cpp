#include "plugin/base/error.hpp"
#include "plugin/memory/device_spec.hpp"

#include <QtTest/QtTest>

using namespace lowtide;
using namespace lowtide::memory;

class DeviceSpecTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void readsEveryForm_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("id");
        QTest::addColumn<qlonglong>("capacity");
        QTest::addColumn<qlonglong>("spill");
        QTest::newRow("cpu") << "cpu"
                             << "cpu" << -1LL << -1LL;
        QTest::newRow("spaces") << " cpu "
                                << "cpu" << -1LL << -1LL;
        QTest::newRow("cuda") << "cuda"
                              << "cuda:0" << -1LL << -1LL;
        QTest::newRow("second card") << "cuda:1"
                                     << "cuda:1" << -1LL << -1LL;
        QTest::newRow("fake") << "fake"
                              << "fake" << -1LL << -1LL;
        QTest::newRow("sized") << "fake:8GiB"
                               << "fake" << 8LL * kGiB << -1LL;
        QTest::newRow("spilling") << "fake:1MiB,spill=2MiB"
                                  << "fake" << 1LL * kMiB << 2LL * kMiB;
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

    void refusesWhatIsNoDevice_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"",
                                 "gpu",
                                 "cpu:1",
                                 "cuda:x",
                                 "cuda:-1",
                                 "fake:",
                                 "fake:lots",
                                 "fake:0",
                                 "fake:1G,2G"}) {
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
            QVERIFY(error.message().find("device \"" + text.toStdString() + "\"") !=
                    std::string::npos);
            QVERIFY(!error.hint().empty());
        }
    }
};

QTEST_GUILESS_MAIN(DeviceSpecTest)
#include "device_spec_test.moc"
