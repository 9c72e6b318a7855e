#include "plugin/tensor/numerics_scope.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/Context.h>

#include <QtTest/QtTest>

#include <array>
#include <stdexcept>

namespace numerics_scope_test {

using namespace lowtide;
using memory::kNumericSwitchCount;
using memory::SwitchState;
using memory::SwitchStates;

namespace {

/// Everything that a host may have set, by name.
std::map<QString, int> settings() {
    const at::Context& context = at::globalContext();
    using at::Float32Backend;
    using at::Float32Op;
    std::map<QString, int> now = {
        {"f16 accumulation", context.allowFP16AccumulationCuBLAS()},
        {"f16 reduction", static_cast<int>(context.allowFP16ReductionCuBLAS())},
        {"bf16 reduction", static_cast<int>(context.allowBF16ReductionCuBLAS())},
        {"matmul precision", static_cast<int>(context.float32MatmulPrecision())},
        {"tf32 convolution", context.allowTF32CuDNN()},
        {"benchmark", context.benchmarkCuDNN()},
        {"deterministic", context.deterministicCuDNN()},
        {"flash", context.userEnabledFlashSDP()},
        {"flash 3", context.userEnabledFA3SDP()},
        {"memory efficient", context.userEnabledMemEfficientSDP()},
        {"cudnn attention", context.userEnabledCuDNNSDP()},
        {"math", context.userEnabledMathSDP()},
        {"math reduction", context.allowFP16BF16ReductionMathSDP()}};
    for (const auto backend : {Float32Backend::CUDA, Float32Backend::MKLDNN}) {
        for (const auto op : {Float32Op::CONV, Float32Op::RNN, Float32Op::MATMUL}) {
            now[QString("f32 %1 %2").arg(int(backend)).arg(int(op))] =
                static_cast<int>(context.float32Precision(backend, op));
        }
    }
    return now;
}

SwitchStates all(SwitchState state) {
    SwitchStates states;
    states.fill(state);
    return states;
}

}  // namespace

class NumericsScopeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theHostsSettingsComeBack_data() {
        QTest::addColumn<bool>("isOn");
        QTest::addColumn<QString>("host");
        for (const bool isOn : {false, true}) {
            for (const char* host : {"defaults", "highest", "high", "medium", "no split-K"}) {
                QTest::addRow("%s under %s", isOn ? "on" : "off", host) << isOn << host;
            }
        }
    }

    void theHostsSettingsComeBack() {
        QFETCH(bool, isOn);
        QFETCH(QString, host);
        at::Context& context = at::globalContext();
        if (host == "no split-K") {
            context.setAllowFP16ReductionCuBLAS(false, false);
            context.setSDPUseFlash(false);
        } else if (host != "defaults") {
            context.setFloat32MatmulPrecision(host.toStdString());
        }
        const auto before = settings();
        {
            const tensor::NumericsScope scope(all(isOn ? SwitchState::On : SwitchState::Off));
            QCOMPARE(context.allowFP16AccumulationCuBLAS(), isOn);
            QCOMPARE(context.benchmarkCuDNN(), isOn);
            QCOMPARE(context.deterministicCuDNN(), isOn);
            QCOMPARE(context.userEnabledFlashSDP(), isOn);
            QCOMPARE(context.userEnabledFA3SDP(), isOn);
            QCOMPARE(context.userEnabledMemEfficientSDP(), isOn);
            QCOMPARE(context.userEnabledCuDNNSDP(), isOn);
            QCOMPARE(context.userEnabledMathSDP(), isOn);
            QCOMPARE(context.allowFP16BF16ReductionMathSDP(), isOn);
            QCOMPARE(context.allowTF32CuDNN(), isOn);
            QCOMPARE(context.allowTF32CuBLAS(), isOn);
            QCOMPARE(context.allowFP16ReductionCuBLAS(),
                     isOn ? at::CuBLASReductionOption::AllowReducedPrecisionWithSplitK
                          : at::CuBLASReductionOption::DisallowReducedPrecisionAllowSplitK);
        }
        QVERIFY(settings() == before);
        context.setAllowFP16ReductionCuBLAS(true, true);
        context.setSDPUseFlash(true);
    }

    void theyComeBackAfterAThrow() {
        const auto before = settings();
        try {
            const tensor::NumericsScope scope(all(SwitchState::On));
            QVERIFY(settings() != before);
            throw std::runtime_error("a node fails");
        } catch (const std::runtime_error&) {
        }
        QVERIFY(settings() == before);
    }

    void whatIsNotApplicableIsLeftAlone() {
        const auto before = settings();
        SwitchStates states = all(SwitchState::NotApplicable);
        {
            const tensor::NumericsScope scope(states);
            QVERIFY(settings() == before);
        }
        states[static_cast<size_t>(memory::NumericSwitch::AttentionMathHalfReduction)] =
            SwitchState::On;
        const tensor::NumericsScope scope(states);
        auto expected = before;
        expected["math reduction"] = 1;
        QVERIFY(settings() == expected);
    }
};

LOWTIDE_TEST(NumericsScopeTest)

}  // namespace numerics_scope_test

#include "numerics_scope_test.moc"
