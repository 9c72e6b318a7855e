// A host of Lowtide in about a hundred lines: C++ and dlopen, no Qt and no LibTorch.
//     tiny_host liblowtide_plugin.so FOLDER     writes FOLDER/graph.json and an image, prints its
//     path
#include "plugin/host_api/runner.hpp"

#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

/// A prompt to an image; each stage states how it may use memory (docs/memory.md).
constexpr const char* kGraph = R"json({
  "format": 2,
  "nodes": {
    "load":    {"type": "load.checkpoint", "v": 1, "params": {"checkpoint": "builtin:mini"}},
    "encode":  {"type": "prompt.encode", "v": 1, "memory": "model",
                "params": {"prompt": "a fox face on a green background"}},
    "latent":  {"type": "latent.empty", "v": 1, "params": {"width": 128, "height": 128}},
    "denoise": {"type": "denoise.sample", "v": 1, "memory": "leaf+stream", "params": {"steps": 8, "seed": 7}},
    "decode":  {"type": "decode.image", "v": 1, "memory": "auto@cpu"},
    "save":    {"type": "save.image", "v": 1, "params": {"prefix": "tiny_host"}}
  },
  "links": [
    {"from": ["load", "model"], "to": ["encode", "model"]},
    {"from": ["load", "model"], "to": ["denoise", "model"]},
    {"from": ["load", "model"], "to": ["decode", "model"]},
    {"from": ["encode", "positive"], "to": ["denoise", "positive"]},
    {"from": ["encode", "negative"], "to": ["denoise", "negative"]},
    {"from": ["latent", "latent"], "to": ["denoise", "latent"]},
    {"from": ["denoise", "latent"], "to": ["decode", "latent"]},
    {"from": ["decode", "image"], "to": ["save", "image"]}
  ]
}
)json";

/// Called on a thread of the module; a host with a window would only put the event into a queue.
class EventPrinter final : public lowtide::Observer {
public:
    void event(std::string_view json) noexcept override {
        if (json.find("\"nodeFinished\"") != std::string_view::npos) {
            std::fprintf(stderr, "%.*s\n", static_cast<int>(json.size()), json.data());
        }
    }

    void preview(lowtide::RunId, std::string_view, const lowtide::Image8&) noexcept override {}
};

lowtide::Plugin& openPlugin(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);  // never closed: LibTorch remains
    if (!library) {
        throw std::runtime_error(dlerror());
    }
    const auto entryPoint =
        reinterpret_cast<decltype(&lowtide_plugin)>(dlsym(library, "lowtide_plugin"));
    const auto refusal = reinterpret_cast<decltype(&lowtide_plugin_refusal)>(
        dlsym(library, "lowtide_plugin_refusal"));
    if (!entryPoint || !refusal) {
        throw std::runtime_error(std::string(path) + " is no Lowtide module");
    }
    lowtide::Plugin* plugin = entryPoint(lowtide::kAbi, lowtide::kHostToolchain);
    return plugin ? *plugin : throw std::runtime_error(refusal());
}

void mustBeOk(lowtide::Status status, const std::string& answer) {
    if (status != lowtide::Status::Ok) {
        throw std::runtime_error(answer);  // {"issues": [...]}: code, node, message, hint
    }
}

/// The graph as its own file keeps it: written and read again.
std::string savedGraph(const std::string& path) {
    if (!(std::ofstream(path) << kGraph << std::flush)) {
        throw std::runtime_error(path + " cannot be written; choose a folder that exists");
    }
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The first file that the report names, as its JSON text has it.
std::string imageOf(const std::string& report) {
    constexpr std::string_view kKey = "\"path\":\"";
    const size_t found = report.find(kKey, report.find("\"files\":"));
    const size_t begin = found == std::string::npos ? report.size() : found + kKey.size();
    return report.substr(begin, report.find('"', begin) - begin);
}

std::string makeImage(const char* module, const std::string& folder) {
    lowtide::Plugin& plugin = openPlugin(module);
    std::string answer;
    mustBeOk(plugin.start("{}", answer), answer);
    lowtide::Runner& runner = *plugin.runner();
    const std::string graph = savedGraph(folder + "/graph.json");
    std::ostringstream options;
    options << "{\"out\": " << std::quoted(folder) << "}";
    mustBeOk(runner.check(graph, options.str(), answer), answer);
    EventPrinter printer;
    lowtide::RunId run = 0;
    mustBeOk(runner.start(graph, options.str(), printer, run, answer), answer);
    mustBeOk(runner.wait(run, answer), answer);
    runner.stop();
    return imageOf(answer);
}

}  // namespace

int main(int count, char** arguments) {
    try {
        if (count != 3) {
            throw std::runtime_error("usage: tiny_host liblowtide_plugin.so FOLDER");
        }
        std::printf("%s\n", makeImage(arguments[1], arguments[2]).c_str());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "tiny_host: %s\n", error.what());
        return 1;
    }
}
