#include "tests/unit/models/exact_run.hpp"

#include "plugin/tensor/stage_values.hpp"
#include "tests/unit/models/known_shapes.hpp"

#include <ATen/ATen.h>

#include <map>
#include <utility>

namespace lowtide::testing {

namespace {

const DryRunCase kImage = {.width = 128, .height = 128, .cfg = 3, .steps = ExactRun::kSteps};

at::Tensor latentsOf(const nodes::WireRef& value) {
    return dynamic_cast<const tensor::Latents&>(*value).samples();
}

}  // namespace

ExactRun::ExactRun(const std::string& checkpoint)
    : model_(loadModel(bench_, checkpoint)), request_(requestOf(bench_, model_, kImage)) {
    bench_.runWith(model_, models::kTextEncoder, [&] {
        const EncodeResult prompts =
            encodePrompt(bench_.stages(),
                         {.model = model_, .prompt = "a cat face on a blue background"},
                         bench_.call("encode"));
        request_.positive = prompts.positive;
        request_.negative = prompts.negative;
    });
    request_.precision = memory::parsePrecision(kPrecision);
    bench_.record();
    latents_ = latentsOf(run(request_, {}));
    bench_.goAlongRecorded();
}

Json ExactRun::measured(const std::shared_ptr<const sampling::StepCache>& cache,
                        const std::string& precision) {
    DenoiseRequest request = request_;
    request.stepCache = cache;
    request.precision = memory::parsePrecision(precision);
    return measured(request);
}

Json ExactRun::measuredWith(const std::string& checkpoint) {
    DenoiseRequest request = request_;
    request.model = bench_.load(checkpoint);
    return measured(request);
}

bool ExactRun::hasArrived() const {
    return at::equal(arrived_, latents_);
}

Json ExactRun::measured(const DenoiseRequest& request) {
    std::map<std::string, Json> reported;
    arrived_ = latentsOf(run(request, [&](std::string_view name, Json facts) {
        reported[std::string(name)] = std::move(facts);
    }));
    reported.at("teacher_forced")["steps"] = reported.at("steps");
    return reported.at("teacher_forced");
}

nodes::WireRef ExactRun::run(const DenoiseRequest& request,
                             std::function<void(std::string_view, Json)> notify) {
    const auto spec = testing::spec(bench_.stages(), known(shapesOf(model_, kImage), request));
    nodes::StageCall call = bench_.call("denoise");
    call.notify = std::move(notify);
    nodes::WireRef result;
    bench_.runWith(spec.components().front(),
                   [&] { result = testing::run(bench_.stages(), request, call).front(); });
    return result;
}

}  // namespace lowtide::testing
