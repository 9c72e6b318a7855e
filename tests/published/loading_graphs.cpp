#include "tests/published/loading_graphs.hpp"

#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/single_files.hpp"

#include <map>
#include <stdexcept>

namespace lowtide::testing {

namespace {

/// The node that loads a kind alone, and its parameter.
struct Loader {
    const char* type;
    const char* param;
};

const std::map<std::string, Loader>& loaders() {
    static const std::map<std::string, Loader> kLoaders = {
        {"checkpoint", {"load.checkpoint", "checkpoint"}},
        {"autoencoder", {"load.autoencoder", "file"}},
        {"text_encoder", {"load.text_encoder", "file"}},
        {"image_encoder", {"load.image_encoder", "file"}},
        {"controlnet", {"load.controlnet", "controlnet"}},
        {"ip_adapter", {"load.ip_adapter", "adapter"}},
        {"upscaler", {"load.upscaler", "upscaler"}}};
    return kLoaders;
}

std::string hollow(const char* name) {
    return (hollowModelFolder() + "/" + name).toStdString();
}

std::string published(const std::string& name) {
    return publishedFolder().toStdString() + "/models/" + name;
}

/// Nodes and links that grow.
class Graph {
public:
    Graph() : graph_{{"format", 2}, {"nodes", Json::object()}, {"links", Json::array()}} {}

    Graph& add(const char* id, const char* type, Json params) {
        graph_["nodes"][id] = {{"type", type}, {"params", std::move(params)}};
        return *this;
    }

    /// Ports of one name.
    Graph& link(const char* from, const char* to, const char* port) {
        graph_["links"].push_back({{"from", {from, port}}, {"to", {to, port}}});
        return *this;
    }

    [[nodiscard]] LoadingGraph until(std::string node) const { return {graph_, std::move(node)}; }

private:
    Json graph_;
};

bool has(const std::string& text, const char* part) {
    return text.find(part) != text.npos;
}

/// The two models of WAN 2.2, of which `path` is one.
Json pairOf(const std::string& family, const std::string& path) {
    const std::string stem = std::string("diffusion_models/wan2.2_") +
                             (has(family, "image to video") ? "i2v" : "t2v") + "_";
    const std::string ending = "_noise_14B_fp8_scaled.safetensors";
    const bool isLow = has(family, "low noise");
    return {{"file", isLow ? published(stem + "high" + ending) : path},
            {"low_noise", isLow ? path : published(stem + "low" + ending)}};
}

/// "load" gives a model of the denoiser at `path`.
Graph withDenoiser(const std::string& family, const std::string& path) {
    const bool isWan = family.starts_with("WAN");
    Graph graph;
    graph.add("load",
              "load.diffusion_model",
              has(family, " noise") ? pairOf(family, path) : Json{{"file", path}});
    graph.add("autoencoder",
              "load.autoencoder",
              {{"file", hollow(isWan ? "vae/wan_2.1_vae.safetensors" : "vae/ae.safetensors")}});
    graph.link("autoencoder", "load", "autoencoder");
    if (family.starts_with("HiDream")) {
        graph.add(
            "text_encoder",
            "load.text_encoders",
            {{"file", hollow("text_encoders/clip_l_hidream.safetensors")},
             {"file_2", hollow("text_encoders/clip_g_hidream.safetensors")},
             {"file_3", hollow("text_encoders/t5xxl_fp8_e4m3fn_scaled.safetensors")},
             {"file_4", hollow("text_encoders/llama_3.1_8b_instruct_fp8_scaled.safetensors")}});
    } else if (family.starts_with("FLUX.1")) {
        graph.add("text_encoder",
                  "load.text_encoders",
                  {{"file", published("text_encoders/clip_l.safetensors")},
                   {"file_2", hollow("text_encoders/t5xxl_fp8_e4m3fn_scaled.safetensors")}});
    } else {
        graph.add("text_encoder",
                  "load.text_encoder",
                  {{"file",
                    hollow(isWan ? "text_encoders/umt5_xxl_fp8_e4m3fn_scaled.safetensors"
                                 : "text_encoders/qwen_3_4b.safetensors")}});
    }
    graph.link("text_encoder", "load", "text_encoder");
    if (family.starts_with("WAN 2.1 image to video")) {
        graph.add("image_encoder",
                  "load.image_encoder",
                  {{"file", hollow("clip_vision/clip_vision_h.safetensors")}});
        graph.link("image_encoder", "load", "image_encoder");
    }
    return graph;
}

/// "load" gives the model that an adapter states it is for; the smallest one where it states none.
Graph withBase(const std::string& family) {
    if (has(family, "for WAN")) {
        return withDenoiser("WAN text to video",
                            published("diffusion_models/wan2.1_t2v_14B_bf16.safetensors"));
    }
    if (has(family, "for HiDream-I1")) {
        return withDenoiser("HiDream-I1",
                            hollow("diffusion_models/hidream_i1_dev_fp8.safetensors"));
    }
    if (has(family, "for FLUX.1")) {
        return withDenoiser("FLUX.1", published("diffusion_models/flux1-dev.safetensors"));
    }
    if (has(family, "for Z-Image")) {
        return withDenoiser("Z-Image", hollow("diffusion_models/z_image_turbo_bf16.safetensors"));
    }
    const char* const file = has(family, "for SDXL")
                                 ? "checkpoints/sd_xl_base_1.0.safetensors"
                                 : "checkpoints/v1-5-pruned-emaonly.safetensors";
    return Graph().add("load", "load.checkpoint", {{"checkpoint", hollow(file)}});
}

/// "embedding:NAME" of the file at `path`.
std::string mentioned(const std::string& path) {
    const size_t name = path.rfind('/') + 1;
    return "embedding:" + path.substr(name, path.rfind('.') - name);
}

}  // namespace

LoadingGraph loadingGraph(const Json& known, const std::string& path) {
    const auto kind = known.at("kind").get<std::string>();
    const auto family = known.at("family").get<std::string>();
    if (const auto loader = loaders().find(kind); loader != loaders().end()) {
        return Graph()
            .add("load", loader->second.type, {{loader->second.param, path}})
            .until("load");
    }
    if (kind == "diffusion_model") {
        return withDenoiser(family, path).until("load");
    }
    if (kind == "denoiser") {
        const char* const file = has(family, "XL") ? "checkpoints/sd_xl_base_1.0.safetensors"
                                                   : "checkpoints/v1-5-pruned-emaonly.safetensors";
        return Graph()
            .add("load", "load.checkpoint", {{"checkpoint", hollow(file)}, {"unet", path}})
            .until("load");
    }
    if (kind == "lora") {
        return withBase(family)
            .add("lora", "load.lora", {{"file", path}})
            .link("load", "lora", "model")
            .until("lora");
    }
    if (kind == "embedding") {
        return withBase(family)
            .add("encode", "prompt.encode", {{"prompt", mentioned(path)}})
            .link("load", "encode", "model")
            .until("encode");
    }
    throw std::runtime_error("no graph loads a file of the kind " + kind);
}

}  // namespace lowtide::testing
