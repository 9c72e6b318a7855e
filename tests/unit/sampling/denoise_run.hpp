#pragma once
// Runs of the denoise loop over a denoiser of the test.

#include "plugin/sampling/denoise_loop.hpp"
#include "tests/unit/sampling/fake_denoiser.hpp"

#include <ATen/ATen.h>

#include <QtTest>

namespace lowtide::sampling::denoise_run {

inline constexpr int kSteps = 8;
inline constexpr double kGuidance = 7.5;
inline const Json kConfig = {{"beta_schedule", "scaled_linear"},
                             {"beta_start", 0.00085},
                             {"beta_end", 0.012},
                             {"clip_sample", false}};

/// One part of a schedule that two nodes share, or all of it.
struct Part {
    int start = 0;
    int end = -1;
    bool addNoise = true;
    bool keepNoise = false;
    double eta = 0;
    Json changes = Json::object();  ///< of kConfig
    std::string key = "one schedule";
    double startAt = 0;  ///< as ScheduleRange has it
};

struct Run {
    DenoiseResult result;
    std::map<std::string, at::Tensor> recorded;
    std::vector<int> steps;
    std::vector<int> stages;
    std::vector<std::pair<int, int>> progress;
    int historyLength = 0;
};

[[nodiscard]] inline at::Tensor emptyLatents() {
    return at::zeros({2, 4, 5, 6});
}

[[nodiscard]] inline Run runWith(const std::string& name,
                                 const Part& part,
                                 Denoiser& denoiser,
                                 const at::Tensor& latents,
                                 const std::shared_ptr<const tensor::SamplerCarry>& carry,
                                 double guidance) {
    Json config = kConfig;
    config.update(part.changes);
    const ScheduleOptions options{
        .steps = kSteps, .eta = part.eta, .endStep = part.end, .keepNoise = part.keepNoise};
    const auto sampler = samplerNamed(name, config).make(config, options);
    const DenoiseSettings settings{.guidanceScale = guidance,
                                   .seed = 77,
                                   .part = {.startStep = part.start,
                                            .endStep = part.end,
                                            .keepNoise = part.keepNoise,
                                            .startAt = part.startAt},
                                   .addNoise = part.addNoise,
                                   .scheduleKey = part.key};
    tensor::Recorder recorder;
    const tensor::Record record(&recorder);
    Run result;
    result.result =
        denoise(*sampler,
                denoiser,
                latents,
                settings,
                carry,
                StopToken(),
                record,
                [&](int done, int total) { result.progress.emplace_back(done, total); });
    result.recorded = recorder.tensors();
    result.historyLength = sampler->historyLength();
    return result;
}

[[nodiscard]] inline Run run(const std::string& name,
                             const Part& part,
                             const at::Tensor& latents = emptyLatents(),
                             const std::shared_ptr<const tensor::SamplerCarry>& carry = nullptr,
                             double guidance = kGuidance) {
    FakeDenoiser denoiser;
    Run result = runWith(name, part, denoiser, latents, carry, guidance);
    result.steps = denoiser.steps;
    result.stages = denoiser.stages;
    return result;
}

/// Every sampler, with eta where it has one, and solvers of higher orders: as rows of a test.
inline void addSamplers() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("eta");
    QTest::addColumn<QString>("changes");
    for (const SamplerType& type : samplers()) {
        QTest::newRow(type.name.c_str()) << QString::fromStdString(type.name) << 0.0 << "{}";
    }
    for (const char* name : {"ddim", "tcd"}) {
        QTest::addRow("%s eta 0.5", name) << name << 0.5 << "{}";
    }
    for (const char* name : {"dpmpp_2m_sde", "dpmpp_single", "unipc", "deis"}) {
        QTest::addRow("%s third order", name) << name << 0.0 << R"({"solver_order": 3})";
    }
}

[[nodiscard]] inline Json deltasOf(const QString& changes) {
    return parseJson(changes.toStdString(), "changes");
}

}  // namespace lowtide::sampling::denoise_run
