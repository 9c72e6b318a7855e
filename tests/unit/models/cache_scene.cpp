#include "tests/unit/models/cache_scene.hpp"

#include "tests/unit/models/image_bench.hpp"

namespace lowtide::testing {

EncodeResult encodeOn(ModelBench& bench, const nodes::WireRef& model, const std::string& prompt) {
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
    const models::Model& own = ModelBench::modelOf(model);
    for (const std::string& role : models::rolesIn(own, models::kTextEncoders)) {
        trees.push_back(own.tree(role));
    }
    EncodeResult result;
    bench.runWith(std::move(trees), [&] {
        result =
            encodePrompt(bench.stages(), {.model = model, .prompt = prompt}, bench.call("encode"));
    });
    return result;
}

CacheScene::CacheScene(const DryRunCase& dryRunCase, memory::DeviceSpec device)
    : bench(std::move(device)),
      model(loadModel(bench, dryRunCase.checkpoint)),
      request(requestOf(bench, model, dryRunCase)),
      shapes(shapesOf(model, dryRunCase)) {
    const EncodeResult prompts = encodeOn(bench, model, "a red cup");
    request.positive = prompts.positive;
    request.negative = prompts.negative;
}

MadeUnderCache CacheScene::denoise(nodes::WireRef cache) {
    request.stepCache = std::move(cache);
    MadeUnderCache made;
    nodes::StageCall call = bench.call("denoise");
    call.notify = [&](std::string_view name, Json facts) {
        (name == "steps" ? made.steps : made.record) = std::move(facts);
    };
    nodes::WireRef latents;
    bench.runWith(model, models::kDenoiser, [&] {
        latents = testing::run(bench.stages(), request, call).front();
    });
    made.samples = ImageBench::samplesOf(latents);
    return made;
}

memory::StageWork CacheScene::dryRun() {
    return testing::spec(bench.stages(), known(shapes, request)).dryRun({bench.device().kind});
}

}  // namespace lowtide::testing
