// What a preset of Stable Diffusion 1.x stands for on each kind of device.
#include "nodes/engine/stage_def.hpp"
#include "plugin/families/sd15/sd15.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/model.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace precision_presets_test {

using namespace lowtide;

namespace {

/// Rows "preset role: storage compute, switches that are on; off", as research 3.1 has them. What
/// is in neither list must read "not applicable here".
struct PresetRow {
    const char* preset;
    std::string_view role;
    const char* storage;
    const char* compute;
    const char* on;
    const char* off;
};

constexpr const char* kCpu = "attention_flash attention_math";

const std::vector<std::pair<std::string, std::vector<PresetRow>>>& presetTable() {
    using models::kAutoencoder;
    using models::kDenoiser;
    using models::kTextEncoder;
    static const std::vector<std::pair<std::string, std::vector<PresetRow>>> table = {
        {"cpu",
         {{"quality", kDenoiser, "f32", "f32", kCpu, ""},
          {"balanced", kDenoiser, "f32", "f32", kCpu, ""},
          {"speed", kDenoiser, "f32", "f32", kCpu, ""},
          {"quality", kAutoencoder, "f32", "f32", kCpu, ""},
          {"speed", kAutoencoder, "f32", "f32", kCpu, ""},
          {"speed", kTextEncoder, "f32", "f32", kCpu, ""}}},
        {"cuda 8.6",
         {{"quality",
           kDenoiser,
           "file",
           "f32",
           "cudnn_deterministic attention_memory_efficient attention_math",
           "tf32_matmul tf32_convolution cudnn_benchmark"},
          {"balanced",
           kDenoiser,
           "f16",
           "f16",
           "split_k_reduction cudnn_deterministic attention_flash attention_memory_efficient "
           "attention_cudnn attention_math",
           "matmul_half_accumulation cudnn_benchmark attention_math_half_reduction"},
          {"speed",
           kDenoiser,
           "f16",
           "f16",
           "matmul_half_accumulation split_k_reduction cudnn_benchmark attention_flash "
           "attention_memory_efficient attention_cudnn attention_math "
           "attention_math_half_reduction",
           "cudnn_deterministic"},
          {"quality",
           kAutoencoder,
           "file",
           "f32",
           "cudnn_deterministic attention_memory_efficient attention_math",
           "tf32_matmul tf32_convolution cudnn_benchmark"},
          // A retry in f32 has its switches too.
          {"balanced",
           kAutoencoder,
           "f16",
           "f16",
           "split_k_reduction tf32_convolution cudnn_deterministic attention_flash "
           "attention_memory_efficient attention_cudnn attention_math",
           "matmul_half_accumulation tf32_matmul cudnn_benchmark attention_math_half_reduction"},
          {"speed",
           kAutoencoder,
           "f16",
           "f16",
           "split_k_reduction tf32_matmul tf32_convolution cudnn_benchmark attention_flash "
           "attention_memory_efficient attention_cudnn attention_math "
           "attention_math_half_reduction",
           "matmul_half_accumulation cudnn_deterministic"},
          {"quality",
           kTextEncoder,
           "file",
           "f32",
           "cudnn_deterministic attention_memory_efficient attention_math",
           "tf32_matmul tf32_convolution cudnn_benchmark"},
          {"balanced",
           kTextEncoder,
           "f16",
           "f16",
           "split_k_reduction cudnn_deterministic attention_flash attention_memory_efficient "
           "attention_cudnn attention_math",
           "matmul_half_accumulation cudnn_benchmark attention_math_half_reduction"}}},
        {"cuda 7.5",
         {{"quality",
           kDenoiser,
           "file",
           "f32",
           "cudnn_deterministic attention_memory_efficient attention_math",
           "cudnn_benchmark"}}},
        {"cuda 9.0",
         {{"speed",
           kDenoiser,
           "f16",
           "f16",
           "matmul_half_accumulation split_k_reduction cudnn_benchmark attention_flash "
           "attention_flash_3 attention_memory_efficient attention_cudnn attention_math "
           "attention_math_half_reduction",
           "cudnn_deterministic"}}}};
    return table;
}

memory::NumericTraits traitsOf(const std::string& device) {
    return device == "cpu" ? memory::NumericTraits{}
                           : memory::NumericTraits::ofCuda(
                                 QString::fromStdString(device).mid(5).remove('.').toInt());
}

Json expectedSwitches(const PresetRow& row) {
    Json switches = Json::object();
    for (size_t i = 0; i < memory::kNumericSwitchCount; ++i) {
        switches[std::string(nameOf(static_cast<memory::NumericSwitch>(i)))] =
            "not applicable here";
    }
    for (const QString& name : QString(row.on).split(' ', Qt::SkipEmptyParts)) {
        switches.at(name.toStdString()) = "on";
    }
    for (const QString& name : QString(row.off).split(' ', Qt::SkipEmptyParts)) {
        switches.at(name.toStdString()) = "off";
    }
    return switches;
}

}  // namespace

class PrecisionPresetsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void presetsAreThoseOfTheTable_data() {
        QTest::addColumn<int>("device");
        QTest::addColumn<int>("row");
        for (size_t device = 0; device < presetTable().size(); ++device) {
            const auto& [name, rows] = presetTable()[device];
            for (size_t row = 0; row < rows.size(); ++row) {
                QTest::addRow("%s, %s, %s",
                              name.c_str(),
                              rows[row].preset,
                              std::string(rows[row].role).c_str())
                    << static_cast<int>(device) << static_cast<int>(row);
            }
        }
    }

    void presetsAreThoseOfTheTable() {
        QFETCH(int, device);
        QFETCH(int, row);
        const auto& [name, rows] = presetTable()[static_cast<size_t>(device)];
        const PresetRow& expected = rows[static_cast<size_t>(row)];
        const Json resolved =
            memory::toJson(resolvePrecision(memory::parsePrecision(expected.preset),
                                            models::sd15Precisions(false),
                                            std::string(expected.role),
                                            traitsOf(name),
                                            [] { return std::set<memory::FileType>{DType::F32}; }));
        QCOMPARE(resolved.at("preset"), Json(expected.preset));
        QCOMPARE(resolved.at("storage"), Json(expected.storage));
        QCOMPARE(resolved.at("compute"), Json(expected.compute));
        QCOMPARE(resolved.at("keep_f32"), Json::array());
        QCOMPARE(resolved.at("finite_check"),
                 Json(expected.role == models::kAutoencoder && expected.compute != QString("f32")));
        QVERIFY2(resolved.at("switches") == expectedSwitches(expected),
                 resolved.at("switches").dump(1).c_str());
    }

    void version2NeverSumsInHalf() {
        const auto speed = [](bool isVersion2) {
            return resolvePrecision(memory::parsePrecision("speed"),
                                    models::sd15Precisions(isVersion2),
                                    "denoiser",
                                    memory::NumericTraits::ofCuda(86),
                                    [] { return std::set<memory::FileType>{DType::F16}; })
                .stateOf(memory::NumericSwitch::MatmulHalfAccumulation);
        };
        QVERIFY(speed(false) == memory::SwitchState::On);
        QVERIFY(speed(true) == memory::SwitchState::Off);
    }
};

LOWTIDE_TEST(PrecisionPresetsTest)

}  // namespace precision_presets_test

#include "precision_presets_test.moc"
