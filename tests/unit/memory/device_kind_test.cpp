#include "plugin/base/error.hpp"
#include "plugin/memory/device_kind.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <functional>
#include <set>
#include <vector>

namespace device_kind_test {

using namespace lowtide;
using namespace lowtide::memory;

/// The rows of the kinds of devices that are built: the test of each new one.
class DeviceKindTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void eachRowIsWhole_data() {
        QTest::addColumn<QString>("name");
        for (const DeviceKind& kind : deviceKinds()) {
            QTest::newRow(kind.name.c_str()) << QString::fromStdString(kind.name);
        }
    }

    void eachRowIsWhole() {
        QFETCH(QString, name);
        const DeviceKind& kind = deviceKind(name.toStdString());
        QVERIFY(kind.most >= 1 && kind.most <= kMostOfKind);
        QVERIFY(kind.estimatedProfile().flopsPerSecond > 0);
        QVERIFY(kind.estimatedProfile().copyBytesPerSecond > 0);
        QVERIFY(kind.estimatedProfile() == estimatedProfile(kind.name));
        QCOMPARE(kindOfTorch(kind.torch), &kind);
        QCOMPARE(kind.imitated == Imitated::Cpu, kind.torch == TorchType::Cpu);
        QCOMPARE(kind.imitated == Imitated::Rehearsal, kind.isRehearsed);
        QVERIFY(kind.forms.find(kind.name) == 0);
        std::set<std::string> ids;
        std::set<std::string> texts;
        for (int index = 0; index < kind.most; ++index) {
            const DeviceSpec spec{.kind = kind.name, .index = index};
            QVERIFY(parseDeviceSpec(spec.id()) == spec);
            QVERIFY(parseDeviceSpec(kind.most == 1
                                        ? kind.name
                                        : kind.name + ":" + std::to_string(index)) == spec);
            ids.insert(spec.id());
            texts.insert(kind.numericsText({.id = spec.id(), .kind = kind.name, .name = "a"}));
        }
        QCOMPARE(ids.size(), static_cast<size_t>(kind.most));
        QCOMPARE(texts.size(), ids.size());  // no key finds what another device made
    }

    void isAnError_whereThereIsNone() {
        QVERIFY(!findDeviceKind("rocm"));
        for (const auto& ask :
             std::vector<std::function<void()>>{[] { (void)deviceKind("rocm"); },
                                                [] { (void)estimatedProfile("rocm"); },
                                                [] { (void)DeviceSpec{.kind = "rocm"}.id(); },
                                                [] { (void)parseDeviceSpec("rocm:0"); }}) {
            try {
                ask();
                QFAIL("accepted");
            } catch (const Error& error) {
                QCOMPARE(error.kind(), ErrorKind::InvalidInput);
                QVERIFY(error.message().str().find("\"rocm") != std::string::npos);
                QVERIFY(error.hint().str().find("cuda:1") != std::string::npos);
            }
        }
    }
};

LOWTIDE_TEST(DeviceKindTest)

}  // namespace device_kind_test

#include "device_kind_test.moc"
