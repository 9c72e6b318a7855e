// A program without Qt and LibTorch that opens the C API in ways that a test process cannot take
// back:
//     loader_probe MODULE [--before LIBRARY] [--abi N] [--toolchain TEXT] [--threads N]
//                       [--after LIBRARY]
// Prints one line: "opened", the last library's answer(), "refused: REASON", "not loaded: REASON"
// or what went wrong.
#include "plugin/host_api/lowtide.h"
#include "plugin/host_api/runner.hpp"

#include <cstdio>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using Arguments = std::map<std::string, std::string>;

std::string chosen(const Arguments& arguments, const char* name, const std::string& otherwise) {
    const auto found = arguments.find(name);
    return found == arguments.end() ? otherwise : found->second;
}

/// Starts from many threads at once; every one must see the same runner.
std::string startTogether(lowtide::Plugin& plugin, size_t count) {
    std::vector<lowtide::Runner*> runners(count);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; ++i) {
        threads.emplace_back([&plugin, &runners, i] {
            std::string answer;
            if (plugin.start(R"({"threads": 1})", answer) == lowtide::Status::Ok) {
                runners[i] = plugin.runner();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    const std::set<lowtide::Runner*> different(runners.begin(), runners.end());
    if (different.size() != 1 || different.contains(nullptr)) {
        return "threads saw " + std::to_string(different.size()) + " runners";
    }
    std::string answer;
    plugin.start(R"({"threads": 3})", answer);
    plugin.runner()->stop();
    return "one runner; a later start: " + answer;
}

/// What a library answers that is loaded now.
std::string answerOf(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW);
    void* answer = library ? dlsym(library, "answer") : nullptr;
    return answer ? reinterpret_cast<const char* (*)()>(answer)()
                  : std::string("the last library is not loaded: ") + dlerror();
}

/// Whether the module serves this program all the same, without a type of C++.
std::string byTheCApi(void* library) {
    const auto nodes = reinterpret_cast<decltype(&lowtide_nodes)>(dlsym(library, "lowtide_nodes"));
    const auto open = reinterpret_cast<decltype(&lowtide_open)>(dlsym(library, "lowtide_open"));
    const auto free = reinterpret_cast<decltype(&lowtide_free)>(dlsym(library, "lowtide_free"));
    char* text = nullptr;
    const bool isServed = open("{\"threads\": 1}", nullptr) == LOWTIDE_OK &&
                          nodes(&text) == LOWTIDE_OK &&
                          std::string(text).find("\"denoise.sample\"") != std::string::npos;
    free(text);
    return isServed ? "the C API serves it" : "the C API does not serve it";
}

std::string probe(const char* module, const Arguments& arguments) {
    if (arguments.contains("--before") && !dlopen(arguments.at("--before").c_str(), RTLD_NOW)) {
        return std::string("the first library is not loaded: ") + dlerror();
    }
    void* library = dlopen(module, RTLD_LAZY);  // the harder way: a host may do so
    if (!library) {
        return std::string("not loaded: ") + dlerror();
    }
    const auto entryPoint =
        reinterpret_cast<decltype(&lowtide_plugin)>(dlsym(library, "lowtide_plugin"));
    const auto refusal = reinterpret_cast<decltype(&lowtide_plugin_refusal)>(
        dlsym(library, "lowtide_plugin_refusal"));
    const auto abi = static_cast<uint32_t>(
        std::stoul(chosen(arguments, "--abi", std::to_string(lowtide::kAbi))));
    const std::string toolchain = chosen(arguments, "--toolchain", lowtide::kHostToolchain);
    lowtide::Plugin* plugin = entryPoint(abi, toolchain == "null" ? nullptr : toolchain.c_str());
    if (!plugin) {
        return std::string("refused: ") + refusal() + "; " + byTheCApi(library);
    }
    if (arguments.contains("--after")) {
        return answerOf(arguments.at("--after"));
    }
    const size_t threads = std::stoul(chosen(arguments, "--threads", "0"));
    return threads > 0 ? startTogether(*plugin, threads) : "opened";
}

}  // namespace

int main(int count, char** arguments) {
    Arguments named;
    for (int i = 2; i + 1 < count; i += 2) {
        named[arguments[i]] = arguments[i + 1];
    }
    std::printf("%s\n", count < 2 ? "no module" : probe(arguments[1], named).c_str());
    return 0;
}
