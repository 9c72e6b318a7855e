#include "plugin/module/cuda_facts.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/memory/card.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/residency/device/cuda/cuda_library.hpp"

namespace lowtide::module {

namespace {

constexpr Bytes kMostBytes = kMiB;

Json readProofs(const std::string& path) {
    const Json json = parseJson(files::InputFile(path).readAll(kMostBytes), "cuda/proven.json");
    const Json* proofs = JsonReader(json, "cuda/proven.json").member("proofs");
    if (!proofs || !proofs->is_array()) {
        throw Error(ErrorKind::Corrupt,
                    message("cuda/proven.json of the resources has no list of proofs"),
                    message("install the module's resources again"));
    }
    return *proofs;
}

/// What the card computes faster than f32.
Json gainsOf(int capability) {
    const auto traits = memory::NumericTraits::ofCuda(capability);
    Json gains = Json::array();
    const auto add = [&](const char* name, bool isGain) {
        if (isGain) {
            gains.push_back(name);
        }
    };
    add("f16", traits.gainsFromF16);
    add("bf16", traits.gainsFromBf16);
    add("tf32", traits.hasTf32);
    add("flash attention 3", traits.hasFlash3);
    return gains;
}

/// 91900 is 9.19.0.
std::string cudnnText(int64_t version) {
    return version == 0
               ? ""
               : std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) +
                     "." + std::to_string(version % 100);
}

}  // namespace

CudaFacts cudaFacts(const residency::CudaLibrary& library, const std::string& proofs) {
    const residency::CudaDriver& driver = library.driver();
    const residency::CudaBuild build = library.build();
    CudaFacts facts{
        .json = {{"driver",
                  driver.version > 0 ? residency::cudaVersionText(driver.version) : std::string()},
                 {"runtime",
                  build.runtime > 0 ? residency::cudaVersionText(build.runtime) : std::string()},
                 {"cudnn", cudnnText(build.cudnn)},
                 {"kernels", build.kernels},
                 {"cards", Json::array()},
                 {"proven", readProofs(proofs)}}};
    putMessage(facts.json, "problem", library.problem());
    facts.json["status"] = !library.isBuilt()             ? "not built"
                           : facts.json["proven"].empty() ? "compiled, not run"
                                                          : "proven";
    for (const residency::CudaGpu& gpu : driver.gpus) {
        if (gpu.problem.empty()) {
            facts.capabilities[gpu.id()] = gpu.capability;
        }
        Json json = {{"id", gpu.id()},
                     {"name", gpu.name},
                     {"capability", memory::capabilityText(gpu.capability)},
                     {"capacity", gpu.capacity},
                     {"gains", gpu.problem.empty() ? gainsOf(gpu.capability) : Json::array()}};
        putMessage(json, "problem", gpu.problem);
        facts.json["cards"].push_back(std::move(json));
    }
    return facts;
}

std::string textOf(const CudaFacts& facts) {
    const Json& json = facts.json;
    const auto member = [&](const char* key) { return json.at(key).get<std::string>(); };
    std::string text = "CUDA: " + member("status");
    if (const std::string problem = member("problem"); !problem.empty()) {
        return text + "; " + problem;
    }
    text += "; driver for CUDA " + member("driver") + ", runtime " + member("runtime") +
            ", cuDNN " + member("cudnn") + ", kernels " + member("kernels");
    for (const Json& card : json.at("cards")) {
        const auto problem = card.at("problem").get<std::string>();
        text += problem.empty() ? "" : "; " + problem;
    }
    return text;
}

}  // namespace lowtide::module
